// Does learning pay? Measured on the person's own comparisons, never decorative.
//
// Each comparison was first ordered by the learned ranking and by equal weights, and only then learned
// from. The line gives the difference of the two shares that were ordered rightly; with few comparisons
// it says that it cannot know yet.

import { byId, count, h, svg } from "./dom.js";

const ENOUGH = 20; // comparisons below which a difference is mostly chance

/** What the counts say: {text, known}; `known` is false while there is too little to go by. */
export function verdict({ pairs, learned_right: learned, plain_right: plain }) {
  if (pairs === 0) return { text: "mark right and wrong: the order follows", known: false };
  if (pairs < ENOUGH) return { text: "too early to tell whether learning pays", known: false };
  const percent = Math.round((100 * (learned - plain)) / pairs);
  if (percent > 0) return { text: `better than no learning: +${percent}%`, known: true };
  if (percent === 0) return { text: "as good as no learning so far", known: true };
  return { text: `learning does not pay so far: −${-percent}%`, known: true };
}

/** Draw the line for a profile; null clears it. */
export function drawLearning(profile) {
  const line = byId("learning");
  if (!profile) return line.replaceChildren();
  const { text, known } = verdict(profile);
  if (!known) return line.replaceChildren(h("span", { class: "muted", title: `${count(profile.pairs, "comparison")} so far` }, text));
  const share = (right) => Math.round((100 * right) / profile.pairs);
  const learned = share(profile.learned_right);
  const plain = share(profile.plain_right);
  const detail = `Of ${count(profile.pairs, "comparison")}, the learned order had ${learned}% right before it learned from them; equal weights had ${plain}%.`;
  line.replaceChildren(chart(learned, plain, detail), h("strong", { title: detail }, text));
}

/** Two bars on one scale: learned above, equal weights below. */
function chart(learned, plain, detail) {
  const width = 64;
  const bar = (name, y, share) => svg("rect", { class: name, x: 0, y, width: Math.max(1, (width * share) / 100), height: 6, rx: 1.5 });
  return svg("svg", { class: "chart", width, height: 16, viewBox: `0 0 ${width} 16`, role: "img", "aria-label": detail },
    bar("track", 1, 100), bar("track", 9, 100), bar("bar-learned", 1, learned), bar("bar-plain", 9, plain));
}
