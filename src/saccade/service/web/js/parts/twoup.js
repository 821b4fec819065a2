// Two pictures that fill the screen: a pair in a dialog, for as long as the person likes. Esc ends it.

import { closable, h, icon } from "../dom.js";
import { Pair } from "./pair.js";

export class TwoUp {
  /** `asked` as Pair has it; `left()` is told when it is closed. */
  constructor({ left, done, ...asked }) {
    const place = h("section", { class: "pair" });
    this.dialog = h("dialog", { class: "twoup", id: "twoup", "aria-label": "Compare two pictures" },
      h("button", { class: "quiet round", type: "button", "data-close": true, "aria-label": "Close" }, icon("wrong")), place);
    this.pair = new Pair(place, { ...asked, done: () => { this.close(); done(); } });
    closable(this.dialog);
    this.dialog.addEventListener("close", () => left(this.pair.answers.length));
  }

  get isOpen() {
    return this.dialog.open;
  }

  async open() {
    if (await this.pair.begin() && !this.isOpen) this.dialog.showModal();
  }

  close() {
    if (this.isOpen) this.dialog.close();
  }
}
