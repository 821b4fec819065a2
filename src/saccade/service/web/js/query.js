// The query strip: a set of examples with signs, how far the session has come, and whether it pays.

import { thumb } from "./api.js";
import { byId, count, h } from "./dom.js";

const FEW = 12; // examples shown per sign, newest first; the rest is a number

/** Draw the strip for a session; `reveal(id)` is called when an example is chosen. */
export function drawQuery(session, reveal) {
  const strip = byId("strip");
  strip.hidden = session.page === null;
  if (strip.hidden) return;
  const marked = (sign) => [...session.marks].filter(([, mark]) => mark === sign).map(([id]) => id);
  byId("signed").replaceChildren(
    own(session.query),
    ...examples(marked("liked"), "liked", "+", session, reveal),
    ...examples(marked("disliked"), "disliked", "−", session, reveal));
  byId("tally").textContent = `round ${session.page.round + 1} · ${session.judged} judged ·`;
}

function own(query) {
  const image = h("img", { src: query.id ? thumb(query.id) : query.url, alt: "the picture you search with" });
  return h("span", { class: "example query" }, image);
}

function examples(ids, sign, symbol, session, reveal) {
  if (!ids.length) return [];
  const name = sign === "liked" ? "right" : "wrong";
  const latest = ids.sort((a, b) => age(session, b) - age(session, a)).slice(0, FEW);
  const shown = latest.map((id) =>
    h("button", { class: `example ${sign}`, type: "button", "data-example": id, "aria-label": `marked ${name}: show it in the grid`, onclick: () => reveal(id) },
      h("img", { src: thumb(id), alt: "" })));
  const rest = ids.length - shown.length;
  return [
    h("span", { class: "sign", role: "img", "aria-label": name }, symbol),
    ...shown,
    rest > 0 ? h("span", { class: "muted" }, `and ${count(rest, "more").replace(/s$/, "")}`) : null,
  ].filter(Boolean);
}

const age = (session, id) => [...session.kept.keys()].indexOf(id);
