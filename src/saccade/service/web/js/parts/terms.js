// The words of a query as chips, each with how it was understood; a cross takes it out.

import { h, icon } from "../dom.js";

/** How a word was understood, in a sentence. */
export function understood({ how, word, kinds, count: n, colour, mended, text }) {
  const some = n > kinds.length ? `${kinds.join(", ")} and ${n - kinds.length} more` : kinds.join(", ");
  const read = mended ? `Read as ${word}. ` : "";
  if (how === "kinds") return `${read}${n === 1 ? "One kind of thing" : `${n} kinds of things`}: ${some}.`;
  if (how === "near") return `${read}A guess, by things that go with it: ${some}.`;
  if (how === "colour") return `The colour ${colour}.`;
  if (how === "name") return "In the names of files and folders, or a name you gave.";
  return `“${text}” means nothing here yet: mark what is right, and it will.`;
}

/** A chip a word. `remove(text)` gets what is left of the query without it. */
export function chips(terms, remove) {
  return terms.map((term, place) => h("span", { class: `term ${term.how || "unknown"} ${term.wanted ? "" : "not"}`, "data-term": term.text, title: understood(term) },
    !term.wanted && h("span", { class: "sign", role: "img", "aria-label": "not" }, "−"),
    h("span", { class: "text" }, term.mended ? term.word : term.text),
    h("span", { class: "unseen" }, `: ${understood(term)}`),
    h("button", { class: "remove", type: "button", "aria-label": `take out ${term.text}`, title: "Take it out", onclick: () => remove(without(terms, place)) }, icon("wrong"))));
}

/** The text of some terms without one of them. */
function without(terms, place) {
  const quoted = (text) => (text.includes(" ") ? `"${text}"` : text);
  return terms.filter((_, i) => i !== place).map(({ text, wanted }) => (wanted ? "" : "-") + quoted(text)).join(" ");
}
