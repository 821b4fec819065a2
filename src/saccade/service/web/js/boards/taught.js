// Taught: what a person taught and what came of it, in five parts. Each part is built like a board (see app.js) and has a
// file in taught/; its name is in the address.

import { h } from "../dom.js";
import { format } from "../router.js";
import { Best } from "./taught/best.js";
import { SavedSearches } from "./taught/saved.js";
import { Scales } from "./taught/scales.js";
import { Words } from "./taught/words.js";
import { You } from "./taught/you.js";

const PARTS = { words: Words, scales: Scales, best: Best, saved: SavedSearches, you: You };

export class Taught {
  static label = "Taught";

  constructor(shell) {
    Object.assign(this, { shell, part: null, name: null });
  }

  get keys() {
    return this.part?.keys ?? {};
  }

  get says() {
    return this.part?.says;
  }

  mount(place) {
    this.tabs = h("nav", { class: "tabs", id: "tabs", "aria-label": "What was taught" });
    this.body = h("div", {});
    place.replaceChildren(this.tabs, this.body);
  }

  unmount() {
    this.part?.unmount();
    this.part = null;
  }

  open(params, state) {
    const wanted = params.get("part");
    const name = wanted in PARTS ? wanted : "words";
    if (this.name !== name) {
      this.part?.unmount();
      this.name = name;
      this.part = new PARTS[name](this.shell);
      this.body.replaceChildren();
      this.part.mount(this.body);
      this.tabs.replaceChildren(...Object.entries(PARTS).map(([other, { label }]) =>
        h("a", { href: format("taught", { part: other }), "aria-current": other === name ? "page" : null }, label)));
    }
    this.tabs.querySelector("[aria-current]").scrollIntoView({ inline: "nearest", block: "nearest" }); // a phone shows some of them
    return this.part.open(params, state);
  }

  userChanged(name) {
    return this.part?.userChanged(name);
  }
}
