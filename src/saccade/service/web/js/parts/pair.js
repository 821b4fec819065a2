// Two-up: two pictures side by side and one question. A key, a tap or a swipe answers.

import { original, thumb } from "../api.js";
import { fileName, h } from "../dom.js";

const FAR = 64; // pixels of a swipe that is meant
const ANSWERS = { left: "first", right: "second", up: "alike", down: "skip" };

export class Pair {
  /** Fills `section`; `answer(what, first, second)` is told "first", "second", "alike" or "skip" and the two ids. */
  constructor(section, answer) {
    Object.assign(this, { section, answer, shown: null });
    this.question = h("h2", { "aria-live": "polite" });
    this.sides = ["left", "right"].map((way) => this.#side(way));
    const button = (way, key, label) => h("button", { class: "plain", type: "button", "data-way": way, onclick: () => this.choose(way) }, h("kbd", {}, key), label);
    this.below = h("div", { class: "answers" }, button("left", "←", "This one"), button("up", "↑", "Alike"), button("down", "↓", "Skip"), button("right", "→", "This one"));
    section.replaceChildren(this.question, h("div", { class: "two" }, ...this.sides.map(({ card }) => card)), this.below);
    section.hidden = true;
    this.#watchSwipes(section);
  }

  /** Ask about two pictures. */
  show({ first, second }, name) {
    this.shown = [first, second];
    this.section.hidden = false;
    this.question.replaceChildren("Which is more ", h("em", {}, name), "?");
    this.sides.forEach(({ card, image }, i) => {
      const { image_id: id, path, width, height } = this.shown[i];
      Object.assign(image, { src: thumb(id), width, height });
      card.setAttribute("aria-label", `${["left", "right"][i]}: ${fileName(path)}`);
      this.#sharpen(image, id);
    });
  }

  /** An arrow, as a key or as a button. */
  choose(way) {
    if (!this.shown) return false;
    const [first, second] = this.shown;
    return this.answer(ANSWERS[way], first.image_id, second.image_id);
  }

  #side(way) {
    const image = h("img", { alt: "", draggable: "false" });
    const card = h("button", { class: "side", type: "button", onclick: () => this.choose(way) }, image);
    return { card, image };
  }

  /** The file in place of its small version, as soon as it is there. */
  #sharpen(image, id) {
    const whole = new Image();
    whole.src = original(id);
    whole.decode().then(() => { if (this.shown.some((one) => one.image_id === id) && image.src.includes(id)) image.src = whole.src; }, () => {});
  }

  /** A swipe to a side is that side. */
  #watchSwipes(section) {
    let start = null;
    section.addEventListener("pointerdown", (event) => { start = event.pointerType === "mouse" ? null : { x: event.clientX, y: event.clientY }; });
    section.addEventListener("pointerup", (event) => {
      if (!start) return;
      const dx = event.clientX - start.x;
      const meant = Math.abs(dx) >= FAR && Math.abs(dx) > Math.abs(event.clientY - start.y);
      start = null;
      if (!meant) return;
      // The lifted finger's click would answer a second time.
      section.addEventListener("click", (click) => { click.preventDefault(); click.stopPropagation(); }, { capture: true, once: true });
      this.choose(dx > 0 ? "right" : "left");
    });
    section.addEventListener("pointercancel", () => { start = null; });
  }
}
