// Pictures to start from: a cross-section of the collection, another one each time it is asked for; or all that fit what
// narrows, the newest first.

import * as api from "../api.js";
import { count, fileName } from "../dom.js";
import { folded, stacks } from "../state/stacks.js";

const SAMPLE = 48;
const PART = 200; // pictures that are fetched at a time where all are shown
const LARGEST = 500; // that are given at once

export class Start {
  /** Fills `grid`, its cards as `stateOf` has them, and says in `lead` what to do. */
  constructor(lead, grid, stateOf = () => ({})) {
    Object.assign(this, { lead, grid, stateOf, seed: 0, items: [], stacks: new Map(), spread: new Set() });
  }

  /** How many make a full page to start from. */
  fill = SAMPLE;

  /** Show some, unless something else is `wanted()` by the time they come; {images, more}: how many there are, and whether there are others. */
  async show(wanted) {
    const { images, resting, lost, read_only: readOnly } = await api.collection();
    const items = images ? await api.sample(SAMPLE, this.seed) : [];
    if (images && wanted()) {
      this.lead.textContent = `${count(images, "picture")}. Type what you look for, or choose one to find more like it; then say what is right and what is wrong.`;
      if (readOnly) this.lead.append(` But ${readOnly}: marks are not kept, and teach nothing.`);
      if (lost) this.lead.append(` The last ${count(lost, "mark")} that were given are gone from the log: saccade doctor says what to do.`);
      for (const name of Object.keys(resting)) this.lead.append(` ${fileName(name)} rests, so pictures are compared without it: saccade doctor says why.`);
      this.lead.hidden = false;
      this.grid.show(items, { judging: false, stateOf: this.stateOf });
    }
    return { images, more: images > SAMPLE };
  }

  /** Pictures to teach a word with, from all over. */
  async lesson(word) {
    const items = await api.sample(SAMPLE, this.seed);
    this.lead.textContent = `Choose a picture that shows “${word}”; then mark what is right and what is wrong, and I will know it.`;
    this.lead.hidden = false;
    this.grid.show(items, { judging: false, stateOf: this.stateOf });
  }

  /** Show all that fit `where`, at least `many` of them; {images, more} as above. */
  async browse(where, user, wanted, many = 0) {
    Object.assign(this, { where, user, items: [], stacks: new Map(), spread: new Set() });
    return this.next(wanted, many);
  }

  /** Go on with those. */
  async next(wanted, many = 0) {
    const { where, user, items } = this;
    let total = Infinity;
    do {
      const found = await api.browse(where, user, items.length, Math.min(LARGEST, Math.max(PART, many - items.length)));
      total = found.items.length ? found.total : items.length; // it may have shrunk
      items.push(...found.items);
    } while (items.length < Math.min(many, total));
    if (wanted() && items === this.items) {
      this.lead.textContent = `${count(total, "picture")}, the newest first. Choose one to find more like it.`;
      this.lead.hidden = false;
      this.#fold();
    }
    return { images: total, more: items.length < total };
  }

  /** Spread near-duplicates out beside the one on top, or put them together again; false where there are none. */
  toggleStack(id) {
    const top = [...this.stacks].find(([name, under]) => name === id || under.some((one) => one.image_id === id))?.[0];
    if (!top) return false;
    if (!this.spread.delete(top)) this.spread.add(top);
    return this.#fold({ glide: true, anchor: top });
  }

  #fold(moved = {}) {
    this.stacks = stacks(this.items, () => false);
    const stackOf = ({ image_id: id }) => (this.stacks.has(id) ? { size: this.stacks.get(id).length + 1, open: this.spread.has(id) } : null);
    const shown = folded(this.items, this.stacks, (id) => this.spread.has(id));
    this.grid.show(shown, { judging: false, stateOf: (item) => ({ ...this.stateOf(item), stack: stackOf(item) }), ...moved });
  }

  /** From now on, others. */
  turn() {
    this.seed += 1;
  }
}
