// Taking one mark off: the one place that knows how the service does it.

import * as api from "../api.js";

/** Whether this picture has a mark that the service knows of. */
export function canTakeOff(session, id) {
  return session.marks.has(id) && !session.sending.has(id);
}

/** Take the mark off, whenever and in whichever tab it was made; the page without it. */
export const takeOff = (session, id) => api.feedback(session.page.page_id, { cleared: [id], k: session.k });
