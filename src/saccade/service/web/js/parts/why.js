// Why a picture is where it is: its score as a stacked bar of schemes, grouped as people group them.

import * as api from "../api.js";
import { fileName, h, icon } from "../dom.js";

const KINDS = ["colour", "texture", "shape", "words", "embedding"];

let kinds = null; // scheme → kind; the recipe of a collection does not change under a page

/** Which kind each scheme is of. */
async function kindOf() {
  kinds ??= new Map((await api.schemes()).items.map(({ scheme, kind }) => [scheme, kind]));
  return kinds;
}

/** The schemes of a hit grouped by kind, strongest first, with sums. */
export function grouped(why, kindOfScheme) {
  const groups = new Map();
  for (const [scheme, value] of Object.entries(why)) {
    const kind = kindOfScheme.get(scheme) ?? "other";
    if (!groups.has(kind)) groups.set(kind, { kind, total: 0, schemes: [] });
    const group = groups.get(kind);
    group.total += value;
    group.schemes.push({ scheme, value });
  }
  for (const group of groups.values()) group.schemes.sort((a, b) => b.value - a.value);
  const rank = ({ kind }) => (KINDS.includes(kind) ? KINDS.indexOf(kind) : KINDS.length);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b));
}

/**
 * Values as whole thousandths that add up to the whole thousandths of their sum, as people will check:
 * all are rounded down, and the largest remainders are rounded up again.
 */
export function thousandths(values, sum) {
  const parts = values.map((value) => Math.floor(1000 * value));
  const missing = sum - parts.reduce((a, b) => a + b, 0);
  const remainder = (place) => 1000 * values[place] - parts[place];
  const order = values.map((_, place) => place).sort((a, b) => remainder(b) - remainder(a));
  for (const place of order.slice(0, Math.max(0, missing))) parts[place] += 1;
  return parts;
}

/** The panel of reasons, in an element of its own. */
export class Why {
  /** `left(id)` is told when the person closes it, with the picture it was about. */
  constructor(panel, left = () => {}) {
    Object.assign(this, { panel, left, id: null });
  }

  get isOpen() {
    return !this.panel.hidden;
  }

  /** Fill it with the reasons for `hit`, the picture at `place`, and open it. */
  async draw(hit, place) {
    this.id = hit.image_id;
    this.panel.replaceChildren(...reasons(hit, place, await kindOf(), () => this.close()));
    this.panel.hidden = false;
  }

  close() {
    const inside = this.panel.contains(document.activeElement);
    this.panel.hidden = true;
    if (inside) this.left(this.id);
  }
}

function reasons(hit, place, kindOfScheme, close) {
  const groups = grouped(hit.why, kindOfScheme);
  const sums = thousandths(groups.map(({ total }) => total), Math.round(1000 * hit.score));
  groups.forEach((group, place) => { group.sum = sums[place]; });
  const all = groups.flatMap(({ kind, schemes }) => schemes.map((part) => ({ ...part, kind })));
  const reach = all.reduce((sum, { value }) => sum + Math.abs(value), 0) || 1;
  const most = Math.max(...all.map(({ value }) => Math.abs(value)), Number.MIN_VALUE);
  const top = groups.reduce((a, b) => (Math.abs(b.total) > Math.abs(a.total) ? b : a));
  return [
    h("header", {}, h("h2", {}, "Why it is here"),
      h("button", { class: "quiet round", type: "button", "aria-label": "Close why", onclick: close }, icon("wrong"))),
    h("div", { class: "about" },
      h("img", { src: api.thumb(hit.image_id), width: hit.width, height: hit.height, alt: "" }),
      h("p", {}, h("span", { class: "score", "data-score": hit.score }, number(1000 * hit.score)), h("br"),
        h("span", { class: "muted" }, `place ${place + 1} · ${fileName(hit.path)}`))),
    h("div", { class: "stack", role: "img", "aria-label": spoken(groups) },
      ...all.map(({ scheme, value, kind }) =>
        h("span", { "data-kind": known(kind), class: value < 0 ? "against" : "", title: `${scheme} ${number(1000 * value)}`, vars: { width: `${(100 * Math.abs(value)) / reach}%` } }))),
    h("div", { class: "kinds" }, ...groups.map((group) => drawKind(group, most, group === top))),
    h("p", { class: "sum" }, `The parts add up to the score, ${number(1000 * hit.score)}.`,
      all.some(({ value }) => value < 0) ? " Striped parts speak against it." : ""),
  ];
}

function drawKind({ kind, sum, schemes }, most, strongest) {
  const parts = thousandths(schemes.map(({ value }) => value), sum);
  return h("details", { class: "kind", "data-kind": known(kind), open: strongest },
    h("summary", {}, h("span", {}, kind), h("span", { class: "number" }, number(sum))),
    ...schemes.map(({ scheme, value }, place) =>
      h("div", { class: "scheme" },
        h("span", { title: scheme }, scheme),
        h("span", { class: "meter" }, h("i", { class: value < 0 ? "against" : "", vars: { width: `${(100 * Math.abs(value)) / most}%` } })),
        h("span", { class: "number", "data-value": value }, number(parts[place])))));
}

const known = (kind) => (KINDS.includes(kind) ? kind : "other");
const number = (parts) => (Math.round(parts) / 1000 || 0).toFixed(3).replace("-", "−"); // of thousandths
const spoken = (groups) => groups.map(({ kind, sum }) => `${kind} ${number(sum)}`).join(", ");
