// The large view as an entry of the history: Back closes it, Forward and a reload bring it back.
//
// An entry keeps what it takes to come back to a search (its trace) and, for the large view, `large`: the picture.

export class Large {
  /** `viewer` shows, `trace()` tells what to keep. */
  constructor(viewer, trace) {
    Object.assign(this, { viewer, trace, leaving: null }); // leaving: a promise, while an entry is about to go
  }

  /** Open a picture, as a new entry. */
  open(id) {
    if (this.leaving) return void this.leaving.then(() => this.open(id));
    history.pushState({ ...this.trace(), large: id }, "");
    return this.viewer.open(id);
  }

  /** The view was closed by hand: its entry goes, too. */
  closed() {
    if (!history.state?.large) return;
    this.leaving = new Promise((resolve) => { addEventListener("popstate", resolve, { once: true }); });
    history.back();
  }

  /** Close the view and act once its entry is gone. */
  leave(act) {
    if (!this.viewer.isOpen) return void act();
    addEventListener("popstate", () => act(), { once: true });
    return this.viewer.close();
  }

  /** The address changed. */
  arrived() {
    this.leaving = null;
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
