// Why a picture is where it is: two sentences that are true, the bars that matter, the nearest picture called right, what
// it shows; what counts in it glows where that is better than chance. Shares of all parts are one press deeper.

import * as api from "../api.js";
import { fileName, h, icon } from "../dom.js";
import { grouped, mattering, onAverage, sentences } from "../state/reasons.js";
import { SAID } from "../verbs.js";
import { drawAround } from "./around.js";
import { lay, makeVeil } from "./veil.js";

const NEAR = 60; // look-alikes among which pictures called right are looked for
const LIKELY = 0.2; // a kind less likely is not said
const SURE = 0.6; // nor what several kinds are, below this: it says little
const FEW = 3; // words and pictures shown

let kinds = null; // scheme → kind; the recipe of a collection does not change under a page

/** Which kind each way of comparing is of. */
async function kindsKnown() {
  kinds ??= new Map((await api.schemes()).items.map(({ scheme, kind }) => [scheme, kind]));
  return kinds;
}

/** Words for what a picture shows, the specific ones first; not knowing them costs only words. */
async function wordsOf(id) {
  if (!id) return [];
  const found = await api.words(id).catch(() => []);
  return found.filter(({ kind, probability }) => probability >= (kind ? LIKELY : SURE)).sort((a, b) => b.kind - a.kind || b.probability - a.probability);
}

/** The panel of reasons, in an element of its own. */
export class Why {
  /**
   * About pictures of `session`. The panel keeps off the element that `beside(id)` frames and gives, none for null;
   * `left(id)` is told when the person closes it, with the picture it was about; `word(text)` searches for what it shows,
   * `reveal(id)` shows a picture that was called right.
   */
  constructor(panel, session, { beside = () => null, left = () => {}, word = () => {}, reveal = () => {} } = {}) {
    Object.assign(this, { panel, session, beside, left, word, reveal, id: null, deeper: false });
  }

  get isOpen() {
    return !this.panel.hidden;
  }

  /** Open it for a picture, or close it when it is open for that one. */
  async toggle(id) {
    if (this.isOpen && this.id === id) this.close();
    else await this.show(id);
  }

  /** The order changed: say what is true now, of a picture that is still there. */
  refresh() {
    if (!this.isOpen) return;
    if (this.session.hit(this.id)) this.show(this.id);
    else this.close();
  }

