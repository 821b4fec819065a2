// Saved searches: each with its pictures; a press goes on where it was left.

import * as api from "../../api.js";
import { count, h, icon } from "../../dom.js";
import { Listing, row } from "./listing.js";

export class SavedSearches extends Listing {
  static label = "Saved searches";
  title = "Saved searches";
  lead = "A saved search keeps its marks and goes on where you left it, with whatever pictures there are by then.";
  none = "Nothing is saved yet: search, mark, then press Save.";

  load(user) {
    return api.saved(user);
  }

  rows({ items }) {
    return items.map(({ name, liked, disliked, like, at }) => row({
      title: name, open: () => this.shell.go("search", { saved: name }), pictures: [...like, ...liked],
      known: `${count(liked.length + disliked.length, "mark")} · saved on ${new Date(1000 * at).toLocaleDateString("en", { dateStyle: "long" })}`,
      actions: [h("button", { class: "quiet round", type: "button", title: "Give it up", "aria-label": `give up the saved search ${name}`, onclick: () => this.change(() => api.giveUp(this.shell.user, name)) }, icon("wrong"))],
    }));
  }
}
