// Two pictures and one question, the same wherever two are compared: ← this one, → that one, ↑ alike, ↓ skip, U undo.
// A key, a tap, or a swipe to a side answers; a thin line shows how much is known.

import { original, thumb } from "../api.js";
import { fileName, h } from "../dom.js";

const FAR = 64; // pixels of a swipe that is meant
const ANSWERS = { left: "first", right: "second", up: "alike", down: "skip" };
const SIDES = ["left", "right"];

export class Pair {
  /**
   * Fills `place`. `next(turn)` promises what to ask: {question: words and elements, images: [record, record], known: 0..1,
   * undoable}, or no images where nothing is left to ask. `answer(what, first, second)` promises that "first", "second",
   * "alike" or "skip" was heard of two ids; `undo(last)` that the last answer, {what, first, second}, is taken back.
   * `failed(problem, retry)` says what went wrong, `done()` that nothing is left.
   */
  constructor(place, { next, answer, undo, failed, done = () => {} }) {
    Object.assign(this, { place, next, answer, takeBack: undo, failed, done, shown: [], answers: [], turn: 0, asking: 0, busy: false });
    this.question = h("h2", { "data-part": "question", "aria-live": "polite" });
    this.count = h("p", { class: "muted", "data-part": "count" });
    this.line = h("progress", { max: "1", value: "0", "aria-label": "how much is known" });
    this.sides = SIDES.map((way) => h("button", { class: "side", type: "button", "aria-label": way, onclick: () => this.choose(way) }, h("img", { alt: "", draggable: "false" })));
    const button = (name, key, label, act) => h("button", { class: "quiet", type: "button", "data-answer": name, onclick: act }, h("kbd", {}, key), label);
    this.back = button("undo", "U", "Undo", () => this.undo());
    const choice = (way, key, label) => button(ANSWERS[way], key, label, () => this.choose(way));
    place.replaceChildren(
      h("div", { class: "asks" }, this.question, this.count), this.line,
      // It has the focus at first where it fills a dialog, not the first button: Enter must not end it.
      h("div", { class: "sides", tabindex: "-1", autofocus: true }, ...this.sides),
      h("div", { class: "answers", role: "group", "aria-label": "Answers" },
        choice("left", "←", "This one"), choice("up", "↑", "Alike"), choice("down", "↓", "Skip"), this.back, choice("right", "→", "This one")));
    place.hidden = true;
    this.#watchSwipes(place);
  }

  /** Begin anew: nothing was answered yet. */
  begin() {
    Object.assign(this, { answers: [], turn: 0 });
    return this.ask();
  }

  /** Ask what comes next; promises whether there is anything. Where it is asked again meanwhile, the newest question counts. */
  async ask() {
    const asking = ++this.asking;
    let asked;
    try {
      asked = await this.next(this.turn);
    } catch (problem) {
      if (asking === this.asking) this.failed(problem, () => this.ask());
      return false;
    }
    if (asking !== this.asking || !asked) return this.shown.length > 0;
    this.#show(asked);
    if (!this.shown.length) this.done();
    return this.shown.length > 0;
  }

  /** An arrow, as a key or as a button; false where there is nothing to answer, or the last answer is on its way still. */
  choose(way) {
    if (this.busy || !this.shown.length) return false;
    const said = { what: ANSWERS[way], first: this.shown[0].image_id, second: this.shown[1].image_id };
    this.sides[SIDES.indexOf(way)]?.classList.add("picked");
    return this.#say(() => this.answer(said.what, said.first, said.second), () => {
      this.turn += 1;
      if (said.what !== "skip") this.answers.push(said);
    });
  }

  /** Take the last answer back; false where there is none. */
  undo() {
    if (this.busy || this.back.disabled) return false;
    return this.#say(() => this.takeBack(this.answers.at(-1) ?? null), () => this.answers.pop());
  }

  async #say(send, heard) {
    this.busy = true;
    try {
      await send();
      heard();
      await this.ask();
    } catch (problem) {
      for (const side of this.sides) side.classList.remove("picked");
      this.failed(problem, () => this.#say(send, heard));
    } finally {
      this.busy = false;
    }
  }

  #show({ question, images, known = 0, undoable = this.answers.length > 0 }) {
    this.shown = images;
    this.place.hidden = !images.length;
    this.place.dataset.turn = this.turn; // which pair is on the page
    this.question.replaceChildren(...[question].flat());
    this.count.textContent = this.answers.length ? `${this.answers.length} said` : "";
    this.line.value = known;
    this.back.disabled = !undoable;
    images.forEach((one, place) => {
      const { image_id: id, width, height } = one;
      const [side, image] = [this.sides[place], this.sides[place].firstElementChild];
      side.classList.remove("picked");
      side.setAttribute("aria-label", `${SIDES[place]}: ${fileName(one.path ?? one.paths[0] ?? id)}`);
      Object.assign(image, { src: thumb(id), width, height });
      // The file in place of its small version, as soon as it is there.
      const whole = new Image();
      whole.src = original(id);
      whole.decode().then(() => { if (this.shown[place] === one) image.src = whole.src; }, () => {});
    });
  }

  /** A swipe to a side is that side. */
  #watchSwipes(place) {
    let start = null;
    place.addEventListener("pointerdown", (event) => { start = event.pointerType === "mouse" ? null : { x: event.clientX, y: event.clientY }; });
    place.addEventListener("pointerup", (event) => {
      if (!start) return;
      const dx = event.clientX - start.x;
      const meant = Math.abs(dx) >= FAR && Math.abs(dx) > Math.abs(event.clientY - start.y);
      start = null;
      if (!meant) return;
      // The lifted finger's click would answer a second time; not every swipe ends in one.
      const swallow = (click) => { click.preventDefault(); click.stopPropagation(); };
      place.addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => place.removeEventListener("click", swallow, { capture: true }), 0);
      this.choose(dx > 0 ? "right" : "left");
    });
    place.addEventListener("pointercancel", () => { start = null; });
  }
}
