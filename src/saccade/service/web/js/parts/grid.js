// The grid: cards in justified rows, moved in place (FLIP: first, last, invert, play), walked by keys.

import { makeCard, updateCard } from "./card.js";
import { calm, h } from "../dom.js";

const GLIDE = 240; // milliseconds

export class Grid {
  constructor(list) {
    this.list = list;
    this.cards = new Map();
    this.current = null;
    list.addEventListener("focusin", (event) => {
      const card = event.target.closest(".card");
      if (card) this.#point(card.dataset.id);
    });
  }

  /**
   * Show `items` in this order. `stateOf(item, place)` gives {mark, sending, move}.
   * With `glide` cards move from where they were; `anchor` names one that should stay in sight.
   */
  show(items, { judging = true, stateOf = () => ({}), glide = false, anchor = null } = {}) {
    const first = glide ? this.#rectangles() : new Map();
    const focused = this.list.contains(document.activeElement) ? document.activeElement : null;
    const here = [...this.list.children].indexOf(focused?.closest(".card"));
    this.#fill(items, judging);
    items.forEach((item, place) => updateCard(this.cards.get(item.image_id), item, { place, ...stateOf(item, place) }));
    this.list.classList.remove("waiting");
    if (!this.cards.has(this.current)) this.#point(items[0]?.image_id ?? null);
    else this.#point(this.current);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    else if (here >= 0 && items.length) this.focus(items[Math.min(here, items.length - 1)].image_id); // it was folded away: on to what took its place
    if (glide) this.#hold(anchor);
    if (glide && !calm()) this.#play(first);
  }

  /** Only the marks changed: leave everything where it is. */
  refresh(item, state) {
    const card = this.cards.get(item.image_id);
    if (card) updateCard(card, item, state);
  }

  /** Grey boxes while the first answer is on its way; the stylesheet gives them shapes. */
  wait() {
    this.cards.clear();
    this.current = null;
    this.list.replaceChildren(...Array.from({ length: 24 }, () => h("li", { class: "card", "aria-hidden": "true" }, h("span", { class: "picture" }))));
    this.list.classList.add("waiting");
  }

  clear() {
    this.cards.clear();
    this.current = null;
    this.list.classList.remove("waiting");
    this.list.replaceChildren();
  }

  /** The pictures a person sees, `top` pixels being covered by the frame. */
  visible(top = 0) {
    const inside = (box) => box.top < innerHeight && box.bottom > top;
    return [...this.cards].filter(([, card]) => inside(card.getBoundingClientRect())).map(([id]) => id);
  }

  focus(id = this.current) {
    const card = this.cards.get(id);
    if (!card) return;
    card.querySelector(".picture").focus({ preventScroll: true });
    card.scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
  }

  /** Move the focus one card; up and down go to the nearest card of the next row. */
  step(way) {
    const cards = [...this.cards.values()].sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    const here = this.cards.get(this.current);
    if (!here) return;
    if (!this.list.contains(document.activeElement)) return void this.focus();
    const place = cards.indexOf(here);
    const next = way === "left" ? cards[place - 1] : way === "right" ? cards[place + 1] : vertical(cards, here, way);
    if (next) this.focus(next.dataset.id);
  }

  #fill(items, judging) {
    const wanted = new Set(items.map((item) => item.image_id));
    for (const [id, card] of this.cards) {
      if (wanted.has(id) && card.classList.contains("judging") === judging) continue;
      card.remove();
      this.cards.delete(id);
    }
    if (!this.cards.size) this.list.replaceChildren();
    items.forEach((item, place) => {
      let card = this.cards.get(item.image_id);
      if (!card) {
        card = makeCard(item, { judging });
        card.classList.toggle("judging", judging);
        this.cards.set(item.image_id, card);
      }
      const there = this.list.children[place];
      if (there !== card) this.list.insertBefore(card, there ?? null);
    });
  }

  /** One card at a time is reached by Tab, with its buttons; arrows move on from there. */
  #point(id) {
    for (const name of [this.current, id]) {
      const on = name === id;
      this.cards.get(name)?.querySelectorAll("button").forEach((button) => button.setAttribute("tabindex", on ? "0" : "-1"));
    }
    this.current = id;
  }

  #rectangles() {
    return new Map([...this.cards].map(([id, card]) => [id, card.getBoundingClientRect()]));
  }

  /** Rows may break elsewhere now: keep the picture that was just judged in sight. */
  #hold(anchor) {
    this.cards.get(anchor)?.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  #play(first) {
    const easing = "cubic-bezier(.2, .7, .2, 1)";
    const near = (box) => box.bottom > -innerHeight && box.top < 2 * innerHeight;
    for (const [id, card] of this.cards) {
      const was = first.get(id);
      const is = card.getBoundingClientRect();
      if (!near(is) && !(was && near(was))) continue;
      if (!was) {
        card.animate({ opacity: [0, 1] }, { duration: GLIDE, easing });
      } else if (Math.abs(was.left - is.left) + Math.abs(was.top - is.top) > 1) {
        const from = `translate(${was.left - is.left}px, ${was.top - is.top}px) scale(${was.width / is.width})`;
        card.animate({ transform: [from, "none"], transformOrigin: ["0 0", "0 0"] }, { duration: GLIDE, easing });
      }
    }
  }
}

function vertical(cards, here, way) {
  const from = here.getBoundingClientRect();
  const middle = from.left + from.width / 2;
  const boxes = cards.map((card) => ({ card, box: card.getBoundingClientRect() }))
    .filter(({ box }) => (way === "up" ? box.top < from.top - 4 : box.top > from.top + 4));
  if (!boxes.length) return null;
  const tops = boxes.map(({ box }) => box.top);
  const row = way === "up" ? Math.max(...tops) : Math.min(...tops);
  const reach = ({ box }) => Math.abs(box.left + box.width / 2 - middle);
  return boxes.filter(({ box }) => Math.abs(box.top - row) < 4).sort((a, b) => reach(a) - reach(b))[0].card;
}
