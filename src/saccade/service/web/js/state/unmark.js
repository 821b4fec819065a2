// Taking one mark off: the one place that knows how the service does it.
//
// So far it can undo a person's newest event only, so that is what may be taken off by itself.

import * as api from "../api.js";

const RECENT = 50; // events to look through for the newest that counts

/**
 * Whether this mark is likely to be the newest one. A mark that replaced another is no candidate: undo
 * would bring the other one back.
 */
export function canTakeOff(session, id) {
  return session.marks.has(id) && [...session.kept.keys()].at(-1) === id && !session.kept.get(id).changed;
}

/** Take the mark off; the page without it. Another tab may have marked since: then nothing is taken back. */
export async function takeOff(session, id) {
  const newest = (await api.events(session.user, RECENT)).items.find(({ undone }) => !undone);
  const marked = [...(newest?.liked ?? []), ...(newest?.disliked ?? [])];
  if (!canTakeOff(session, id) || newest?.session !== session.page.session || marked.join() !== id) {
    throw new api.Problem({ code: "not-the-newest", message: "only the newest mark can be taken off by itself", hint: "undo takes marks back one by one, the newest first" });
  }
  return (await api.undo(session.user)).page;
}
