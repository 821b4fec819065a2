// The query strip: a set of examples with signs, how far the session has come, and whether it pays.

import { thumb } from "../api.js";
import { h, icon } from "../dom.js";
import { SAID, hint } from "../verbs.js";
import { Learning } from "./learning.js";

const FEW = 12; // examples shown per sign, newest first; the rest is a number

export class Strip {
  /** Fills `section`. `undo()` takes back the last mark, `reveal(id)` shows an example in the grid. */
  constructor(section, { undo, reveal }) {
    Object.assign(this, { section, reveal });
    this.signed = h("div", { class: "signed", id: "signed" });
    this.tally = h("span", { id: "tally" });
    this.undo = h("button", { class: "link", id: "undo", type: "button", title: hint("undo"), onclick: undo }, icon("undo"), "undo");
    const learning = h("div", { class: "learning", id: "learning" });
    this.learning = new Learning(learning);
    section.replaceChildren(this.signed,
      h("div", { class: "told" }, h("p", { class: "tally" }, this.tally, this.undo), learning));
  }

  /** Draw the strip for a session; without a page there is none. */
  draw(session) {
    this.section.hidden = session.page === null;
    if (this.section.hidden) return;
    this.signed.replaceChildren(own(session.query), ...this.#examples(session, "liked", "+"), ...this.#examples(session, "disliked", "−"));
    this.tally.textContent = `round ${session.page.round + 1} · ${session.judged} judged ·`;
  }

  #examples(session, sign, symbol) {
    const ids = [...session.marks].filter(([, mark]) => mark === sign).map(([id]) => id);
    if (!ids.length) return [];
    const ages = [...session.kept.keys()];
    const latest = ids.sort((a, b) => ages.indexOf(b) - ages.indexOf(a)).slice(0, FEW);
    const shown = latest.map((id) =>
      h("button", { class: `example ${sign}`, type: "button", "data-example": id, "aria-label": `marked ${SAID[sign]}: show it in the grid`, onclick: () => this.reveal(id) },
        h("img", { src: thumb(id), alt: "" })));
    const rest = ids.length - shown.length;
    return [
      h("span", { class: "sign", role: "img", "aria-label": SAID[sign] }, symbol),
      ...shown,
      ...(rest > 0 ? [h("span", { class: "muted" }, `and ${rest} more`)] : []),
    ];
  }
}

function own(query) {
  const image = h("img", { src: query.id ? thumb(query.id) : query.url, alt: "the picture you search with" });
  return h("span", { class: "example query" }, image);
}
