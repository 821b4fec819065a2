// "Which is closer to what you look for?": two pictures of a search at a time, for as long as the person likes.

import { nextPair } from "../state/questions.js";
import { TwoUp } from "./twoup.js";

/** A two-up about pictures of `session`; `failed`, `done` and `left` as TwoUp has them. */
export function closer(session, { failed, done, left }) {
  let aside = []; // pairs that were skipped or called alike: neither goes before the other, and they are not asked about again

  const next = async (turn) => {
    if (!turn) aside = [];
    const { page, marks } = session;
    const asked = nextPair(page.hits, { judged: marks.keys(), preferred: page.preferred, skipped: aside.flat() });
    const known = Math.min(1, (page.preferred.length + aside.length) / Math.max(1, Math.floor(page.hits.length / 2)));
    return { question: "Which is closer to what you look for?", images: asked ?? [], known };
  };
  const answer = async (what, first, second) => {
    if (what === "skip" || what === "alike") aside = [...aside, [first, second]];
    else await session.prefer(...(what === "first" ? [first, second] : [second, first]));
  };
  const undo = async ({ what, first, second }) => {
    if (what === "alike") aside = aside.filter(([one, other]) => one !== first || other !== second);
    else await session.undo();
  };
  return new TwoUp({ next, answer, undo, failed, done, left });
}
