// Pictures to start from: a cross-section of the collection, another one each time it is asked for.

import * as api from "../api.js";
import { count, fileName } from "../dom.js";

const SAMPLE = 48;

export class Start {
  /** Fills `grid` and says in `lead` what to do. */
  constructor(lead, grid) {
    Object.assign(this, { lead, grid, seed: 0 });
  }

  /** Show some, unless something else is `wanted()` by the time they come; {images, more}: how many there are, and whether there are others. */
  async show(wanted) {
    const { images, resting, lost } = await api.collection();
    const items = images ? await api.sample(SAMPLE, this.seed) : [];
    if (images && wanted()) {
      this.lead.textContent = `${count(images, "picture")}. Choose one to find more like it, then say what is right and what is wrong.`;
      if (lost) this.lead.append(` The last ${count(lost, "mark")} that were given are gone from the log: saccade doctor says what to do.`);
      for (const name of Object.keys(resting)) this.lead.append(` ${fileName(name)} rests, so pictures are compared without it: saccade doctor says why.`);
      this.lead.hidden = false;
      this.grid.show(items, { judging: false });
    }
    return { images, more: images > SAMPLE };
  }

  /** From now on, others. */
  turn() {
    this.seed += 1;
  }
}
