// Pick a picture of the collection, a part at a time, or a file.

import * as api from "../api.js";
import { closable, h, icon } from "../dom.js";
import { Grid } from "./grid.js";

const PART = 60;

export class Picker {
  /** Fills `dialog`. `pick(id)` gets the chosen picture, `file()` opens the system's chooser, `complain(problem, retry)` hears what went wrong. */
  constructor(dialog, { pick, file, complain }) {
    Object.assign(this, { dialog, complain, items: [] });
    const title = `${dialog.id}-title`;
    const list = h("ul", { class: "grid small", id: `${dialog.id}-grid` });
    this.grid = new Grid(list);
    this.more = h("button", { class: "plain", id: `${dialog.id}-more`, type: "button", hidden: true, onclick: () => this.#load() }, "Show more");
    dialog.setAttribute("aria-labelledby", title);
    dialog.replaceChildren(
      h("header", {}, h("h2", { id: title }, "Pick a picture"),
        h("button", { class: "plain", type: "button", onclick: () => { this.close(); file(); } }, "Choose a file…"),
        h("button", { class: "quiet round", type: "button", "data-close": true, "aria-label": "Close" }, icon("wrong"))),
      h("div", { class: "scroll" }, list, h("p", { class: "foot" }, this.more)));
    closable(dialog);
    list.addEventListener("click", (event) => {
      const card = event.target.closest(".card");
      if (card) { this.close(); pick(card.dataset.id); }
    });
  }

  get isOpen() {
    return this.dialog.open;
  }

  open() {
    this.dialog.showModal();
    if (!this.items.length) this.#load();
  }

  close() {
    if (this.dialog.open) this.dialog.close();
  }

  async #load() {
    this.more.disabled = true;
    try {
      const part = await api.images(this.items.length, PART);
      this.items.push(...part.items);
      this.grid.show(this.items, { judging: false });
      this.more.hidden = part.next === null;
    } catch (problem) {
      this.close();
      this.complain(problem, () => this.open());
    } finally {
      this.more.disabled = false;
    }
  }
}
