// When there are no pictures to show, or something went wrong: one sentence, one button.

import { byId, h, icon } from "./dom.js";

/** Fill the middle of the page with a sentence and at most one button. */
export function showState(sentence, button = null) {
  const place = byId("state");
  place.replaceChildren(icon("eye"), h("p", {}, sentence),
    button ? h("button", { class: "primary", type: "button", onclick: button.act }, button.label) : "");
  place.hidden = false;
}

export function hideState() {
  byId("state").hidden = true;
}

let timer;

/** A passing sentence at the bottom; stays while it offers a way on that matters. */
export function notify(sentence, button = null, { stay = false } = {}) {
  const place = byId("notice");
  clearTimeout(timer);
  const act = () => { hideNotice(); button?.act(); };
  place.replaceChildren(h("p", {}, sentence), h("button", { type: "button", onclick: act }, button?.label ?? "OK"));
  place.hidden = false;
  if (!stay) timer = setTimeout(hideNotice, 8000);
}

export function hideNotice() {
  clearTimeout(timer);
  byId("notice").hidden = true;
}
