// Pick a picture of the collection, a part at a time.

import * as api from "./api.js";
import { byId, closable } from "./dom.js";
import { chooseFile } from "./drop.js";
import { Grid } from "./grid.js";

const PART = 60;

export class Picker {
  /** `pick(id)` gets the chosen picture, `complain(problem, retry)` what went wrong. */
  constructor(pick, complain) {
    this.dialog = byId("picker");
    this.grid = new Grid(byId("picker-grid"));
    this.more = byId("picker-more");
    this.complain = complain;
    this.items = [];
    closable(this.dialog);
    byId("picker-file").addEventListener("click", () => { this.close(); chooseFile(); });
    this.more.addEventListener("click", () => this.#load());
    this.grid.list.addEventListener("click", (event) => {
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
