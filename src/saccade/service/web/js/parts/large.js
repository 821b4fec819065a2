// The large view as an entry of the history: Back closes it, Forward and a reload bring it back.
//
// An entry keeps what it takes to come back to a search (its trace) and, for the large view, `large`: the picture.

export class Large {
  /** `viewer` shows, `trace()` tells what to keep. */
  constructor(viewer, trace) {
    Object.assign(this, { viewer, trace, leaving: false });
  }

  /** Open a picture, as a new entry. */
  open(id) {
    // Closed a moment ago, and its entry is still about to go: it must not take this one along.
    if (this.leaving) return void addEventListener("popstate", () => this.open(id), { once: true });
    history.pushState({ ...this.trace(), large: id }, "");
    return this.viewer.open(id);
  }

  /** The view was closed by hand: its entry goes, too. */
  closed() {
    if (!history.state?.large) return;
    this.leaving = true;
    history.back();
  }

  /** The address changed. */
  arrived() {
    this.leaving = false;
  }

  /** Show what this entry says: a large picture, or none. */
  follow() {
    const id = history.state?.large;
    if (id) this.viewer.open(id);
    else this.viewer.close();
    this.remember();
  }

  /** Keep in this entry what it takes to come back. */
  remember() {
    history.replaceState({ ...this.trace(), large: this.viewer.isOpen ? this.viewer.id : null }, "");
  }
}
