// What a mark did, in one sentence: from the two orders and from what was in view. Pure functions.

/** Fewer places than this are no news: neither a badge nor a word. */
export const FAR = 3;

/** Belief below which the page says that it doubts. */
const HALF = 0.5;

/** The moves worth telling of. */
export const told = (moves) => new Map([...moves].filter(([, { way, by }]) => way === "new" || by >= FAR));

/**
 * One sentence. `moves` is what movements() found, `before` and `after` are the pictures in view then and now,
 * `judged` the marked ones, whose place says nothing, `alike` the look-alikes of one just called wrong. The page
 * may have scrolled: only what moved counts. `believed` is how far the page believes the ✕.
 */
export function sentence({ believed = 1, ...marked }) {
  const moved = movement(marked);
  // First what a person could not see for themselves: a narrow strip cuts the end off.
  return believed < HALF ? `Your ✕ lie among your ✓ and move little else. ${moved}` : moved;
}

function movement({ moves, before, after, judged, alike = [] }) {
  const far = [...told(moves)].filter(([id]) => !judged.has(id));
  const seen = new Set(before);
  const inView = new Set(after);
  const fresh = far.filter(([id, { way }]) => way !== "down" && inView.has(id) && !seen.has(id)).length;
  const up = far.filter(([id, { way }]) => way === "up" && inView.has(id) && seen.has(id)).length;
  const down = far.filter(([id, { way }]) => way === "down" && seen.has(id)).map(([id]) => id);
  const like = down.filter((id) => alike.includes(id)).length;
  const parts = [[fresh, "new in view"], [up, "moved up"], [like, "like your ✕ moved down"], [down.length - like, like ? "more did" : "moved down"]];
  const happened = parts.filter(([n]) => n).map(([n, what]) => `${n} ${what}`);
  if (happened.length) return `${happened.join("; ")}.`;
  if (far.length) return `Nothing in view moved far; ${far.length} further down did.`;
  if (moves.size) return "Hardly anything moved: no picture by three places or more.";
  return "Nothing else moved: the order of the others stays as it was.";
}

/** What happened, for those who listen and, after a mark, for the strip; `mark` is what people call it. */
export function said(reason, { shown, tidy, mark, elsewhere, effect }) {
  return {
    search: `${shown} found.`,
    more: `${shown} shown.`,
    wish: `${shown} found.`,
    tidy: tidy ? "Judged pictures are folded away." : "Judged pictures are back.",
    mark: `Marked ${mark}. ${effect}`,
    unmark: `The mark was taken off. ${effect}`,
    prefer: `This one before that one. ${effect}`,
    elsewhere: `Another tab said more in this search. ${effect}`,
    undo: elsewhere ? "The last mark of an earlier search was taken back." : `The last mark was taken back. ${effect}`,
  }[reason];
}
