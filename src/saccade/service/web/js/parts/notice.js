// Something to say: a passing sentence at the bottom, or one in the middle when there are no pictures.

import { h, icon } from "../dom.js";

const PASSES = 8000; // milliseconds
const OFFERS = 20_000; // where there is something to press

/** A passing sentence, with one button. */
export class Notice {
  /** `host()` is where it may be seen: in the dialog on top, which covers the page. */
  constructor(place, host) {
    Object.assign(this, { place, host, timer: null });
  }

  /** Say it; it stays while it offers a way on that matters. */
  show(sentence, button = null, { stay = false } = {}) {
    clearTimeout(this.timer);
    const act = () => { this.hide(); button?.act(); };
    this.place.replaceChildren(h("p", {}, sentence), h("button", { type: "button", onclick: act }, button?.label ?? "OK"));
    this.host().append(this.place);
    this.place.hidden = false;
    if (!stay) this.timer = setTimeout(() => this.hide(), button ? OFFERS : PASSES);
  }

  hide() {
    clearTimeout(this.timer);
    this.place.hidden = true;
  }
}

/** The middle of a page without pictures: one sentence and at most one button. */
export class Blank {
  constructor(place) {
    this.place = place;
  }

  show(sentence, button = null) {
    this.place.replaceChildren(icon("eye"), h("p", {}, sentence),
      button ? h("button", { class: "primary", type: "button", onclick: button.act }, button.label) : "");
    this.place.hidden = false;
  }

  hide() {
    this.place.hidden = true;
  }
}
