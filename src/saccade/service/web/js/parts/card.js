// One picture on the page: the image, its mark, where it came from.

import { thumb } from "../api.js";
import { fileName, h, icon } from "../dom.js";
import { ratioOf } from "../state/rows.js";
import { ABOUT_A_PICTURE, SAID, SIGN, hint } from "../verbs.js";

/** A card for a hit or a record; without `judging` it only starts a search. */
export function makeCard(item, { judging }) {
  const image = h("img", {
    src: thumb(item.image_id), width: item.width, height: item.height,
    loading: "lazy", decoding: "async", draggable: "false", alt: "",
  });
  return h("li", { class: judging ? "card judging" : "card", "data-id": item.image_id },
    h("button", { class: "picture", type: "button", tabindex: "-1" }, image));
}

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

/** Bring a card up to date: its place among `total`, its mark, whether it is chosen, how it moved, what lies under it. */
export function updateCard(card, item, { place, total, mark = null, sending = false, selected = false, move = null, stack = null }) {
  card.classList.toggle("liked", mark === "liked");
  card.classList.toggle("disliked", mark === "disliked");
  card.classList.toggle("sending", sending);
  card.classList.toggle("selected", selected);
  card.setAttribute("aria-posinset", place + 1);
  card.setAttribute("aria-setsize", total);
  const said = `${mark ? `, marked ${SAID[mark]}` : ""}${selected ? ", selected" : ""}`;
  const path = item.path ?? item.paths[0];
  card.querySelector(".picture").setAttribute("aria-label", `${fileName(path)}, place ${place + 1}${said}`);
  frame(card, item);
  badge(card, "mark", mark ? icon(SAID[mark]) : null, mark);
  pile(card, stack);
  badge(card, "moved", move && !mark ? text(move) : null, move?.way);
}

/** "×4" on the first of near-duplicates; a press spreads them out. */
function pile(card, stack) {
  card.classList.toggle("stack", stack !== null && !stack.open);
  const there = card.querySelector(":scope > .pile");
  if (!stack) return void there?.remove();
  const button = there ?? card.appendChild(h("button", { class: "pile", type: "button", "data-verb": "stack", tabindex: card.querySelector(".picture").getAttribute("tabindex"), title: hint("stack") }));
  button.textContent = `×${stack.size}`;
  button.setAttribute("aria-expanded", String(stack.open));
  button.setAttribute("aria-label", `${stack.size} nearly the same: ${stack.open ? "put them together" : "show them"}`);
  return undefined;
}

/** A sign in a corner of the card, or none. */
function badge(card, name, content, kind) {
  const there = card.querySelector(`:scope > .${name}`);
  if (content === null) return void there?.remove();
  const sign = there ?? card.appendChild(h("span", { "aria-hidden": "true" }));
  if (sign.dataset.kind !== kind || typeof content === "string") sign.replaceChildren(content);
  sign.className = `${name} ${kind}`;
  sign.dataset.kind = kind;
  return undefined;
}

/** A frame where the part that is looked for was found; none where the picture has margins in its card. */
function frame(card, item) {
  card.querySelector(".match")?.remove();
  if (!item.match || ratioOf(item) !== item.width / item.height) return;
  const [top, left, bottom, right] = item.match.map((edge) => 100 * edge);
  card.querySelector(".picture").append(h("span", { class: "match", "aria-hidden": "true",
    vars: { "--top": `${top}%`, "--right": `${100 - right}%`, "--bottom": `${100 - bottom}%`, "--left": `${left}%` } }));
}

const text = ({ way, by }) => ({ up: `▲ ${by}`, down: `▼ ${by}`, new: "new" })[way];
