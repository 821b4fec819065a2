// Does learning pay? Measured on what the person said in so many words, never decorative.
//
// A picture marked right and one marked wrong are a comparison. Before anything was learned from it, it was ordered by
// the ranking served and by the ranking without learning; the line gives both shares that were right. That learning
// pays is said only where the engine finds the margin beyond doubt.

import { count, h, svg } from "../dom.js";

/** What the guard's numbers say: {text, detail, shares}; `shares` is null while there is nothing to go by. */
export function verdict({ events, guard }) {
  const unknown = (text, detail) => ({ text, detail, shares: null });
  if (!events && !guard.events) return unknown("mark right and wrong: the order follows", "Nothing was marked so far.");
  if (!guard.events) return unknown("mark both right and wrong to measure whether learning pays", "No picture was marked right in a search where another was marked wrong.");
  const learned = Math.round(100 * (1 - guard.served));
  const plain = Math.round(100 * (1 - guard.plain));
  const points = (share) => (100 * share).toFixed(1);
  const detail = `Over ${count(guard.events, "event")}, ${learned}% of right and wrong were in the right order before they were learned from; without any learning ${plain}% would have been: ${points(guard.margin)} ± ${points(guard.deviation)} points.${guard.trusted ? "" : " What is learned has lost too much and is not served for now."}`;
  return { text: sentence(guard, learned, plain), detail, shares: { learned, plain } };
}

function sentence({ pays, margin, deviation, trusted }, learned, plain) {
  if (!trusted) return "learning did not pay: the plain order is served";
  if (pays) return `learning pays: ${learned}% in the right order, ${plain}% without it`;
  if (margin < -2 * deviation) return `learning does not pay so far: ${learned}% in the right order, ${plain}% without it`;
  return `too early to tell whether learning pays: ${learned}% in the right order, ${plain}% without it`;
}

/** The line that says so, in an element of its own. */
export class Learning {
  constructor(line) {
    this.line = line;
  }

  /** Draw it for a profile; null clears it. */
  draw(profile) {
    if (!profile) return this.line.replaceChildren();
    const { text, detail, shares } = verdict(profile);
    if (!shares) return this.line.replaceChildren(h("span", { class: "muted", title: detail }, text));
    return this.line.replaceChildren(chart(shares, detail), h("strong", { title: detail }, text));
  }
}

/** Two bars on one scale: with learning above, without it below. */
function chart({ learned, plain }, detail) {
  const width = 64;
  const bar = (name, y, share) => svg("rect", { class: name, x: 0, y, width: Math.max(1, (width * share) / 100), height: 6, rx: 1.5 });
  return svg("svg", { class: "chart", width, height: 16, viewBox: `0 0 ${width} 16`, role: "img", "aria-label": detail },
    bar("track", 1, 100), bar("track", 9, 100), bar("bar-learned", 1, learned), bar("bar-plain", 9, plain));
}
