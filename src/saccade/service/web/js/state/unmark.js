// Whether a mark can be taken off.

/** Whether this picture has a mark that the service knows of. */
export function canTakeOff(session, id) {
  return session.marks.has(id) && !session.sending.has(id);
}
