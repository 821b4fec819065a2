// Fingers: tap opens (a click, as ever), swipe right or left says right or wrong, long press shows all.

import { thumb } from "../api.js";
import { closable, h, icon } from "../dom.js";
import { makeVerbs, showPressed } from "./card.js";

const PRESS = 450; // milliseconds
const SLACK = 10; // pixels a resting finger may wander
const FAR = 64; // pixels of a swipe that is meant

/** Watch `list` for gestures; `sheet` is a dialog for all choices, `act(verb, id)` carries them out, `markOf(id)` tells what is marked. */
export function watchTouch(list, sheet, act, markOf) {
  closable(sheet);
  let gesture = null;

  list.addEventListener("pointerdown", (event) => {
    const card = event.target.closest(".card.judging");
    if (event.pointerType === "mouse" || !card || gesture) return;
    gesture = { card, pointer: event.pointerId, x: event.clientX, y: event.clientY, swiping: false };
    gesture.timer = setTimeout(() => { openSheet(sheet, card.dataset.id, act, markOf); end(false); ignoreLift(); }, PRESS);
  });

  list.addEventListener("pointermove", (event) => {
    if (event.pointerId !== gesture?.pointer) return;
    const dx = event.clientX - gesture.x;
    const dy = event.clientY - gesture.y;
    if (!gesture.swiping && Math.hypot(dx, dy) > SLACK) {
      clearTimeout(gesture.timer);
      if (Math.abs(dx) <= Math.abs(dy)) return end(false);
      gesture.swiping = true;
      gesture.card.setPointerCapture?.(gesture.pointer);
      gesture.card.classList.add("swiping");
    }
    if (gesture.swiping) follow(gesture, dx);
  });

  list.addEventListener("pointerup", (event) => {
    if (event.pointerId !== gesture?.pointer) return;
    const dx = event.clientX - gesture.x;
    const { card, swiping } = gesture;
    end(swiping);
    if (swiping && Math.abs(dx) >= FAR) act(dx > 0 ? "right" : "wrong", card.dataset.id);
  });
  list.addEventListener("pointercancel", () => end(false));
  list.addEventListener("contextmenu", (event) => { if (gesture || sheet.open) event.preventDefault(); });

  function end(swallowClick) {
    if (!gesture) return;
    const { card, timer } = gesture;
    clearTimeout(timer);
    card.classList.remove("swiping", "far");
    card.querySelector(".picture").style.transform = "";
    gesture = null;
    if (!swallowClick) return;
    // The finger's click would open the picture that was swiped.
    const swallow = (event) => { event.preventDefault(); event.stopPropagation(); };
    card.addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => card.removeEventListener("click", swallow, { capture: true }), 600);
  }
}

/** Until the next touch, ignore clicks: the lifted finger's would land on the sheet's backdrop and close it. */
function ignoreLift() {
  const swallow = (event) => { event.preventDefault(); event.stopPropagation(); };
  document.addEventListener("click", swallow, true);
  const next = () => document.removeEventListener("click", swallow, true);
  document.addEventListener("pointerdown", next, { capture: true, once: true });
}

function follow({ card }, dx) {
  const way = dx > 0 ? "right" : "wrong";
  if (card.dataset.way !== way || !card.querySelector(".swipe").firstChild) {
    card.dataset.way = way;
    card.querySelector(".swipe").replaceChildren(icon(way));
  }
  card.classList.toggle("far", Math.abs(dx) >= FAR);
  card.querySelector(".picture").style.transform = `translateX(${dx}px)`;
}

function openSheet(sheet, id, act, markOf) {
  const verbs = makeVerbs({ labels: true });
  showPressed(verbs, markOf(id));
  for (const button of verbs.querySelectorAll("button")) {
    button.addEventListener("click", () => { sheet.close(); act(button.dataset.verb, id); });
  }
  sheet.replaceChildren(h("img", { src: thumb(id), alt: "" }), ...verbs.children);
  sheet.showModal();
}
