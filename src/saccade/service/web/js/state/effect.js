// What a mark did, in a few words: from the two orders and from what is in view before anything moves. Pure functions.

/** Fewer places than this are no news: neither a badge nor a word. */
export const FAR = 3;

/** Belief below which the page says that it doubts. */
const HALF = 0.5;

/** The moves worth telling of. */
export const told = (moves) => new Map([...moves].filter(([, { way, by }]) => way === "new" || by >= FAR));

/**
 * A few words. `moves` is what movements() found, `before` and `after` are the pictures in the same window then and now,
 * `judged` the marked ones, whose place says nothing; `believed` is how far the page believes the ✕.
 */
export function effect({ moves, before, after, judged, believed = 1 }) {
  const happened = movement({ moves, before, after, judged });
  return believed < HALF ? `${happened}: your ✕ are much like your ✓` : happened;
}

function movement({ moves, before, after, judged }) {
  const seen = new Set(before);
  const fresh = after.filter((id) => !seen.has(id) && moves.has(id) && !judged.has(id)).length;
  if (fresh) return `${fresh} new here`;
  const far = [...told(moves).keys()].filter((id) => !judged.has(id));
  const here = far.filter((id) => seen.has(id)).length;
  if (here) return `${here} moved here`;
  return far.length ? `${far.length} moved further down` : "nothing moved";
}

/** What happened, for those who listen; `mark` is what people call it. */
export function said(reason, { shown, tidy, stack, mark, elsewhere, effect: what }) {
  return {
    search: `${shown} found.`,
    more: `${shown} shown.`,
    narrow: `${shown} found.`,
    tidy: tidy ? "Judged pictures are folded away." : "Judged pictures are back.",
    stack: stack?.open ? `${stack.size} nearly the same, side by side.` : "What is nearly the same lies together.",
    mark: `Marked ${mark}: ${what}.`,
    many: `All marked: ${what}.`,
    unmark: `The mark was taken off: ${what}.`,
    prefer: `This one before that one: ${what}.`,
    elsewhere: `Another tab said more in this search: ${what}.`,
    undo: elsewhere ? "The last mark of an earlier search was taken back." : `The last mark was taken back: ${what}.`,
  }[reason];
}
