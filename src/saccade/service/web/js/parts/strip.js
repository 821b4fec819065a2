// The query strip: a set of examples with signs, what the last mark did, how far the session has come, and whether it pays.

import { thumb } from "../api.js";
import { h, icon } from "../dom.js";
import { canTakeOff } from "../state/unmark.js";
import { LEADS } from "../state/reasons.js";
import { SAID, hint } from "../verbs.js";
import { Learning } from "./learning.js";

const FEW = 12; // examples shown per sign, newest first; the rest is a number

export class Strip {
  /** Fills `section`. `undo()`, `compare()` and `tidy()` as the keys do, `reveal(id)` shows an example in the grid, `remove(id)` takes its mark off. */
  constructor(section, { undo, compare, tidy, reveal, remove }) {
    Object.assign(this, { section, reveal, remove });
    this.signed = h("div", { class: "signed", id: "signed" });
    this.effect = h("p", { class: "effect", id: "effect" });
    this.tally = h("span", { id: "tally" });
    this.undo = h("button", { class: "link", id: "undo", type: "button", title: hint("undo"), onclick: undo }, icon("undo"), "undo");
    this.compare = h("button", { class: "link", id: "compare", type: "button", title: hint("compare"), onclick: compare }, icon("compare"), "compare");
    this.tidy = h("button", { class: "link", id: "tidy", type: "button", title: hint("tidy"), onclick: tidy }, icon("tidy"), "tidy");
    const learning = h("div", { class: "learning", id: "learning" });
    this.learning = new Learning(learning);
    section.replaceChildren(
      h("div", { class: "asked" }, this.signed, this.effect),
      h("div", { class: "told" }, h("p", { class: "tally" }, this.tally, this.undo, this.compare, this.tidy), learning));
  }

  /** Draw the strip for a session; without a page there is none. `name` is what the query is called. */
  draw(session, name = "") {
    this.section.hidden = session.page === null;
    if (this.section.hidden) return;
    this.signed.replaceChildren(own(session.query, name), ...this.#examples(session, "liked", "+"), ...this.#examples(session, "disliked", "−"));
    this.tally.textContent = tally(session);
    this.tidy.setAttribute("aria-pressed", String(session.tidy));
    this.tidy.disabled = !session.judged && !session.tidy;
  }

  /** What the last mark did, in one sentence. */
  say(sentence) {
    this.effect.textContent = sentence;
    this.effect.title = sentence;
  }

  #examples(session, sign, symbol) {
    const ids = [...session.marks].filter(([, mark]) => mark === sign).map(([id]) => id);
    if (!ids.length) return [];
    const ages = [...session.kept.keys()];
    const latest = ids.sort((a, b) => ages.indexOf(b) - ages.indexOf(a)).slice(0, FEW);
    const rest = ids.length - latest.length;
    return [
      h("span", { class: "sign", role: "img", "aria-label": SAID[sign] }, symbol),
      ...latest.map((id) => this.#example(session, id, sign)),
      ...(rest > 0 ? [h("span", { class: "muted" }, `and ${rest} more`)] : []),
    ];
  }

  #example(session, id, sign) {
    return h("span", { class: `example ${sign}`, "data-example": id },
      h("button", { class: "reveal", type: "button", "aria-label": `marked ${SAID[sign]}: show it in the grid`, onclick: () => this.reveal(id) },
        h("img", { src: thumb(id), alt: "" })),
      canTakeOff(session, id) && h("button", { class: "remove", type: "button", title: "Take this mark off", "aria-label": `take the mark ${SAID[sign]} off`, onclick: () => this.remove(id) }, icon("wrong")));
  }
}

const NAMED = 3; // as many that failed are named; of more, the number

/** "3 judged · 1 compared · by look-alikes of what you liked ·"; the round where each brought several marks; a configuration is named, and said when it was a trial, when it failed, and when none could rank. */
export function tally({ page, judged, compared }) {
  const tried = page.explored ? ", tried a different configuration" : "";
  const by = page.configuration ? `by ${page.configuration}${tried} · ` : page.unconfigured ? `ranked as usual: ${page.unconfigured} · ` : "";
  const lead = judged + compared && LEADS[page.leading] ? `${LEADS[page.leading]} · ` : "";
  const { dropped } = page;
  const names = dropped.length > NAMED ? `${dropped.length} configurations` : dropped.join(", ");
  const without = dropped.length && !page.unconfigured ? `without ${names}, which failed · ` : "";
  const round = page.round + 1 < judged + compared ? `round ${page.round + 1} · ` : "";
  return `${round}${judged} judged · ${compared ? `${compared} compared · ` : ""}${by}${lead}${without}`;
}

function own(query, name) {
  const image = h("img", { src: query.id ? thumb(query.id) : query.url, alt: `the picture you search with: ${name}` });
  if (query.box) {
    const [top, left, bottom, right] = query.box.map((edge) => 100 * edge);
    image.style.objectViewBox = `inset(${top}% ${100 - right}% ${100 - bottom}% ${left}%)`;
  }
  return h("span", { class: "example query", title: name }, image);
}
