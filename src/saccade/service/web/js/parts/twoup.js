// Two pictures fill the screen and a question stands above them: ← → choose, ↓ skips, Esc ends.

import { original, thumb } from "../api.js";
import { closable, fileName, h, icon } from "../dom.js";

export class TwoUp {
  /**
   * Fills `dialog`. `next(turn)` promises {question, images: [record, record]} or no images when there is nothing
   * left to ask; `chose(better, worse)` promises that it was heard; `failed(problem)` says what went wrong, `done()`
   * that there is nothing to ask, and `left(said)` how much was said.
   */
  constructor(dialog, { next, chose, failed, done, left }) {
    Object.assign(this, { dialog, next, chose, failed, done, pair: [], turn: 0, said: 0, busy: false });
    const named = (part) => `${dialog.id}-${part}`;
    this.question = h("h2", { id: named("question"), "aria-live": "polite" });
    this.count = h("p", { class: "muted", id: named("count") });
    this.sides = ["left", "right"].map((side, place) => h("button", {
      class: "side", id: named(side), type: "button", "aria-label": side, onclick: () => this.choose(place),
    }, h("img", { alt: "", draggable: "false" })));
    dialog.replaceChildren(
      h("header", {}, this.question, this.count,
        h("button", { class: "quiet round", type: "button", "data-close": true, "aria-label": "Close" }, icon("wrong"))),
      // It has the focus at first, not the first button: Enter must not end it.
      h("div", { class: "sides", tabindex: "-1", autofocus: true }, ...this.sides),
      h("footer", {},
        h("button", { class: "quiet", type: "button", onclick: () => this.choose(0) }, h("kbd", {}, "←"), "this one"),
        h("button", { class: "quiet", id: named("skip"), type: "button", onclick: () => this.skip() }, h("kbd", {}, "↓"), "skip"),
        h("button", { class: "quiet", type: "button", onclick: () => this.choose(1) }, "this one", h("kbd", {}, "→"))));
    closable(dialog);
    dialog.addEventListener("close", () => left(this.said));
  }

  get isOpen() {
    return this.dialog.open;
  }

  async open() {
    Object.assign(this, { turn: 0, said: 0 });
    if (await this.#ask()) this.dialog.showModal();
  }

  close() {
    if (this.isOpen) this.dialog.close();
  }

  /** An arrow key. */
  way(way) {
    if (way === "down") return this.skip();
    return way === "up" ? false : this.choose(way === "left" ? 0 : 1);
  }

  async choose(place) {
    if (this.busy || !this.pair.length) return;
    const better = this.pair[place].image_id;
    const worse = this.pair[1 - place].image_id;
    this.sides[place].classList.add("chosen");
    try {
      this.busy = true;
      await this.chose(better, worse);
      this.said += 1;
      this.turn += 1;
    } catch (problem) {
      this.failed(problem);
    } finally {
      this.busy = false;
    }
    if (!await this.#ask()) this.close();
  }

  async skip() {
    this.turn += 1;
    if (!await this.#ask()) this.close();
  }

  /** The next pair; false when there is none. */
  async #ask() {
    if (this.busy) return true;
    let asked;
    try {
      this.busy = true;
      asked = await this.next(this.turn);
    } catch (problem) {
      this.failed(problem);
      return false;
    } finally {
      this.busy = false;
    }
    this.pair = asked.images;
    if (!this.pair.length) {
      this.done();
      return false;
    }
    this.question.textContent = asked.question;
    this.count.textContent = this.said ? `${this.said} said` : "";
    this.pair.forEach((one, place) => {
      const image = this.sides[place].querySelector("img");
      this.sides[place].classList.remove("chosen");
      this.sides[place].setAttribute("aria-label", `${place ? "Right" : "Left"}: ${fileName(one.paths[0] ?? one.image_id)}`);
      image.src = thumb(one.image_id);
      const whole = new Image();
      whole.src = original(one.image_id);
      whole.decode().then(() => { if (this.pair[place] === one) image.src = whole.src; }, () => {});
    });
    return true;
  }
}