  /** Open it with the reasons for a shown picture. */
  async show(id) {
    this.id = id;
    const { page, query, marks } = this.session;
    const [known, shows, asked, like] = await Promise.all([kindsKnown(), wordsOf(id), wordsOf(query.id), marks.size ? api.neighbours(id, NEAR).catch(() => []) : []]);
    const { shown } = this.session;
    const place = shown.findIndex((hit) => hit.image_id === id);
    if (place < 0 || this.id !== id || page !== this.session.page) return; // it went while we asked
    const hit = shown[place];
    this.panel.replaceChildren(head(hit, place, () => this.close()));
    this.panel.hidden = false;
    this.#point(this.beside(id));
    if (!hit.why) return void this.panel.append(h("p", { class: "words" }, "You marked it: it stands below all the pictures of this page. Take the mark off to see how it compares."));
    const groups = grouped(hit.why, known);
    const matter = groups.length ? mattering(groups) : [];
    const liked = like.map(({ image_id: other }) => other).filter((other) => other !== id && this.session.markOf(other) === "liked");
    const named = page.terms.filter(({ wanted, how }) => wanted && how === "kinds").flatMap(({ word, kinds: of }) => [word, ...of]);
    const fitting = [...shows.filter(({ word }) => named.includes(word)), ...shows.filter(({ word }) => !named.includes(word))];
    const said = sentences({ groups: matter, mark: SAID[this.session.marks.get(id)], text: page.text, shows: named.length ? fitting.filter(({ word }) => named.includes(word)) : shows, alike: asked, liked });
    const average = onAverage([hit, ...page.hits.filter((other) => other.image_id !== id)], known);
    this.panel.append(h("p", { class: "words" }, said.join(" ")),
      ...(liked.length ? [this.#liked(liked.slice(0, FEW))] : []),
      ...(matter.length > 1 ? [bars(matter, average)] : []),
      ...(shows.length ? [this.#words(fitting.slice(0, FEW))] : []),
      ...(groups.length ? [this.#deeper(groups)] : []));
    this.#map(hit);
    this.#around(hit);
  }

  /** The pictures called right that it is like, the nearest first. */
  #liked(ids) {
    return h("div", { class: "near" }, h("p", { class: "muted" }, `Like ${ids.length === 1 ? "one" : "some"} that you called right:`), ...ids.map((id) => h("button", { type: "button", "data-liked": id, "aria-label": "a picture you called right: show it", onclick: () => this.reveal(id) }, h("img", { src: api.thumb(id), alt: "" }))));
  }

  /** What it shows, as words to press. */
  #words(words) {
    return h("p", { class: "says" }, h("span", { class: "muted" }, "Look for "), ...words.map(({ word }) => h("button", { class: "chip free", type: "button", "data-word": word, title: `Search for ${word}`, onclick: () => this.word(word) }, word)));
  }

  /** What counts in it for this search, where that is better than chance. */
  #map(hit) {
    const figure = h("figure", { class: "counts", hidden: true });
    const veil = makeVeil((there) => { figure.hidden = !there; });
    figure.append(h("div", {}, h("img", { src: api.thumb(hit.image_id), alt: "" }), veil),
      h("figcaption", {}, "Bright: what counts for this search."));
    this.panel.append(figure);
    lay(veil, api.map(hit.image_id, { page: this.session.page.page_id }, this.session.user));
  }

  /** What this person taught about it; not knowing costs only the drawing. */
  async #around(hit) {
    const drawn = await drawAround(hit.image_id, this.session.user).catch(() => null);
    if (!drawn || this.id !== hit.image_id || !this.isOpen || this.panel.querySelector(".around")) return;
    this.panel.querySelector(".deeper")?.before(drawn);
  }

  close() {
    const inside = this.panel.contains(document.activeElement);
    this.panel.hidden = true;
    this.beside(null);
    if (inside) this.left(this.id);
  }

  /** The share that every part has in it, also the small ones. */
  #deeper(groups) {
    const reach = groups.reduce((sum, { total }) => sum + Math.abs(total), 0);
    const share = (total) => (Math.abs(total) < 0.01 * reach ? "under 1%" : `${Math.round((100 * Math.abs(total)) / reach)}%`);
    return h("details", { class: "deeper", open: this.deeper, ontoggle: (event) => { this.deeper = event.target.open; } },
      h("summary", {}, h("span", {}, "in detail")),
      h("dl", {}, ...groups.flatMap(({ kind, label, total }) => [h("dt", {}, label), h("dd", { "data-part": kind }, `${share(total)}${total < 0 ? " against it" : ""}`)])));
  }

  /** Lie on the side where less of the picture is covered. */
  #point(card) {
    if (!card) return;
    const box = card.getBoundingClientRect();
    const covered = (left) => {
      this.panel.classList.toggle("on-left", left);
      const own = this.panel.getBoundingClientRect();
      return Math.min(own.right, box.right) - Math.max(own.left, box.left);
    };
    covered(covered(true) < covered(false));
  }
}

function head(hit, place, close) {
  return h("div", { class: "head" },
    h("header", {}, h("h2", {}, "Why it is here"),
      h("button", { class: "quiet round", type: "button", "aria-label": "Close why", onclick: close }, icon("wrong"))),
    h("div", { class: "about" },
      h("img", { src: api.thumb(hit.image_id), width: hit.width, height: hit.height, alt: "" }),
      h("p", {}, h("strong", {}, `place ${place + 1}`), h("br"), h("span", { class: "muted" }, fileName(hit.path)))));
}

/** One bar a part that matters; a line across it is the page's average. */
function bars(groups, average) {
  const most = Math.max(...groups.flatMap(({ kind, total }) => [Math.abs(total), Math.abs(average.get(kind))]));
  const share = (value) => `${(100 * Math.abs(value)) / most}%`;
  const than = (total, mean) => (Math.abs(total - mean) < 0.05 * most ? "as on this page on average" : total > mean ? "more than on this page on average" : "less than on this page on average");
  return h("dl", { class: "bars" },
    ...groups.flatMap(({ kind, label, total }) => [
      h("dt", {}, label),
      h("dd", { "data-kind": kind, title: than(total, average.get(kind)) },
        h("span", { class: "meter" }, h("i", { class: total < 0 ? "against" : "", vars: { width: share(total) } }), h("b", { vars: { left: share(average.get(kind)) } })),
        h("span", { class: "unseen" }, `${total < 0 ? "against it, " : ""}${than(total, average.get(kind))}`)),
    ]),
    h("dd", { class: "legend muted" }, groups.some(({ total }) => total < 0) ? "line: this page on average; striped: against it" : "line: this page on average"));
}
