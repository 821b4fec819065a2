// Where pictures go after a judgement. Pure functions: pages in, orders out.

/**
 * The order on screen: judged pictures keep the place at which they were judged, so that nothing
 * runs off from under a finger; all others follow the ranking around them.
 *
 * kept: [{hit, place}], judged pictures; a page may have dropped them, the screen does not.
 */
export function arrange(hits, kept) {
  const held = new Set(kept.map(({ hit }) => hit.image_id));
  const free = hits.filter((hit) => !held.has(hit.image_id));
  const waiting = [...kept].sort((a, b) => a.place - b.place);
  const order = [];
  while (free.length || waiting.length) {
    const due = waiting.length && (waiting[0].place <= order.length || !free.length);
    order.push(due ? waiting.shift().hit : free.shift());
  }
  return order;
}

/** How each picture moved between two orders: Map id → {way: "up" | "down" | "new", by}. */
export function movements(before, after) {
  const places = new Map(before.map((hit, place) => [hit.image_id, place]));
  const moves = new Map();
  after.forEach((hit, place) => {
    const was = places.get(hit.image_id);
    if (was === undefined) moves.set(hit.image_id, { way: "new", by: 0 });
    else if (was > place) moves.set(hit.image_id, { way: "up", by: was - place });
    else if (was < place) moves.set(hit.image_id, { way: "down", by: place - was });
  });
  return moves;
}
