// Which two pictures of a page to compare: near each other in the order, seen by nobody yet. Pure functions.

const APART = 3; // places between the two: neighbours are often too much alike to tell

/** The next two of `hits` that were neither judged nor compared; null where there are no two left. */
export function nextPair(hits, { judged, preferred, skipped }) {
  const used = new Set([...judged, ...preferred.flat(), ...skipped]);
  const fresh = hits.filter(({ image_id: id }) => !used.has(id));
  if (fresh.length < 2) return null;
  return [fresh[0], fresh[Math.min(APART, fresh.length - 1)]];
}
