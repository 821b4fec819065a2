// A word that nobody knows: said so, with what is spelled like it, and an offer to learn it.

import { h, icon } from "../dom.js";

export class Unknown {
  /** In `place`, the middle of a page without pictures. `search(text)` takes another word, `teach(word)` begins to learn this one. */
  constructor(place, { search, teach }) {
    Object.assign(this, { place, search, teach });
  }

  show({ text, unknown, offered }) {
    const words = unknown.map((word) => `“${word}”`).join(" and ");
    const other = (word) => h("button", { class: "plain", type: "button", "data-offered": word, onclick: () => this.search(word) }, word);
    this.place.replaceChildren(
      icon("eye"),
      h("p", {}, `${words} ${unknown.length === 1 ? "is a word" : "are words"} I do not know yet. I know English nouns; anything else can be taught.`),
      offered.length ? h("div", { class: "offered" }, h("span", { class: "muted" }, "Words I know:"), ...offered.map(other)) : "",
      h("button", { class: "primary", id: "teach", type: "button", onclick: () => this.teach(text) }, "Show me some and I will learn it"));
    this.place.hidden = false;
  }
}
