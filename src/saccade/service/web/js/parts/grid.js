// The grid: justified rows of which only those near the window are on the page, moved in place (FLIP: first, last,
// invert, play), walked by keys. Places come from arithmetic (state/rows.js): nothing is measured but the list's own.

import { makeCard, updateCard } from "./card.js";
import { calm, h } from "../dom.js";
import { between, boxOf, rows, step } from "../state/rows.js";

const GLIDE = 240; // milliseconds
const TOLD = 4000; // milliseconds that a badge of a move is worth showing
const BEYOND = 0.75; // windows of rows kept above and below what is seen
const EASING = "cubic-bezier(.2, .7, .2, 1)";
const NONE = rows([], { width: 1, row: 1, gap: 0, most: 1 });

export class Grid {
  /**
   * In the element `list`. `verbs` is a VerbBar for cards that can be judged; `dress(card, item, place)` adds what
   * a board has of its own to a card on the page.
   */
  constructor(list, { verbs = null, dress = null } = {}) {
    Object.assign(this, { list, verbs, dress, items: [], places: new Map(), rows: NONE, cards: new Map(), current: null, outlined: null });
    Object.assign(this, { judging: false, stateOf: () => ({}), toldUntil: 0, drawing: 0, width: 0 });
    list.addEventListener("focusin", (event) => {
      const card = event.target.closest(".card");
      if (card) this.#point(card.dataset.id);
    });
    this.ends = new AbortController();
    const scrolled = () => { this.drawing ||= requestAnimationFrame(() => { this.drawing = 0; this.#draw(); }); };
    // Captured: whichever element around the list scrolls, the page or a dialog.
    document.addEventListener("scroll", scrolled, { capture: true, passive: true, signal: this.ends.signal });
    addEventListener("resize", scrolled, { signal: this.ends.signal });
    this.watch = new ResizeObserver(() => { if (this.items.length && list.clientWidth !== this.width) this.#resize(); });
    this.watch.observe(list);
  }

  /** It is not shown any more. */
  end() {
    this.ends.abort();
    this.watch.disconnect();
  }

  /**
   * Show `items` in this order. `stateOf(item, place)` gives {mark, sending, move, selected}.
   * With `glide` cards move from where they were; `anchor` names one that should stay in sight. Moves are `news`, shown
   * for a while, unless only more of the same order came.
   */
  show(items, { judging = true, stateOf = () => ({}), glide = false, anchor = null, news = true } = {}) {
    const before = { rows: this.rows, places: this.places, cards: new Set(this.cards.keys()) };
    const focused = this.list.contains(document.activeElement) ? document.activeElement : null;
    const here = this.places.get(focused?.closest(".card")?.dataset.id) ?? -1;
    if (this.list.classList.contains("waiting") || judging !== this.judging) this.clear();
    Object.assign(this, { items, judging, stateOf });
    if (news) this.toldUntil = performance.now() + TOLD;
    this.places = new Map(items.map((item, place) => [item.image_id, place]));
    if (!this.places.has(this.current)) this.current = items[0]?.image_id ?? null;
    this.#lay();
    if (news) for (const card of this.cards.values()) card.querySelector(".moved")?.remove(); // a new one fades from its start
    this.#draw(true);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    else if (here >= 0 && items.length) this.focus(items[Math.min(here, items.length - 1)].image_id); // it was folded away: on to what took its place
    if (glide && this.cards.has(anchor)) this.cards.get(anchor).scrollIntoView({ block: "nearest", behavior: "instant" });
    if (glide && !calm()) this.#play(before);
  }

  /** Only what is said of one picture changed: leave everything where it is. */
  refresh(id) {
    const place = this.places.get(id);
    if (place !== undefined && this.cards.has(id)) this.#update(id, place);
  }

  /** What is said of many changed. */
  refreshAll() {
    for (const id of this.cards.keys()) this.refresh(id);
  }

  /** Grey boxes while the first answer is on its way; the stylesheet gives them shapes. */
  wait() {
    this.clear();
    this.list.style.height = "";
    this.list.replaceChildren(...Array.from({ length: 24 }, () => h("li", { class: "card", "aria-hidden": "true" }, h("span", { class: "picture" }))));
    this.list.classList.add("waiting");
  }

  clear() {
    Object.assign(this, { items: [], places: new Map(), rows: NONE, current: null, outlined: null });
    this.cards.clear();
    this.verbs?.leave();
    this.list.classList.remove("waiting");
    this.list.style.height = "0px";
    this.list.replaceChildren();
  }

  /**
   * The pictures a person sees, `top` pixels being covered by the frame; with `items`, those they would see in that order
   * from the same place.
   */
  visible(top = 0, items = null) {
    const found = items ? rows(items, this.#frame()) : this.rows;
    const start = this.list.getBoundingClientRect().top;
    const [first, end] = between(found, top - start, innerHeight - start);
    return (items ?? this.items).slice(first, end).map((item) => item.image_id);
  }

  /** How many pictures to have so that two windows more can be scrolled from here: an end nearer than one asks for more at once. */
  near() {
    const start = this.list.getBoundingClientRect().top;
    return between(this.rows, -start, 3 * innerHeight - start)[1];
  }

  /** The pictures that a box of the window touches. */
  within({ left, right, top, bottom }) {
    const { left: x, top: y } = this.list.getBoundingClientRect();
    const [first, end] = between(this.rows, top - y, bottom - y);
    const touched = [];
    for (let place = first; place < end; place += 1) {
      const box = boxOf(this.rows, place);
      if (box.left + x < right && box.left + box.width + x > left) touched.push(this.items[place].image_id);
    }
    return touched;
  }

  /** The pictures from one to another, in either direction. */
  between(one, other) {
    const [a, b] = [this.places.get(one), this.places.get(other)];
    return this.items.slice(Math.min(a, b), Math.max(a, b) + 1).map((item) => item.image_id);
  }

  /** Where a person is: the first picture below `top` pixels, and how far above them its row begins. */
  at(top = 0) {
    const start = this.list.getBoundingClientRect().top;
    const [first] = between(this.rows, top - start, innerHeight - start);
    if (first >= this.items.length) return null;
    return { place: first, by: Math.round(boxOf(this.rows, first).top + start) };
  }

  /** Go back there. */
  goTo({ place, by }) {
    if (place >= this.items.length) return;
    const start = this.list.getBoundingClientRect().top;
    scrollBy({ top: boxOf(this.rows, place).top + start - by, behavior: "instant" });
    this.#draw();
  }

  /** Frame the picture that something is said about; null frames none. Its card, where it is on the page. */
  outline(id) {
    this.outlined = id;
    for (const [name, card] of this.cards) card.classList.toggle("explained", name === id);
    return this.cards.get(id) ?? null;
  }

  /** Give a picture the focus and bring it into sight, unless the page should stay `still`. */
  focus(id = this.current, { still = false } = {}) {
    if (!this.places.has(id)) return;
    this.#point(id);
    if (!this.cards.has(id)) this.#draw();
    const card = this.cards.get(id);
    card.querySelector(".picture").focus({ preventScroll: true });
    if (still) return;
    const far = Math.abs(card.getBoundingClientRect().top) > 2 * innerHeight;
    card.scrollIntoView({ block: "nearest", behavior: calm() || far ? "instant" : "smooth" });
  }

  /** Move the focus one card; up and down go to the nearest card of the next row. */
  step(way) {
    const place = this.places.get(this.current);
    if (place === undefined) return;
    if (!this.list.contains(document.activeElement)) return void this.focus();
    this.focus(this.items[step(this.rows, place, way)].image_id);
  }

  // --- rows -----------------------------------------------------------------------------------

  #frame() {
    const style = getComputedStyle(this.list);
    const size = (name) => parseFloat(style.getPropertyValue(name));
    return { width: this.list.clientWidth, row: size("--row"), gap: size("--gap"), most: size("--most") };
  }

  #lay() {
    const frame = this.#frame();
    this.width = frame.width;
    this.rows = frame.width ? rows(this.items, frame) : NONE;
    this.list.style.height = `${this.rows.height}px`;
  }

  /** Another width: other rows, and the same picture on top. */
  #resize() {
    const kept = scrollY > 0 ? this.at() : null;
    this.#lay();
    this.#draw(true);
    if (kept) this.goTo(kept);
  }

  /** Have on the page what is near the window, and nothing else but the card that has the focus. */
  #draw(changed = false) {
    if (!this.rows.n) return void this.list.replaceChildren();
    const start = this.list.getBoundingClientRect().top;
    const [first, end] = between(this.rows, -start - BEYOND * innerHeight, innerHeight - start + BEYOND * innerHeight);
    const wanted = [];
    for (let place = first; place < end; place += 1) wanted.push(place);
    const current = this.places.get(this.current);
    if (current < first) wanted.unshift(current);
    else if (current >= end) wanted.push(current);
    const names = new Set(wanted.map((place) => this.items[place].image_id));
    for (const [id, card] of this.cards) {
      if (names.has(id)) continue;
      card.remove();
      this.cards.delete(id);
    }
    let next = this.list.firstElementChild;
    for (const place of wanted) {
      const id = this.items[place].image_id;
      const fresh = !this.cards.has(id);
      if (fresh) this.cards.set(id, makeCard(this.items[place], { judging: this.judging }));
      const card = this.cards.get(id);
      if (card === next) next = next.nextElementSibling;
      else this.list.insertBefore(card, next);
      if (fresh || changed) this.#update(id, place);
    }
    return undefined;
  }

  #update(id, place) {
    const [card, item] = [this.cards.get(id), this.items[place]];
    const { left, top, width, height } = boxOf(this.rows, place);
    Object.assign(card.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    const { move, ...state } = this.stateOf(item, place);
    updateCard(card, item, { place, total: this.items.length, move: performance.now() < this.toldUntil ? move : null, ...state });
    card.classList.toggle("explained", id === this.outlined);
    card.querySelector(".picture").setAttribute("tabindex", id === this.current ? "0" : "-1");
    if (this.verbs?.card === card) this.verbs.press(state.mark);
    this.dress?.(card, item, place);
  }

  /** One card at a time is reached by Tab, with its buttons; arrows move on from there. */
  #point(id) {
    const reach = (name, on) => this.cards.get(name)?.querySelectorAll("button").forEach((button) => button.setAttribute("tabindex", on ? "0" : "-1"));
    if (id !== this.current) reach(this.current, false);
    this.current = id;
    reach(id, true);
  }

  /** Cards glide from where the order before had them; one from far away comes from the edge of the window. */
  #play(before) {
    const far = 1.25 * innerHeight;
    for (const [id, card] of this.cards) {
      const was = before.places.get(id);
      const to = boxOf(this.rows, this.places.get(id));
      if (was === undefined) {
        card.animate({ opacity: [0, 1] }, { duration: GLIDE, easing: EASING });
        continue;
      }
      const from = boxOf(before.rows, was);
      const [x, y] = [from.left - to.left, Math.max(-far, Math.min(far, from.top - to.top))];
      if (Math.abs(x) + Math.abs(y) <= 1) continue;
      const start = `translate(${x}px, ${y}px) scale(${from.width / to.width})`;
      card.animate({ transform: [start, "none"], transformOrigin: ["0 0", "0 0"] }, { duration: GLIDE, easing: EASING });
    }
  }
}
