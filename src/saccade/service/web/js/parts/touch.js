// Fingers: tap opens (a click, as ever), swipe right or left says right or wrong, long press shows all. Where pictures
// cannot be judged a long press chooses one; and while some are chosen a finger that sets off sideways chooses all from
// the picture it began at to the one it is over.

import { thumb } from "../api.js";
import { closable, h, icon } from "../dom.js";
import { makeVerbs, showPressed } from "./card.js";

const PRESS = 450; // milliseconds
const SLACK = 10; // pixels a resting finger may wander
const FAR = 64; // pixels of a swipe that is meant
const EDGE = 72; // pixels from the window's edge at which a finger that chooses scrolls the page
const PACE = 12; // pixels a frame that it scrolls then

/**
 * Watch `list` for gestures; `sheet` is a dialog for all choices, `act(verb, id)` carries them out, `markOf(id)` tells what is marked.
 * What is chosen is in `selection`; `at(x, y)` is the picture at a point of the window, `between(one, other)` gives all from one to another.
 */
export function watchTouch(list, sheet, { act, markOf, selection, at, between }) {
  closable(sheet);
  let gesture = null;

  list.addEventListener("pointerdown", (event) => {
    const card = event.target.closest(".card[data-id]");
    if (event.pointerType === "mouse" || !card || gesture) return;
    gesture = { card, pointer: event.pointerId, x: event.clientX, y: event.clientY, swiping: false, chosen: null };
    const mine = gesture;
    // A frame later: on a slow phone the finger may have moved on already, and the page not heard of it yet.
    gesture.timer = setTimeout(() => requestAnimationFrame(() => { if (gesture === mine && !mine.swiping) press(card); }), PRESS);
  });

  function press(card) {
    if (!card.matches(".judging")) selection.toggle(card.dataset.id);
    else openSheet(sheet, card.dataset.id, act, markOf);
    end(false);
    ignoreLift();
  }

  list.addEventListener("pointermove", (event) => {
    if (event.pointerId !== gesture?.pointer) return;
    const dx = event.clientX - gesture.x;
    const dy = event.clientY - gesture.y;
    if (!gesture.swiping && Math.hypot(dx, dy) > SLACK) {
      clearTimeout(gesture.timer);
      const chooses = selection.size > 0;
      if (Math.abs(dx) <= Math.abs(dy) || (!chooses && !gesture.card.matches(".judging"))) return end(false);
      gesture.swiping = true;
      if (chooses) gesture.chosen = { from: gesture.card.dataset.id, before: [...selection.ids] };
      // The list, where it chooses: the card may be scrolled out of sight, and off the page.
      (chooses ? list : gesture.card).setPointerCapture?.(gesture.pointer);
      if (!chooses) gesture.card.classList.add("swiping");
    }
    if (gesture.chosen) choose(event.clientX, event.clientY);
    else if (gesture.swiping) follow(gesture, dx);
  });

  /** All from where the finger began to where it is; at an edge of the window the page goes on. */
  function choose(x, y) {
    const { chosen } = gesture;
    const over = at(x, y);
    if (over) selection.set(between(chosen.from, over), chosen.before);
    const by = y > innerHeight - EDGE ? PACE : y < EDGE ? -PACE : 0;
    cancelAnimationFrame(chosen.scrolling);
    if (by) chosen.scrolling = requestAnimationFrame(() => { scrollBy({ top: by, behavior: "instant" }); if (gesture?.chosen === chosen) choose(x, y); });
  }

  list.addEventListener("pointerup", (event) => {
    if (event.pointerId !== gesture?.pointer) return;
    const dx = event.clientX - gesture.x;
    const { card, swiping, chosen } = gesture;
    end(swiping);
    if (swiping && !chosen && Math.abs(dx) >= FAR) act(dx > 0 ? "right" : "wrong", card.dataset.id);
  });
  list.addEventListener("pointercancel", () => end(false));
  list.addEventListener("contextmenu", (event) => { if (gesture || sheet.open || (selection.size && event.pointerType === "touch")) event.preventDefault(); });

  function end(swallowClick) {
    if (!gesture) return;
    const { card, timer, chosen } = gesture;
    clearTimeout(timer);
    cancelAnimationFrame(chosen?.scrolling);
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
  if (!card.querySelector(".swipe")) card.prepend(h("span", { class: "swipe", "aria-hidden": "true" }));
  if (card.dataset.way !== way || !card.querySelector(".swipe").firstChild) {
    card.dataset.way = way;
    card.querySelector(".swipe").replaceChildren(icon(way));
  }
  card.classList.toggle("far", Math.abs(dx) >= FAR);
  card.querySelector(".picture").style.transform = `translateX(${dx}px)`;
}

function openSheet(sheet, id, act, markOf) {
  const verbs = makeVerbs({ labels: true });
  verbs.append(h("button", { type: "button", "data-verb": "choose" }, icon("tidy"), "Choose several"));
  showPressed(verbs, markOf(id));
  for (const button of verbs.querySelectorAll("button")) {
    button.addEventListener("click", () => { sheet.close(); act(button.dataset.verb, id); });
  }
  sheet.replaceChildren(h("img", { src: thumb(id), alt: "" }), ...verbs.children);
  sheet.showModal();
}
