// Why a picture is where it is: in words, then five bars against the page's average, then every scheme.

import * as api from "../api.js";
import { fileName, h, icon } from "../dom.js";
import { grouped, inWords, onAverage, thousandths } from "../state/reasons.js";
import { taughtFor } from "./pointing.js";

let kinds = null; // scheme → kind; the recipe of a collection does not change under a page

/** Which kind each scheme is of. */
async function kindOf() {
  kinds ??= new Map((await api.schemes()).items.map(({ scheme, kind }) => [scheme, kind]));
  return kinds;
}

/** The panel of reasons, in an element of its own. */
export class Why {
  /**
   * About pictures of `session`. The panel keeps off the element `beside(id)`; `left(id)` is told when the person
   * closes it, with the picture it was about.
   */
  constructor(panel, session, { beside = () => null, left = () => {} } = {}) {
    Object.assign(this, { panel, session, beside, left, id: null, card: null, deeper: false });
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
    const known = await kindOf();
    const { shown, page } = this.session;
    const place = shown.findIndex((hit) => hit.image_id === id);
    if (place < 0 || this.id !== id) return; // it went while we asked
    const hit = shown[place];
    if (!hit.why) return this.#beyond(hit, place);
    const groups = grouped(hit.why, known);
    const sums = thousandths(groups.map(({ total }) => total), Math.round(1000 * hit.score));
    groups.forEach((group, i) => { group.sum = sums[i]; });
    const average = onAverage([hit, ...page.hits.filter((other) => other.image_id !== id)], known);
    this.panel.replaceChildren(head(hit, place, () => this.close()), h("p", { class: "words" }, inWords(groups, average)), bars(groups, average), this.#schemes(hit, groups));
    this.panel.hidden = false;
    this.#point(this.beside(id));
    this.#map(hit);
  }

  /** It is on screen because it was marked, not because the page holds it. */
  #beyond(hit, place) {
    this.panel.replaceChildren(head(hit, place, () => this.close()), h("p", { class: "words" }, "You marked it: it stands below all the pictures of this page. Take the mark off to see how it compares."));
    this.panel.hidden = false;
    this.#point(this.beside(hit.image_id));
  }

  /** What counts in it for its folder's concept, where that was taught; not knowing costs only the map. */
  async #map(hit) {
    const { user } = this.session;
    const taught = await taughtFor(hit, user).catch(() => null);
    if (!taught || this.id !== hit.image_id || !this.isOpen || this.panel.querySelector(".counts")) return;
    const veil = api.relevance(hit.image_id, taught.name, user, taught.preferences + taught.graded);
    this.panel.append(h("figure", { class: "counts" },
      h("div", {}, h("img", { src: api.thumb(hit.image_id), alt: "" }), h("img", { class: "veil", src: veil, alt: "" })),
      h("figcaption", {}, `Bright: what counts for ${taught.title}, as you taught it.`)));
  }

  close() {
    const inside = this.panel.contains(document.activeElement);
    this.panel.hidden = true;
    this.#point(null);
    if (inside) this.left(this.id);
  }

  #schemes(hit, groups) {
    const negative = groups.some(({ schemes }) => schemes.some(({ value }) => value < 0));
    const most = Math.max(...groups.flatMap(({ schemes }) => schemes.map(({ value }) => Math.abs(value))), Number.MIN_VALUE);
    return h("details", { class: "deeper", open: this.deeper, ontoggle: (event) => { this.deeper = event.target.open; } },
      h("summary", {}, h("span", {}, "every scheme")),
      ...groups.map((group) => drawKind(group, most)),
      h("p", { class: "sum" }, `The parts add up to the score, ${number(1000 * hit.score)}.`, negative ? " Striped parts speak against it." : ""));
  }

  /** Outline the picture it is about, and lie on the side where less of it is covered. */
  #point(card) {
    this.card?.classList.remove("explained");
    this.card = card;
    if (!card) return;
    card.classList.add("explained");
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
      h("p", {}, hit.score !== null && h("span", { class: "score", "data-score": hit.score }, number(1000 * hit.score)), hit.score !== null && h("br"),
        h("span", { class: "muted" }, `place ${place + 1} · ${fileName(hit.path)}`))));
}

/** One bar a kind; a line across it is the page's average. */
function bars(groups, average) {
  const most = Math.max(...groups.flatMap(({ kind, total }) => [Math.abs(total), Math.abs(average.get(kind).mean)]), Number.MIN_VALUE);
  const share = (value) => `${(100 * Math.abs(value)) / most}%`;
  return h("dl", { class: "bars" },
    ...groups.flatMap(({ kind, label, total, sum }) => {
      const { mean } = average.get(kind);
      return [
        h("dt", {}, label),
        h("dd", { "data-kind": kind, title: `${number(sum)}; on average ${number(1000 * mean)}` },
          h("span", { class: "meter" }, h("i", { class: total < 0 ? "against" : "", vars: { width: share(total) } }), h("b", { vars: { left: share(mean) } })),
          h("span", { class: "number" }, number(sum)),
          h("span", { class: "unseen" }, `, on average ${number(1000 * mean)}`)),
      ];
    }),
    h("dd", { class: "legend muted" }, "line: this page on average"));
}

function drawKind({ kind, label, sum, schemes }, most) {
  const parts = thousandths(schemes.map(({ value }) => value), sum);
  return h("section", { class: "kind", "data-kind": kind },
    h("h3", {}, h("span", {}, label), h("span", { class: "number" }, number(sum))),
    ...schemes.map(({ scheme, value }, place) =>
      h("div", { class: "scheme" },
        h("span", { title: scheme }, scheme),
        h("span", { class: "meter" }, h("i", { class: value < 0 ? "against" : "", vars: { width: `${(100 * Math.abs(value)) / most}%` } })),
        h("span", { class: "number", "data-value": value }, number(parts[place])))));
}

const number = (parts) => (Math.round(parts) / 1000 || 0).toFixed(3).replace("-", "−"); // of thousandths
