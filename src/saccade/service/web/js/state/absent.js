// Marked pictures that a page does not hold: those called wrong stand below all others, so a reload or another tab
// would show them nowhere but in the strip.

import * as api from "../api.js";

/** The marked pictures of a page that neither it nor `known` holds, as hits; one that was removed since is left out. */
export async function absent(page, known) {
  const there = new Set(page.hits.map((hit) => hit.image_id));
  const missing = [...page.liked, ...page.disliked].filter((id) => !there.has(id) && !known(id));
  const records = await Promise.all(missing.map((id) => api.image(id).catch(() => null)));
  return records.filter(Boolean).map(asHit);
}

/** A record in the form of a hit; how it scored is not known, only that it was not enough for the page. */
const asHit = ({ image_id, paths, width, height }) => ({ image_id, path: paths[0] ?? "", width, height, score: null, why: null, inliers: null });
