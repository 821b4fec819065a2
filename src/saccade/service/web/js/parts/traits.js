// Attributes in a search: a slider each, "less ··· more natural", and what is asked in relation to a picture.
//
// The middle asks nothing. To the right, only pictures beyond that place in the attribute's order stay; to the left,
// only those before it. A picture to compare with is a chip that can be taken off.

import { thumb } from "../api.js";
import { h, icon } from "../dom.js";

const STEPS = 10; // on each side of the slider

export class Traits {
  /** Fills `section`; `ask({more, less})` searches by what is wished. */
  constructor(section, ask) {
    Object.assign(this, { section, ask, names: [], page: null });
    section.hidden = true;
  }

  /** The attributes that order pictures. */
  offer(names) {
    this.names = names;
    if (this.page) this.draw(this.page);
  }

  /** Draw what a page asks. */
  draw(page) {
    this.page = page;
    const asked = [...Object.keys(page?.more ?? {}), ...Object.keys(page?.less ?? {})];
    const names = [...new Set([...this.names, ...asked])];
    this.section.hidden = !page || !names.length;
    if (!this.section.hidden) this.section.replaceChildren(...names.map((name) => this.#trait(name)));
  }

  /** Wishes with one of them changed: more or less of a name than a picture or a place, or nothing. */
  changed(name, way, than) {
    const { more, less } = this.page;
    const without = (asked) => Object.fromEntries(Object.entries(asked).filter(([other]) => other !== name));
    const wishes = { more: without(more), less: without(less) };
    if (than !== null) wishes[way][name] = than;
    return wishes;
  }

  #trait(name) {
    const way = name in this.page.more ? "more" : "less";
    const than = this.page[way][name];
    if (typeof than === "string") return this.#chip(name, way, than);
    const value = than === undefined ? 0 : Math.round(STEPS * (way === "more" ? than : than - 1));
    const slider = h("input", { type: "range", min: 1 - STEPS, max: STEPS - 1, value, "aria-label": `less or more ${name}`, "aria-valuetext": words(name, value), title: words(name, value) });
    slider.addEventListener("change", () => {
      const place = Number(slider.value) / STEPS;
      this.ask(this.changed(name, place > 0 ? "more" : "less", place === 0 ? null : place > 0 ? place : 1 + place));
    });
    return h("label", { class: "trait", "data-trait": name }, h("span", { class: "muted" }, "less"), slider, h("span", {}, h("span", { class: "muted" }, "more "), name));
  }

  #chip(name, way, id) {
    return h("span", { class: "trait chip", "data-trait": name }, `${way} ${name} than `, h("img", { src: thumb(id), alt: "this picture" }),
      h("button", { class: "quiet round", type: "button", "aria-label": `no longer ${way} ${name}`, onclick: () => this.ask(this.changed(name, way, null)) }, icon("wrong")));
  }
}

function words(name, value) {
  if (!value) return `any ${name}`;
  return `the ${100 - Math.round((100 * Math.abs(value)) / STEPS)}% with ${value > 0 ? "most" : "least"} of ${name}`;
}
