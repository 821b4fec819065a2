// The order of an attribute as a strip from least to most, with what was said marked in it.

import { thumb } from "../api.js";
import { fileName, h, icon } from "../dom.js";

export class Order {
  /** Fills `section`; `label(id, grade)` says what a picture has, `search(id, way)` looks for more or less than it has. */
  constructor(section, { label, search }) {
    Object.assign(this, { section, label, search, picked: null, hits: [], name: "" });
    this.list = h("ul", { class: "row", tabindex: "0", "aria-label": "Pictures from least to most" });
    this.about = h("div", { class: "about", hidden: true });
    section.replaceChildren(h("p", { class: "ends muted" }, this.least = h("span"), this.most = h("span")), this.list, this.about);
    section.hidden = true;
  }

  /** Draw the order; nothing where there is none yet. */
  show(hits, name) {
    this.hits = hits;
    this.name = name;
    this.section.hidden = !hits.length;
    this.least.textContent = `least ${name}`;
    this.most.textContent = `most ${name}`;
    this.list.replaceChildren(...hits.map((hit) => this.#card(hit)));
    this.pick(hits.some(({ image_id: id }) => id === this.picked) ? this.picked : null);
  }

  /** Show what can be said about one picture of the strip; null closes it. */
  pick(id) {
    if (id === null && this.picked === null) return false;
    this.picked = id;
    for (const card of this.list.children) card.classList.toggle("picked", card.dataset.id === id);
    const hit = this.hits.find((one) => one.image_id === id);
    this.about.hidden = !hit;
    if (hit) this.about.replaceChildren(...this.#choices(hit));
    return undefined;
  }

  #card(hit) {
    const { image_id: id, width, height, path, said, place } = hit;
    const sign = badge(hit);
    const words = { 1: ", has it", "-1": ", has it not" }[said] ?? (said === null ? "" : `, grade ${said}`);
    return h("li", { class: `stop${sign ? " said" : ""}`, "data-id": id },
      h("button", { type: "button", title: `${fileName(path)}: more than ${Math.round(100 * place)}%`, "aria-label": `${fileName(path)}, more than ${Math.round(100 * place)}%${words}${hit.compared ? ", compared" : ""}`, onclick: () => this.pick(this.picked === id ? null : id) },
        h("img", { src: thumb(id), width, height, loading: "lazy", alt: "" })),
      sign && h("span", { class: "badge", "aria-hidden": "true" }, sign));
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
