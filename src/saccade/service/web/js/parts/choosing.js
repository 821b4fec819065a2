// Choosing several pictures: X and Ctrl with a click choose one, Shift with a click all up to it, a drag all that it
// touches; a bar says how many and what to do with them.

import { count, h, icon } from "../dom.js";

const SLACK = 12; // pixels of a drag that is meant

/** The bar at the bottom, while something is chosen. */
export class ChoiceBar {
  /** In `place`, for `selection`. `mark(sign)`, `tag(name)`, `save()`, `list()`, `copy()` and `zip()` carry it out. */
  constructor(place, selection, { mark, tag, save, list, copy, zip }) {
    const button = (id, label, act, drawn = null) => h("button", { class: "quiet", id: `chosen-${id}`, type: "button", onclick: act }, drawn && icon(drawn), label);
    this.number = h("strong", { "aria-live": "polite" });
    this.field = h("input", { id: "chosen-tag-name", maxlength: "100", autocomplete: "off", placeholder: "tag", "aria-label": "Tag for the chosen pictures" });
    const form = h("form", { onsubmit: (event) => { event.preventDefault(); if (this.field.value.trim()) tag(this.field.value.trim()); } }, this.field, h("button", { class: "quiet", id: "chosen-tag", type: "submit" }, "Tag"));
    place.replaceChildren(this.number,
      button("right", "All right", () => mark("liked"), "right"), button("wrong", "All wrong", () => mark("disliked"), "wrong"), form,
      button("save", "Save", save), button("list", "Export list", list), button("copy", "Copy paths", copy, "copy"), button("zip", "Download", zip, "save"),
      h("button", { class: "quiet round", id: "chosen-none", type: "button", "aria-label": "Choose none", title: "Choose none (Esc)", onclick: () => selection.clear() }, icon("wrong")));
    selection.addEventListener("change", () => {
      place.hidden = !selection.size;
      this.number.textContent = `${count(selection.size, "picture")} chosen`;
    });
    Object.assign(this, { place });
  }

  /** What only a search can do is offered only there. */
  judging(on) {
    for (const id of ["right", "wrong", "save"]) this.place.querySelector(`#chosen-${id}`).hidden = !on;
  }
}

/** Watch `list` for a drag of the mouse over its cards until `signal`; `within(box)` gives the pictures of a box of the window. */
export function watchDrags(list, selection, within, signal) {
  const band = h("div", { class: "band", hidden: true });
  list.after(band);
  let from = null;

  list.parentElement.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button || event.target.closest("input, a, .verbs, .chip")) return;
    from = { x: event.clientX, y: event.clientY + scrollY, before: event.shiftKey ? [...selection.ids] : [], on: false };
  });
  addEventListener("pointermove", (event) => {
    if (!from) return;
    const y = from.y - scrollY;
    if (!from.on && Math.hypot(event.clientX - from.x, event.clientY - y) < SLACK) return;
    from.on = true;
    const box = { left: Math.min(from.x, event.clientX), right: Math.max(from.x, event.clientX), top: Math.min(y, event.clientY), bottom: Math.max(y, event.clientY) };
    band.hidden = false;
    Object.assign(band.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.right - box.left}px`, height: `${box.bottom - box.top}px` });
    selection.set(within(box), from.before);
  }, { signal });
  addEventListener("pointerup", () => {
    if (!from) return;
    const dragged = from.on;
    from = null;
    band.hidden = true;
    if (!dragged) return;
    // The click that ends a drag opens nothing.
    const swallow = (event) => { event.preventDefault(); event.stopPropagation(); };
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }), 0);
  }, { signal });
}
