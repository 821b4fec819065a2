// "Which is closer to what you look for?": two pictures of a search at a time, for as long as the person likes.

import { h } from "../dom.js";
import { nextPair } from "../state/questions.js";
import { TwoUp } from "./twoup.js";

export class Closer {
  /** About pictures of `session`; `failed`, `done` and `left` as TwoUp has them. */
  constructor(session, { failed, done, left }) {
    this.session = session;
    this.dialog = h("dialog", { class: "twoup", id: "twoup", "aria-label": "Compare two pictures" });
    this.pair = new TwoUp(this.dialog, {
      next: async () => this.#question(), chose: (better, worse) => session.prefer(better, worse), failed, done, left,
    });
  }

  get isOpen() {
    return this.pair.isOpen;
  }

  open() {
    Object.assign(this, { skipped: [], asked: null });
    return this.pair.open();
  }

  close() {
    this.pair.close();
  }

  /** An arrow key. */
  way(way) {
    return this.pair.way(way);
  }

  #question() {
    const { page, marks } = this.session;
    // Asked before and not answered: it was skipped.
    if (this.asked && !page.preferred.flat().includes(this.asked[0].image_id)) this.skipped.push(...this.asked.map((hit) => hit.image_id));
    this.asked = nextPair(page.hits, { judged: marks.keys(), preferred: page.preferred, skipped: this.skipped });
    return { question: "Which is closer to what you look for?", images: (this.asked ?? []).map((hit) => ({ ...hit, paths: [hit.path] })) };
  }
}
