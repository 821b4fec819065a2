// What a mark did, in a few words: from the two orders and from what is in view before anything moves. Pure functions.

/** Fewer places than this are no news: neither a badge nor a word. */
export const FAR = 3;

/** Belief below which the page says that it doubts. */
const HALF = 0.5;

/** The moves worth telling of. */
export const told = (moves) => new Map([...moves].filter(([, { way, by }]) => way === "new" || by >= FAR));

/** The part of a score that says so. */
const LIKED = "look-alikes of what you liked";

/**
 * A few words. `moves` is what movements() found, `before` and `after` are the pictures in the same window then and now,
 * `marks` the judged ones (id → "liked" | "disliked"), whose place says nothing; `believed` is how far the page believes
 * the ✕, `why` (id → parts of the score) what puts the others where they are.
 */
export function effect({ moves, before, after, marks, believed = 1, why = new Map() }) {
  const happened = movement({ moves, before, after, marks, why });
  if (believed >= HALF) return happened;
  return `${happened}: your ✕ are much like ${[...marks.values()].includes("liked") ? "your ✓" : "what you look for"}`;
}

function movement({ moves, before, after, marks, why }) {
  const seen = new Set(before);
  const fresh = after.filter((id) => !seen.has(id) && moves.has(id) && !marks.has(id)).length;
  if (fresh) return `${fresh} new here`;
  const far = [...told(moves).keys()].filter((id) => !marks.has(id));
  const here = far.filter((id) => seen.has(id)).length;
  if (here) return `${here} moved here`;
  if (far.length) return `${far.length} moved further down`;
  const others = after.filter((id) => !marks.has(id));
  const alike = others.filter((id) => why.get(id)?.[LIKED] > 0).length;
  return alike ? `nothing had to move: ${alike} of ${others.length} here are like what you liked` : "nothing moved";
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
