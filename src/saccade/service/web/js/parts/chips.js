// Chips narrow: folder, date, name, camera, shape, tag, a scale. What is asked for is a chip with ✕, so nothing narrows
// unseen; what could be asked for is a small button that opens a list with counts.

import { facets, thumb } from "../api.js";
import { count, h, icon } from "../dom.js";
import { tree } from "../state/folders.js";
import { named, month, scaled, stretch, tidied } from "../state/narrowing.js";

const STEPS = 10; // on each side of a scale's slider
const MANY = 12; // in a list: from here on it can be searched

/** What can be asked for, where its choices are among the facets, and how many there must be for it to narrow anything. */
const SORTS = [
  { word: "folder", label: "folder", least: 2, among: ({ folders }) => tree(folders).map(({ folder, name, depth, count: n }) => ({ value: folder, text: name, depth, n })) },
  { word: "date", label: "date", least: 2, among: ({ months }) => months.map(({ month: text, count: n }) => ({ value: text, text: month(text), n })) },
  { word: "name", label: "name" },
  { word: "camera", label: "camera", least: 1, among: ({ cameras }) => cameras.map(({ camera, count: n }) => ({ value: camera, text: camera, n })) },
  { word: "shape", label: "shape", least: 2, among: ({ shapes }) => shapes.map(({ shape, count: n }) => ({ value: shape, text: shape, n })) },
  { word: "tag", label: "tag", least: 1, among: ({ tags }) => tags.map(({ tag, count: n }) => ({ value: tag, text: tag, n })) },
];

export class Chips {
  /** Fills `place`; `ask(where)` narrows from now on, `user()` is whose tags and scales count, `usual()` ranks by default again. */
  constructor(place, { ask, user, usual }) {
    Object.assign(this, { place, ask, user, usual, scales: [], where: {}, fits: null, ranking: null, useful: new Set() });
    this.panel = h("div", { class: "people facet", id: "facet", popover: true });
    this.panel.addEventListener("beforetoggle", (event) => { if (event.newState === "closed") this.opener?.setAttribute("aria-expanded", "false"); });
    document.body.append(this.panel);
  }

  end() {
    this.panel.remove();
  }

  /** The scales that order pictures; and what the collection can be narrowed by at all, which is asked for once until it grows. */
  offer(names) {
    this.scales = names;
    this.draw();
    this.asked ??= facets({}, this.user()).then((found) => {
      this.useful = new Set(found.images > 1 ? SORTS.filter(({ among, least }) => !among || among(found).length >= least).map(({ word }) => word) : []);
      this.draw();
    }).catch(() => { this.asked = null; });
  }

  /** Pictures have come or gone. */
  renew() {
    this.asked = null;
    this.offer(this.scales);
  }

