// Pointing at a part of a picture: a press on a thing or a drawn rectangle searches for it alone. Meanwhile what counts
// for the search the picture is in glows, where that is better than chance.

import * as api from "../api.js";
import { h } from "../dom.js";
import { lay, makeVeil } from "./veil.js";

const SMALL = 12; // pixels: less is a press
const HOW = "Press a thing or draw a rectangle to search for it alone.";

export class Pointing {
  /** Lies over `image` within `light`; `page()` is the search's, `who()` the person, `pick(part)` gets {box} or {spot}. */
  constructor(light, image, { page, who, pick }) {
    Object.assign(this, { light, image, page, who, pick, on: false, hit: null, from: null });
    this.veil = makeVeil((there) => this.#say(there));
    this.drawn = h("span", { class: "drawn", hidden: true });
    this.words = h("p", { class: "words", "aria-live": "polite" });
    this.layer = h("div", { class: "pointing", id: `${image.id}-parts`, hidden: true }, this.veil, this.drawn, this.words);
    light.append(this.layer);
    this.layer.addEventListener("pointerdown", (event) => this.#down(event));
    this.layer.addEventListener("pointermove", (event) => this.#move(event));
    this.layer.addEventListener("pointerup", (event) => this.#up(event));
    this.layer.addEventListener("pointercancel", () => this.#end());
    const watch = new ResizeObserver(() => this.#lay()); // rows below come late and move the picture without resizing it
    watch.observe(image);
    watch.observe(light);
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

  #load() {
    this.#lay();
    this.#say(false);
    const page = this.page();
    lay(this.veil, page && api.map(this.hit.image_id, { page }, this.who()));
  }

  #say(bright) {
    this.words.textContent = bright ? `Bright: what counts for this search. ${HOW}` : HOW;
  }

  #at(event) {
    const box = this.layer.getBoundingClientRect();
    const inside = (value) => Math.min(0.9999, Math.max(0, value));
    return [inside((event.clientY - box.top) / box.height), inside((event.clientX - box.left) / box.width)];
  }

  #down(event) {
    event.preventDefault();
    this.layer.setPointerCapture(event.pointerId);
    this.from = { at: this.#at(event), x: event.clientX, y: event.clientY };
  }

  #move(event) {
    if (!this.from) return;
    const [[a, b], [c, d]] = [this.from.at, this.#at(event)];
    this.box = [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
    this.drawn.hidden = !this.#meant(event);
    const [top, left, bottom, right] = this.box.map((edge) => 100 * edge);
    this.drawn.style.inset = `${top}% ${100 - right}% ${100 - bottom}% ${left}%`;
  }

  #meant(event) {
    return Math.abs(event.clientX - this.from.x) >= SMALL && Math.abs(event.clientY - this.from.y) >= SMALL;
  }

  #up(event) {
    if (!this.from) return;
    const part = this.#meant(event) ? { box: this.box } : { spot: this.#at(event) };
    this.#end();
    const [[name, edges]] = Object.entries(part);
    this.pick({ [name]: edges.map((edge) => Number(edge.toFixed(4))) });
  }

  #end() {
    this.from = null;
    this.drawn.hidden = true;
  }
}
