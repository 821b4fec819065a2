// A small map: a picture, those linked to it, and what was marked of them. Taught links are in colour.

import * as api from "../api.js";
import { count, fileName, h, svg } from "../dom.js";

const [WIDTH, HEIGHT, SIDE] = [312, 232, 44];

/** The middle, then places on an oval around it, the first at the top. */
function at(place, many) {
  if (!place) return { x: WIDTH / 2, y: HEIGHT / 2 };
  const turn = (2 * Math.PI * (place - 1)) / many - Math.PI / 2;
  return { x: (WIDTH / 2) + ((WIDTH - SIDE) / 2) * Math.cos(turn), y: (HEIGHT / 2) + ((HEIGHT - SIDE) / 2) * Math.sin(turn) };
}

/** What marks make of a link: nothing said, belongs together, does not. */
const said = ({ evidence }) => (evidence > 0 ? "taught" : evidence < 0 ? "cut" : "looks");

/** The map as a drawing; what is said comes last, so that it lies on top. */
export function drawMap({ middle, around, links }) {
  const many = around.length;
  const order = { looks: 0, cut: 1, taught: 2 };
  const lines = [...links].sort((a, b) => order[said(a)] - order[said(b)]).map((link) => {
    const [from, to] = [at(link.first, many), at(link.second, many)];
    const wide = 1 + 3 * (said(link) === "cut" ? link.similarity : link.linked);
    return svg("line", { class: said(link), x1: from.x, y1: from.y, x2: to.x, y2: to.y, "stroke-width": wide.toFixed(1) });
  });
  const small = (picture, place) => {
    const { x, y } = at(place, many);
    return svg("image", { href: api.thumb(picture.image_id), x: x - SIDE / 2, y: y - SIDE / 2, width: SIDE, height: SIDE, preserveAspectRatio: "xMidYMid slice" },
      svg("title", {}, named(picture, place)));
  };
  const taught = links.filter((link) => said(link) === "taught").length;
  const cut = links.filter((link) => said(link) === "cut").length;
  return svg("svg", { class: "map", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Map of ${count(many, "picture")} around this one: ${count(taught, "link")} taught, ${count(cut, "link")} cut.` },
    ...lines, ...[middle, ...around].map(small));
}

function named({ path, evidence, sessions, days, people }, place) {
  const marks = [sessions && `${searches(sessions)} of yours on ${count(days, "day")}`, people && `${people} other people`].filter(Boolean);
  if (!place || !marks.length) return fileName(path);
  return `${fileName(path)}: ${evidence > 0 ? "together" : evidence < 0 ? "apart" : "both ways"} by ${marks.join(" and ")}`;
}

/** How often a picture was right together with others, in a sentence; empty where it never was. */
export function inDays({ sessions, days, images }) {
  if (!sessions || !images.length) return "";
  if (days > 1) return `You marked it together with these on ${days} days.`;
  return `You marked it together with these in ${searches(sessions)}.`;
}

const MOST = 6;

/** 1 → "one search", 2 → "2 searches". */
export const searches = (n) => (n === 1 ? "one search" : `${n} searches`);

/** What a person taught about a picture, as an element; null where that is nothing. */
export async function drawAround(id, user) {
  const [map, together] = await Promise.all([api.around(id, user), api.together(id, user)]);
  const sentence = inDays(together);
  if (!sentence && !map.links.some(({ evidence }) => evidence)) return null;
  const row = sentence && h("div", { class: "row" }, ...together.images.slice(0, MOST).map((other) => h("img", { src: api.thumb(other), alt: "", loading: "lazy" })));
  return h("figure", { class: "around" },
    sentence && h("p", { class: "together" }, sentence), row, drawMap(map),
    h("figcaption", {}, "The map around it. ", h("b", { class: "taught" }, "Coloured"), " links were taught by marks, ", h("b", { class: "cut" }, "dotted"), " ones cut."));
}
