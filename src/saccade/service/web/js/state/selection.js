// Pictures that are chosen together, to be marked, tagged or listed at once. Event: "change".

export class Selection extends EventTarget {
  constructor() {
    super();
    Object.assign(this, { ids: new Set(), from: null });
  }

  get size() {
    return this.ids.size;
  }

  has(id) {
    return this.ids.has(id);
  }

  /** Choose a picture, or no longer. */
  toggle(id) {
    if (!this.ids.delete(id)) this.ids.add(id);
    this.from = id;
    this.#tell();
  }

  /** Choose all from the last one to this, in the order of `items`. */
  extend(id, items) {
    const place = (wanted) => items.findIndex((item) => item.image_id === wanted);
    const [a, b] = [place(this.from), place(id)];
    if (a < 0) return this.toggle(id);
    for (const item of items.slice(Math.min(a, b), Math.max(a, b) + 1)) this.ids.add(item.image_id);
    return this.#tell();
  }

  /** Choose these, and those that were chosen before, if any. */
  set(ids, before = []) {
    this.ids = new Set([...before, ...ids]);
    this.from = ids.at(-1) ?? null;
    this.#tell();
  }

  clear() {
    if (!this.ids.size) return;
    this.ids.clear();
    this.from = null;
    this.#tell();
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}
