// Shares over time as stacked areas, and a line below them: pure drawings, numbers in, SVG out.

import { svg } from "../dom.js";

const WIDE = 640;

/** Grey for the usual ranking, a hue for each vocabulary, a shade for each way: neighbours in the stack can be told apart. */
export function colour(place, ways) {
  if (place === 0) return "hsl(210 8% 55%)";
  const hue = [174, 28, 262, 332][Math.floor((place - 1) / ways) % 4];
  return `hsl(${hue} 52% ${34 + (42 * ((place - 1) % ways)) / Math.max(1, ways - 1)}%)`;
}

const across = (rounds) => {
  const last = Math.max(1, rounds.at(-1));
  return (moment) => (WIDE * rounds[moment]) / last;
};

/** Stacked areas: `weights` [moments][names] sum to 1 at each of `rounds`. */
export function stacked({ rounds, weights }, names, ways, label) {
  const high = 240;
  const x = across(rounds);
  // One moment alone is a level that has always been.
  const moments = rounds.length > 1 ? rounds.map((_, i) => i) : [0, 0];
  const place = (i, step) => (rounds.length > 1 ? x(i) : step * WIDE).toFixed(1);
  const sums = weights.map(() => 0);
  const drawing = svg("svg", { class: "areas", viewBox: `0 0 ${WIDE} ${high}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
  names.forEach((name, n) => {
    const low = moments.map((i) => sums[i]);
    weights.forEach((row, i) => { sums[i] += row[n]; });
    const edge = (level, i, step) => `${place(i, step)},${(high * (1 - level)).toFixed(1)}`;
    const top = moments.map((i, step) => edge(sums[i], i, step));
    const bottom = moments.map((i, step) => edge(low[step], i, step)).reverse();
    const area = svg("polygon", { points: [...top, ...bottom].join(" "), fill: colour(n, ways), "data-name": name });
    area.append(svg("title", {}, `${name}: ${(100 * weights.at(-1)[n]).toFixed(1)}% now`));
    drawing.append(area);
  });
  return drawing;
}

/** A line from zero: what finding out has cost. */
export function line({ rounds, regret }, label) {
  const high = 96;
  const x = across(rounds);
  const most = Math.max(...regret, 0.01);
  const least = Math.min(...regret, 0);
  const y = (value) => (4 + (high - 8) * (1 - (value - least) / (most - least))).toFixed(1);
  const points = regret.map((value, i) => `${x(i).toFixed(1)},${y(value)}`);
  return svg("svg", { class: "regret", viewBox: `0 0 ${WIDE} ${high}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    svg("line", { class: "zero", x1: 0, x2: WIDE, y1: y(0), y2: y(0) }),
    svg("polyline", { points: points.join(" "), "vector-effect": "non-scaling-stroke" }));
}
