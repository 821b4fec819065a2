// Turning over with a finger: a swipe to the left goes on, to the right back.

const FAR = 56; // pixels of a swipe that is meant
const SLACK = 8; // pixels a resting finger may wander

/** Watch `element`; `turn(1)` or `turn(-1)` when it was swiped. It follows the finger meanwhile. */
export function watchTurns(element, turn) {
  let from = null;

  element.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse") return;
    from = event.isPrimary ? { id: event.pointerId, x: event.clientX, y: event.clientY } : null; // two fingers zoom
  });
  element.addEventListener("pointermove", (event) => {
    if (event.pointerId !== from?.id) return;
    const dx = event.clientX - from.x;
    if (Math.abs(dx) > SLACK && Math.abs(dx) > Math.abs(event.clientY - from.y)) element.style.translate = `${dx}px`;
  });
  element.addEventListener("pointerup", (event) => {
    const dx = event.pointerId === from?.id ? event.clientX - from.x : 0;
    const swiped = Math.abs(dx) >= FAR && Math.abs(dx) > Math.abs(event.clientY - from.y);
    end();
    if (swiped) turn(dx < 0 ? 1 : -1);
  });
  element.addEventListener("pointercancel", end);

  function end() {
    from = null;
    element.style.translate = "";
  }
}
