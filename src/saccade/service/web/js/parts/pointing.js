// Pointing at a part of a picture: its regions light up under the pointer, a click or a drawn rectangle picks one.
//
// Where the person has taught the concept that the picture's folder names, what does not count for it is dimmed.

import * as api from "../api.js";
import { fileName, h } from "../dom.js";

const SMALL = 12; // pixels: less is a click

export class Pointing {
  /** Lies over `image` within `light`; `who()` is the person, `pick(part)` gets {box} or {region}, `failed(problem)`. */
  constructor(light, image, { who, pick, failed }) {
    Object.assign(this, { light, image, who, pick, failed, on: false, hit: null, map: null, from: null, turn: 0 });
    this.veil = h("img", { class: "veil", alt: "", hidden: true, draggable: "false" });
    this.glow = h("canvas", { class: "glow" });
    this.drawn = h("span", { class: "drawn", hidden: true });
    this.words = h("p", { class: "words", "aria-live": "polite" });
    this.layer = h("div", { class: "pointing", id: `${image.id}-parts`, hidden: true }, this.veil, this.glow, this.drawn, this.words);
    light.append(this.layer);
    this.layer.addEventListener("pointerdown", (event) => this.#down(event));
    this.layer.addEventListener("pointermove", (event) => this.#move(event));
    this.layer.addEventListener("pointerup", (event) => this.#up(event));
    this.layer.addEventListener("pointercancel", () => this.#end());
    new ResizeObserver(() => this.#lay()).observe(image);
  }

  toggle() {
    this.on = !this.on;
    this.layer.hidden = !this.on;
    if (this.on) this.#load();
  }

  off() {
    if (this.on) this.toggle();
  }

  /** Another picture is looked at. */
  show(hit) {
    this.hit = hit;
    this.map = null;
    if (this.on) this.#load();
  }

  /** Over the picture itself: the image element has margins where the shapes differ. */
  #lay() {
    if (!this.hit) return;
    const { clientWidth: wide, clientHeight: high, offsetLeft: left, offsetTop: top } = this.image;
    const scale = Math.min(wide / this.hit.width, high / this.hit.height);
    const [width, height] = [this.hit.width * scale, this.hit.height * scale];
    Object.assign(this.layer.style, { width: `${width}px`, height: `${height}px`, left: `${left + (wide - width) / 2}px`, top: `${top + (high - height) / 2}px` });
  }

  async #load() {
    const turn = ++this.turn;
    const { hit } = this;
    this.#lay();
    this.#glow(null);
    this.veil.hidden = true;
    this.words.textContent = "Looking for its parts …";
    try {
      const taught = await taughtFor(hit, this.who());
      const map = await api.regions(hit.image_id, taught?.name, this.who());
      if (turn !== this.turn) return;
      this.map = map;
      this.veil.hidden = !taught;
      if (taught) this.veil.src = api.relevance(hit.image_id, taught.name, this.who(), taught.preferences + taught.graded, 960);
      this.words.textContent = `${taught ? `Bright: what counts for ${taught.title}. ` : ""}Click a part or draw a rectangle to search for it alone.`;
    } catch (problem) {
      if (turn === this.turn) this.failed(problem);
    }
  }

  #at(event) {
    const box = this.layer.getBoundingClientRect();
    const inside = (value) => Math.min(0.9999, Math.max(0, value));
    return [inside((event.clientY - box.top) / box.height), inside((event.clientX - box.left) / box.width)];
  }

  /** The number of the region at a place. */
  #region([top, left]) {
    if (!this.map) return null;
    const { side, regions } = this.map;
    const cell = Math.floor(top * side) * side + Math.floor(left * side);
    return regions.findIndex(({ mask }) => holds(mask, cell));
  }

  #down(event) {
    event.preventDefault();
    this.layer.setPointerCapture(event.pointerId);
    this.from = { at: this.#at(event), x: event.clientX, y: event.clientY };
  }

  #move(event) {
    const at = this.#at(event);
    if (!this.from) return void this.#glow(this.#region(at));
    const [[a, b], [c, d]] = [this.from.at, at];
    this.box = [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
    this.#glow(null);
    this.drawn.hidden = !this.#meant(event);
    const [top, left, bottom, right] = this.box.map((edge) => 100 * edge);
    this.drawn.style.inset = `${top}% ${100 - right}% ${100 - bottom}% ${left}%`;
  }

  #meant(event) {
    return Math.abs(event.clientX - this.from.x) >= SMALL && Math.abs(event.clientY - this.from.y) >= SMALL;
  }

  #up(event) {
    if (!this.from) return;
    const drawn = this.#meant(event);
    const region = this.#region(this.#at(event));
    const { box } = this;
    this.#end();
    if (drawn) this.pick({ box: box.map((edge) => Number(edge.toFixed(4))) });
    else if (region != null && region >= 0) this.pick({ region });
  }

  #end() {
    this.from = null;
    this.drawn.hidden = true;
  }

  /** Light one region up, or none. */
  #glow(number) {
    if (this.lit === number && number != null) return;
    this.lit = number;
    const side = this.map?.side ?? 1;
    this.glow.width = this.glow.height = side;
    if (number == null || number < 0) return;
    const context = this.glow.getContext("2d");
    const cells = context.createImageData(side, side);
    let [at, inside] = [0, false];
    for (const run of this.map.regions[number].mask) {
      if (inside) for (let cell = at; cell < at + run; cell += 1) cells.data.set([98, 205, 201, 120], 4 * cell);
      at += run;
      inside = !inside;
    }
    context.putImageData(cells, 0, 0);
  }
}

/** The concept named by the folder of a picture, where the person has taught it. */
export async function taughtFor(hit, user) {
  const { items } = await api.concepts(user);
  const folder = `folder:${fileName(hit.path.replace(/[\\/][^\\/]*$/, ""))}`;
  return items.find(({ name, preferences, graded }) => name === folder && preferences + graded);
}

/** Whether a mask of runs (so many outside, so many inside, …) holds a cell. */
export function holds(mask, cell) {
  let [at, inside] = [0, false];
  for (const run of mask) {
    at += run;
    if (cell < at) return inside;
    inside = !inside;
  }
  return false;
}
