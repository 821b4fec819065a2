// Cutting pictures into regions, some at a time, for as long as somebody wants it.

import * as api from "../api.js";
import { count } from "../dom.js";

const PACE = 0.4; // seconds a picture, until it is known better
const FEW = 8; // pictures a request that the server cuts by itself
const MANY = 48; // a request that is worth the start of its workers
const WAIT = 2000; // milliseconds until a busy store is asked again

/** Pictures that have no regions yet and can have some. */
export const lacking = ({ done, total, failed }) => Math.max(0, total - done - failed.length);

/** "about 20 seconds", "about 4 minutes". */
export function duration(seconds) {
  if (seconds < 5) return "a few seconds";
  if (seconds < 90) return `about ${count(5 * Math.round(seconds / 5), "second")}`;
  if (seconds < 5400) return `about ${count(Math.round(seconds / 60), "minute")}`;
  return `about ${count(Math.round(seconds / 3600), "hour")}`;
}

/** How long so many pictures take. */
export const estimate = (pictures) => duration(PACE * pictures);

/**
 * Cut a concept's pictures, or all, until each has its regions or `going()` says no; what is cut is kept.
 * `told(known, left)` hears how far it is and how long the rest takes. Answers whether it came to its end.
 */
export async function cut(concept, user, { told, going = () => true }) {
  let known = await api.regionsKnown(concept, user);
  const portion = lacking(known) > MANY ? MANY : FEW;
  const [began, before] = [performance.now(), known.done];
  while (lacking(known)) {
    const made = known.done - before;
    const pace = made ? (performance.now() - began) / 1000 / made : PACE;
    told(known, duration(pace * lacking(known)));
    try {
      known = await api.cutRegions(concept, user, portion);
    } catch (problem) {
      if (problem.code !== "store-busy") throw problem;
      await new Promise((ready) => { setTimeout(ready, WAIT); });
    }
    if (!going()) return false;
  }
  return true;
}
