// What a picture shows, in words that search when they are pressed.

import * as api from "../api.js";
import { h } from "../dom.js";

export class Shows {
  /** Fills `place`; `search(word)` gets the word that was pressed. */
  constructor(place, search) {
    Object.assign(this, { place, search, id: null });
  }

  /** The words of a picture; where none are likely enough, nothing. */
  async show(id) {
    this.id = id;
    this.place.hidden = true;
    const words = await api.words(id).catch(() => []);
    if (this.id !== id || !words.length) return;
    const button = ({ word, probability }) =>
      h("button", { class: "word", type: "button", "data-word": word, title: `Search for ${word}`, onclick: () => this.search(word) },
        word, h("span", { class: "muted" }, ` ${Math.round(100 * Math.min(1, probability))}%`));
    this.place.replaceChildren(h("span", { class: "muted" }, "Probably shows"), ...words.map(button));
    this.place.hidden = false;
  }
}
