// The query strip: what is looked for as words and pictures with signs, what narrows it, and one quiet line that says what
// the last mark did.

import { thumb } from "../api.js";
import { count, h, icon } from "../dom.js";
import { canTakeOff } from "../state/unmark.js";
import { SAID, hint } from "../verbs.js";
import { help } from "./learning.js";
import { chips } from "./terms.js";

const FEW = 12; // examples shown per sign, newest first; the rest is a number

export class Strip {
  /**
   * Fills `section`, with `narrowing` beside the query and `save` at its end. `undo()`, `compare()` and `tidy()` as the keys
   * do, `reveal(id)` shows an example in the grid, `remove(id)` takes its mark off, `ask(query)` searches with what is
   * left of the query.
   */
  constructor(section, { narrowing, save, undo, compare, tidy, reveal, remove, ask }) {
    Object.assign(this, { section, reveal, remove, ask });
    this.signed = h("div", { class: "signed", id: "signed" });
    this.tally = h("span", { id: "tally" });
    this.effect = h("span", { id: "effect" });
    this.undo = button("undo", undo);
    this.compare = button("compare", compare);
    this.tidy = button("tidy", tidy);
    this.learning = h("p", { class: "learning", id: "learning", hidden: true });
    this.hint = h("p", { class: "hint", id: "hint", role: "status", hidden: true });
    section.replaceChildren(
      this.asked = h("div", { class: "asked" }, this.signed, narrowing, save),
      h("div", { class: "line" }, h("p", { class: "tally" }, this.tally, this.effect, h("span", { class: "acts" }, this.undo, this.compare, this.tidy)), this.hint, this.learning));
  }

  /** Draw the strip for a session; without a page there is none. `name` is what the query is called. */
  draw(session, name = "") {
    this.section.hidden = session.page === null;
    if (this.section.hidden) return;
    this.signed.replaceChildren(...this.#query(session, name), ...this.#examples(session, "liked", "+"), ...this.#examples(session, "disliked", "−"));
    this.tally.textContent = tally(session);
    Object.assign(this.tally.dataset, { marks: session.judged, pairs: session.compared });
    if (session.judged || session.compared) this.undo.disabled = false; // known before the profile is
    this.tidy.setAttribute("aria-pressed", String(session.tidy));
    this.tidy.hidden = !session.judged && !session.tidy;
  }

  /** What narrows the search stands beside the query. */
  hold(narrowing) {
    if (narrowing.parentElement !== this.asked) this.signed.after(narrowing);
  }

  /** What the last mark did, in a few words. */
  say(words) {
    this.effect.textContent = words;
    this.effect.hidden = !words;
  }

  /** Something that is said once; the next mark or search takes its place. */
  advise(words) {
    this.hint.textContent = words;
    this.hint.hidden = !words;
  }

  /** What a person's profile lets us say: what can be undone, and, once that is known, that marks help. */
  profiled(profile) {
    this.undo.disabled = !profile?.events;
    const words = help(profile);
    this.learning.textContent = words;
    this.learning.hidden = !words;
  }

  /** What is looked for: words as chips, and the picture; each of several can be taken out. */
  #query({ query, page }, name) {
    const pictured = query.id || query.url;
    const words = page.text ? chips(page.terms, (text) => (text || pictured ? this.ask({ text: text || undefined, id: query.id }) : this.ask(null))) : [];
    return [...words, ...(pictured ? [own(query, name, words.length ? () => this.ask({ text: page.text }) : null)] : [])];
  }

  #examples(session, sign, symbol) {
    const ids = [...session.marks].filter(([, mark]) => mark === sign).map(([id]) => id);
    if (!ids.length) return [];
    const ages = new Map([...session.kept.keys()].map((id, age) => [id, age]));
    const latest = ids.sort((a, b) => (ages.get(b) ?? -1) - (ages.get(a) ?? -1)).slice(0, FEW);
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

const button = (name, act) => h("button", { class: "link", id: name, type: "button", title: hint(name), onclick: act }, name);

/** "7 marks", "7 marks, 2 pairs"; before the first, how to begin. */
export function tally({ judged, compared }) {
  if (!judged && !compared) return "✓ right, ✕ wrong";
  return [judged || !compared ? count(judged, "mark") : null, compared ? count(compared, "pair") : null].filter(Boolean).join(", ");
}

function own(query, name, remove) {
  const image = h("img", { src: query.id ? thumb(query.id) : query.url, alt: `the picture you search with: ${name}` });
  if (query.box) {
    const [top, left, bottom, right] = query.box.map((edge) => 100 * edge);
    image.style.objectViewBox = `inset(${top}% ${100 - right}% ${100 - bottom}% ${left}%)`;
  }
  return h("span", { class: "example query", title: name }, image,
    remove && h("button", { class: "remove", type: "button", title: "Take it out", "aria-label": "take the picture out of the query", onclick: remove }, icon("wrong")));
}
