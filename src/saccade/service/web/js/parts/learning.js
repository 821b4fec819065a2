// Does learning pay? Measured on what the person said in so many words, never decorative.
//
// A picture marked right and one marked wrong make a stated comparison. Before it was learned from, it
// was ordered by the ranking served and by the ranking without learning; the line gives both shares that
// were right. With few comparisons it says that it cannot know yet.

import { count, h, svg } from "../dom.js";

const ENOUGH = 20; // comparisons below which a difference is mostly chance

/** What the counts say: {text, detail, shares}; `shares` is null while there is too little to go by. */
export function verdict({ events, stated, learned_right: learnedRight, plain_right: plainRight }) {
  const unknown = (text, detail) => ({ text, detail, shares: null });
  if (!events) return unknown("mark right and wrong: the order follows", "Nothing was marked so far.");
  if (!stated) return unknown("mark both right and wrong to measure whether learning pays", "No picture was marked right in a search where another was marked wrong.");
  const said = count(stated, "comparison");
  if (stated < ENOUGH) return unknown("too early to tell whether learning pays", `${said} of right with wrong so far; ${ENOUGH} are needed.`);
  const learned = Math.round((100 * learnedRight) / stated);
  const plain = Math.round((100 * plainRight) / stated);
  const detail = `Of ${said} of right with wrong, ${learned}% were in the right order before they were learned from; without any learning ${plain}% would have been.`;
  return { text: sentence(learned, plain), detail, shares: { learned, plain } };
}

function sentence(learned, plain) {
  if (learned > plain) return `learning pays: ${learned}% in the right order, ${plain}% without it`;
  if (learned < plain) return `learning does not pay so far: ${learned}% in the right order, ${plain}% without it`;
  return `as good as no learning so far: ${learned}% in the right order`;
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