  /** Draw what is asked: `where`, and a ranking that is not the usual one. */
  draw({ where = this.where, ranking = this.ranking } = {}) {
    if (JSON.stringify(where) !== JSON.stringify(this.where)) this.#count(where);
    Object.assign(this, { where, ranking });
    const { after, before, more = {}, less = {} } = where;
    const on = SORTS.flatMap(({ word, label }) => {
      if (word === "date") return after || before ? [this.#chip(word, named({ after, before }), () => this.#without("after", "before"))] : [];
      return where[word] ? [this.#chip(word, word === "name" ? `name “${where[word]}”` : `${label} ${where[word]}`, () => this.#without(word))] : [];
    });
    const scales = [["more", more], ["less", less]].flatMap(([way, asked]) => Object.entries(asked).map(([name, than]) => this.#scale(name, way, than)));
    const free = SORTS.filter(({ word }) => this.useful.has(word) && (word === "date" ? !after && !before : !where[word])).map(({ word, label }) => this.#opener(word, label, () => this.#choices(word)));
    const sliders = this.scales.filter((name) => !(name in more) && !(name in less)).map((name) => this.#opener(`scale ${name}`, name, async () => this.#slider(name)));
    this.place.replaceChildren(...(ranking ? [this.#chip("ranking", ranking.text, this.usual, ranking.title)] : []), ...on, ...scales, ...free, ...sliders);
  }

  /** How many fit, for a scale to say so; an address takes one of each, so several are not counted. */
  async #count(where) {
    const asked = [where.more, where.less].map((scales) => Object.keys(scales ?? {}).length);
    this.fits = null;
    if (!Math.max(...asked) || Math.max(...asked) > 1) return;
    const found = await facets(where, this.user()).catch(() => null);
    if (!found || where !== this.where) return;
    this.fits = found.images;
    this.draw();
  }

  // --- chips ----------------------------------------------------------------------------------

  #without(...words) {
    this.ask(tidied({ ...this.where, ...Object.fromEntries(words.map((word) => [word, null])) }));
  }

  #chip(name, content, off, title = null) {
    return h("span", { class: "chip", "data-chip": name, title }, h("span", { class: "text" }, ...[content].flat()),
      h("button", { class: "remove", type: "button", "aria-label": `without ${name}`, title: "Take it off", onclick: off }, icon("wrong")));
  }

  /** "more open: 312 fit ✕", or more of it than a picture has. */
  #scale(name, way, than) {
    const fit = this.fits === null ? "" : `: ${this.fits.toLocaleString("en")} fit`;
    const words = typeof than === "string" ? [`${way} ${name} than `, h("img", { src: thumb(than), alt: "this picture" }), fit] : `${way} ${name}${fit}`;
    const chip = this.#chip(`scale ${name}`, words, () => this.ask(scaled(this.where, name, way, null)));
    if (typeof than !== "string") {
      const text = chip.querySelector(".text");
      text.replaceWith(h("button", { class: "text", type: "button", "aria-haspopup": "dialog", onclick: (event) => this.#open(event.currentTarget, async () => this.#slider(name)) }, words));
    }
    return chip;
  }

  #opener(name, label, fill) {
    return h("button", { class: "chip free", type: "button", "data-facet": name, "aria-haspopup": "dialog", "aria-expanded": "false", onclick: (event) => this.#open(event.currentTarget, fill) },
      label, icon("down"));
  }

  // --- what opens -----------------------------------------------------------------------------

  async #open(button, fill) {
    const content = await fill().catch((problem) => [h("p", { class: "muted" }, problem.sentence ?? String(problem))]);
    this.opener = button;
    this.panel.replaceChildren(...[content].flat());
    this.panel.setAttribute("aria-label", button.textContent);
    this.panel.showPopover();
    button.setAttribute("aria-expanded", "true");
    const { left, bottom } = button.getBoundingClientRect();
    Object.assign(this.panel.style, { inset: "auto", top: `${bottom + 4}px`, left: `${Math.max(8, Math.min(left, innerWidth - this.panel.offsetWidth - 8))}px` });
    this.panel.querySelector("input, button")?.focus();
  }

  #take(change) {
    this.panel.hidePopover();
    this.ask(tidied({ ...this.where, ...change }));
  }

  async #choices(word) {
    if (word === "name") return this.#name();
    const rows = SORTS.find((sort) => sort.word === word).among(await facets(this.where, this.user()));
    if (!rows.length) return h("p", { class: "muted" }, NOTHING[word]);
    return word === "date" ? this.#dates(rows) : this.#list(word, rows);
  }

  /** A list with counts, and a field to look in it where it is long. */
  #list(word, rows) {
    const list = h("ul", {}, ...rows.map(({ value, text, n, depth = 0 }) => h("li", {}, h("button", { type: "button", "data-value": value, title: value, vars: { "--depth": String(depth) }, onclick: () => this.#take({ [word]: value }) }, h("span", {}, text), h("span", { class: "muted" }, n.toLocaleString("en"))))));
    if (rows.length < MANY) return list;
    const field = h("input", { type: "search", "aria-label": `look for a ${word}`, placeholder: `look for a ${word}`, autocomplete: "off", oninput: () => {
      const typed = field.value.trim().toLowerCase();
      [...list.children].forEach((row, i) => { row.hidden = !rows[i].value.toLowerCase().includes(typed); });
    } });
    return [field, list];
  }

  /** Years with their months, the newest first. */
  #dates(rows) {
    const years = new Map();
    for (const row of rows) {
      const year = row.value.slice(0, 4);
      years.set(year, [...(years.get(year) ?? []), row]);
    }
    const button = (text, value, n) => h("button", { type: "button", "data-value": value, onclick: () => this.#take(stretch(value)) }, h("span", {}, text), h("span", { class: "muted" }, n.toLocaleString("en")));
    return h("ul", { class: "dates" }, ...[...years].sort(([a], [b]) => b.localeCompare(a)).map(([year, months]) => h("li", {},
      button(year, year, months.reduce((sum, { n }) => sum + n, 0)),
      h("div", { class: "months" }, ...months.map(({ value, n }) => h("button", { type: "button", "data-value": value, title: count(n, "picture"), onclick: () => this.#take(stretch(value)) }, month(value).split(" ")[0].slice(0, 3)))))));
  }

  #name() {
    const field = h("input", { id: "facet-name", maxlength: "100", autocomplete: "off", spellcheck: "false", placeholder: "part of a name", "aria-label": "part of a file's name" });
    return h("form", { onsubmit: (event) => { event.preventDefault(); if (field.value.trim()) this.#take({ name: field.value.trim() }); } },
      h("div", { class: "row" }, field, h("button", { class: "primary", type: "submit" }, "Narrow")));
  }

  /** The middle asks nothing; to the right only what has more stays, to the left only what has less. */
  #slider(name) {
    const { more = {}, less = {} } = this.where;
    const value = name in more ? STEPS * more[name] : name in less ? STEPS * (less[name] - 1) : 0;
    const said = h("p", { class: "muted" }, inWords(name, value));
    const slider = h("input", { type: "range", min: 1 - STEPS, max: STEPS - 1, value: Math.round(value), "data-scale": name, "aria-label": `less or more ${name}`, "aria-valuetext": inWords(name, value) });
    slider.addEventListener("input", () => { said.textContent = inWords(name, Number(slider.value)); slider.setAttribute("aria-valuetext", said.textContent); });
    slider.addEventListener("change", () => {
      const at = Number(slider.value) / STEPS;
      this.ask(scaled(this.where, name, at > 0 ? "more" : "less", at === 0 ? null : at > 0 ? at : 1 + at));
    });
    return [h("label", { class: "scale" }, h("span", { class: "muted" }, "less"), slider, h("span", {}, `more ${name}`)), said];
  }
}

const NOTHING = {
  folder: "All pictures lie in one folder.",
  date: "No picture has a date.",
  camera: "No picture tells its camera.",
  shape: "There is no picture here.",
  tag: "You have no tags yet: select pictures with X and tag them.",
};

function inWords(name, value) {
  if (!value) return `any ${name}`;
  return `the ${100 - Math.round((100 * Math.abs(value)) / STEPS)} of 100 with ${value > 0 ? "most" : "least"} of it`;
}
