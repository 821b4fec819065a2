// Words: what a person taught a word to mean, with its pictures; and the tags they gave.

import * as api from "../../api.js";
import { count, h, icon } from "../../dom.js";
import { Listing, row } from "./listing.js";

export class Words extends Listing {
  static label = "Words";
  title = "Words you taught";
  lead = "Look for a word and mark what is right and wrong: from then on the word means that, for you. A tag is a word you give to pictures.";
  none = "You taught no word yet. Type one, also one that nobody knows, and mark pictures for it.";

  async load(user) {
    const [words, tags] = await Promise.all([api.taughtWords(user), api.tags(user)]);
    return { words: words.items, tags: tags.items };
  }

  rows({ words, tags }) {
    return [
      ...words.map(({ word, liked, disliked, sessions }) => row({
        title: word, open: () => this.shell.search({ text: word }), pictures: liked,
        known: `${liked.length} right, ${disliked.length} wrong, in ${sessions === 1 ? "one search" : `${sessions} searches`}`,
      })),
      ...tags.map(({ tag, images, own, people }) => row({
        title: tag, open: () => this.shell.go("search", { tag }), pictures: [],
        known: `tag · ${count(images, "picture")}${people > 1 ? ` · ${people} people gave it` : ""}`,
        actions: own ? [h("button", { class: "quiet round", type: "button", title: "Take the tag off all your pictures", "aria-label": `take the tag ${tag} off`, onclick: () => this.change(() => api.untag(tag, this.shell.user)) }, icon("wrong"))] : [],
      })),
    ];
  }
}
