// Near-duplicates on one place: which picture stands for a stack, and which lie under it. Pure functions.

/**
 * The stacks of a page: Map id of the picture on top → the pictures under it. What is judged is never under another;
 * where some of a stack are, the first of those is on top. `judged(id)` says so.
 */
export function stacks(hits, judged) {
  const together = new Map();
  for (const hit of hits) if (hit.stack) together.set(hit.stack, [...(together.get(hit.stack) ?? []), hit]);
  const found = new Map();
  for (const members of together.values()) {
    const top = members.find(({ image_id: id }) => judged(id)) ?? members[0];
    const under = members.filter((hit) => hit !== top && !judged(hit.image_id));
    if (under.length) found.set(top.image_id, under);
  }
  return found;
}

/** The pictures without those that lie under one; of stacks that are `open(id)`, right after the one on top. */
export function folded(hits, found, open) {
  const under = new Set([...found.values()].flat().map((hit) => hit.image_id));
  const there = new Set(hits.map((hit) => hit.image_id));
  const spread = (id) => (open(id) ? (found.get(id) ?? []) : []);
  const free = hits.filter((hit) => !under.has(hit.image_id)).flatMap((hit) => [hit, ...spread(hit.image_id)]);
  // One on top may be kept elsewhere on the screen: what is under it then comes first of all that follow.
  return [...[...found.keys()].filter((id) => !there.has(id)).flatMap(spread), ...free];
}
