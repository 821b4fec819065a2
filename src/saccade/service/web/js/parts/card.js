// One picture: the image, its mark, where it came from, and what can be said about it.

import { thumb } from "../api.js";
import { fileName, h, icon } from "../dom.js";
import { ABOUT_A_PICTURE, SAID, SIGN, hint } from "../verbs.js";

/** A card for a hit or a record; without `judging` it only starts a search. */
export function makeCard(item, { judging }) {
  const image = h("img", {
    src: thumb(item.image_id), width: item.width, height: item.height,
    loading: "lazy", decoding: "async", draggable: "false", alt: "",
  });
  const card = h("li", { class: "card", "data-id": item.image_id, vars: { "--ratio": ratio(item) } },
    judging && h("span", { class: "swipe", "aria-hidden": "true" }),
    h("button", { class: "picture", type: "button", tabindex: "-1" }, image),
    judging && h("span", { class: "mark", "aria-hidden": "true" }),
    judging && makeVerbs());
  return card;
}

/** The shape of the card is the picture's; one too wide or too tall for a row gets margins instead. */
const ratio = ({ width, height }) => String(Math.min(8, Math.max(0.4, width / height)).toFixed(4));

/** A button for each thing to say; with labels where there is room. */
export function makeVerbs({ labels = false } = {}) {
  const buttons = ABOUT_A_PICTURE.map(({ name, label }) =>
    h("button", { type: "button", "data-verb": name, "aria-label": label, title: hint(name), tabindex: labels ? null : "-1" },
      icon(name), labels ? label : null));
  return h("div", { class: "verbs", role: "group", "aria-label": "What about this picture" }, ...buttons);
}

/** Show the current mark on a set of verbs. */
export function showPressed(verbs, mark) {
  for (const [verb, sign] of Object.entries(SIGN)) {
    verbs.querySelector(`[data-verb=${verb}]`)?.setAttribute("aria-pressed", String(mark === sign));
  }
}

/** Bring a card up to date: its mark, its name for listeners, how it moved. */
export function updateCard(card, item, { place, mark, sending, move }) {
  card.classList.toggle("liked", mark === "liked");
  card.classList.toggle("disliked", mark === "disliked");
  card.classList.toggle("sending", sending);
  const said = mark ? `, marked ${SAID[mark]}` : "";
  const path = item.path ?? item.paths[0];
  card.querySelector(".picture").setAttribute("aria-label", `${fileName(path)}, place ${place + 1}${said}`);
  const badge = card.querySelector(".mark");
  if (!badge) return;
  badge.replaceChildren(...(mark ? [icon(SAID[mark])] : []));
  showPressed(card.querySelector(".verbs"), mark);
  if (move === undefined) return;
  card.querySelector(".moved")?.remove();
  if (move && !mark) card.append(h("span", { class: `moved ${move.way}`, "aria-hidden": "true" }, text(move)));
}

const text = ({ way, by }) => ({ up: `▲ ${by}`, down: `▼ ${by}`, new: "new" })[way];
