// The whole collection in the order of a scale: one long strip from least to most, of which only what is near the window
// is on the page, and above it a rule with a pin for each picture that was spoken of.

import { thumb } from "../api.js";
import { fileName, h, icon } from "../dom.js";

const STEP = 128; // pixels from one picture to the next
const PART = 60; // pictures that are fetched at a time
const BEYOND = 3; // pictures kept on either side of what is seen

export class Order {
  /**
   * Fills `section`; `part(offset, k)` promises pictures of the order, `label(id, grade)` says what one has, `search(id, way)`
   * looks for more or less than it has, `failed(problem)` says what went wrong.
   */
  constructor(section, { part, label, search, failed }) {
    Object.assign(this, { section, part, label, search, failed, picked: null, name: "", total: 0, turn: 0, drawing: 0, hits: new Map(), asked: new Set() });
    this.rule = h("div", { class: "rule", onclick: (event) => this.#jump(event) });
    this.seen = h("i", { class: "seen" });
    this.list = h("ul", { class: "row", "aria-label": "Pictures from least to most" });
    this.window = h("div", { class: "strip-window", tabindex: "0", role: "group", "aria-label": "The whole collection, from least to most: arrows move along it" }, this.list);
    this.about = h("div", { class: "about", hidden: true });
    section.replaceChildren(h("p", { class: "ends muted" }, this.least = h("span"), this.most = h("span")), this.rule, this.window, this.about);
    section.hidden = true;
    this.window.addEventListener("scroll", () => { this.drawing ||= requestAnimationFrame(() => { this.drawing = 0; this.#draw(); }); }, { passive: true });
    this.watch = new ResizeObserver(() => this.#draw());
    this.watch.observe(this.window);
  }

  end() {
    this.turn += 1;
    this.watch.disconnect();
  }

  /** Draw the order of `total` pictures anew; none of none. `spoken` are those that something was said of. */
  show(total, spoken, name) {
    const fresh = name !== this.name;
    Object.assign(this, { total, name, hits: new Map(), asked: new Set(), turn: this.turn + 1 });
    this.section.hidden = !total;
    this.least.textContent = `least ${name}`;
    this.most.textContent = `most ${name}`;
    this.list.style.width = `${total * STEP}px`;
    this.rule.replaceChildren(this.seen, ...spoken.map((hit) => this.#pin(hit)));
    if (fresh) this.pick(null);
    if (fresh && total) this.window.scrollLeft = (total * STEP - this.window.clientWidth) / 2; // both ways are open
    this.#draw();
  }

  /** Whether the keyboard is in the strip. */
  get isActive() {
    return this.window === document.activeElement;
  }

  /** Move along by an arrow. */
  step(way) {
    const by = { left: -1, right: 1 }[way];
    if (!by) return false;
    this.window.scrollBy({ left: by * STEP, behavior: "instant" });
    return undefined;
  }

  /** Show what can be said about one picture of the strip; null closes it. */
  pick(hit) {
    if (hit === null && this.picked === null) return false;
    this.picked = hit?.image_id ?? null;
    for (const card of this.list.children) card.classList.toggle("picked", card.dataset.id === this.picked);
    this.about.hidden = !hit;
    if (hit) this.about.replaceChildren(...this.#choices(hit));
    return undefined;
  }

  /** Have on the page what is near the window, and ask for what is not known yet. */
  #draw() {
    const { scrollLeft: left, clientWidth: wide } = this.window;
    if (!this.total || !wide) return void this.list.replaceChildren();
    const first = Math.max(0, Math.floor(left / STEP) - BEYOND);
    const end = Math.min(this.total, Math.ceil((left + wide) / STEP) + BEYOND);
    Object.assign(this.seen.style, { left: `${(100 * left) / (this.total * STEP)}%`, width: `${Math.min(100, (100 * wide) / (this.total * STEP))}%` });
    const places = Array.from({ length: end - first }, (_, i) => first + i);
    this.list.replaceChildren(...places.map((place) => this.#card(place, this.hits.get(place))));
    for (let from = first - (first % PART); from < end; from += PART) this.#ask(from);
    return undefined;
  }

  async #ask(from) {
    if (this.asked.has(from)) return;
    this.asked.add(from);
    const { turn } = this;
    try {
      const found = await this.part(from, PART);
      if (turn !== this.turn) return;
      found.forEach((hit, i) => this.hits.set(from + i, hit));
      const again = found.find((hit) => hit.image_id === this.picked);
      if (again) this.pick(again);
      this.#draw();
    } catch (problem) {
      if (turn !== this.turn) return;
      this.asked.delete(from);
      this.failed(problem);
    }
  }

  /** A press on the rule goes there. */
  #jump(event) {
    const { left, width } = this.rule.getBoundingClientRect();
    this.#goTo((event.clientX - left) / width);
  }

  #goTo(share) {
    this.window.scrollTo({ left: share * this.total * STEP - this.window.clientWidth / 2, behavior: "instant" });
    this.#draw();
  }

  #pin(hit) {
    const { path, place } = hit;
    const button = h("button", { class: "pin", type: "button", title: fileName(path), "aria-label": `${fileName(path)}, ${words(hit)}: go there`, onclick: (event) => { event.stopPropagation(); this.#goTo(place); this.pick(hit); } });
    button.style.left = `${100 * place}%`;
    return button;
  }

  #card(place, hit) {
    const card = h("li", { class: "stop", "data-place": place });
    card.style.left = `${place * STEP}px`;
    if (!hit) return card;
    const { image_id: id, width, height, path } = hit;
    const sign = badge(hit);
    const share = Math.round(100 * hit.place);
    card.dataset.id = id;
    card.classList.toggle("said", sign !== null);
    card.classList.toggle("picked", id === this.picked);
    card.append(h("button", { type: "button", tabindex: "-1", title: `${fileName(path)}: more than ${share}%`, "aria-label": `${fileName(path)}, more than ${share}%${sign ? `, ${words(hit)}` : ""}`, onclick: () => this.pick(this.picked === id ? null : hit) },
      h("img", { src: thumb(id), width, height, alt: "", draggable: "false" })));
    if (sign) card.append(h("span", { class: "badge", "aria-hidden": "true" }, sign));
    return card;
  }

  #choices({ image_id: id, said, path }) {
    const button = (text, act, on) => h("button", { class: "plain", type: "button", "aria-pressed": on === undefined ? null : String(on), onclick: act }, text);
    return [
      h("img", { src: thumb(id), alt: fileName(path), title: fileName(path) }),
      button(`is ${this.name}`, () => this.label(id, 1), said === 1),
      button(`is not ${this.name}`, () => this.label(id, -1), said === -1),
      button(`like this, but more ${this.name}`, () => this.search(id, "more")),
      button(`like this, but less ${this.name}`, () => this.search(id, "less")),
    ];
  }
}

/** What was said of a picture, as a sign. */
function badge({ said, compared }) {
  if (said === 1) return icon("right");
  if (said === -1) return icon("wrong");
  if (said !== null) return String(said);
  return compared ? "≶" : null;
}

/** The same in words. */
function words({ said }) {
  return { 1: "has it", "-1": "has it not" }[said] ?? (said === null ? "compared" : `grade ${said}`);
}
