// What can be said about a picture: one set of buttons, on the card that is looked at. It goes with the pointer and
// with the focus of whoever uses the keyboard.

import { makeVerbs, showPressed } from "./card.js";

export class VerbBar {
  /** For the cards of `list`; `markOf(id)` tells what is marked. */
  constructor(list, markOf) {
    Object.assign(this, { list, markOf, card: null, moving: false, bar: makeVerbs() });
    list.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") this.#visit(event.target); });
    list.addEventListener("pointerleave", () => { if (!this.bar.contains(document.activeElement) && !this.#seen()) this.leave(); });
    // Focus that is not drawn was given by a click: what the pointer is at counts then.
    list.addEventListener("focusin", (event) => { if (!this.moving && event.target.matches(":focus-visible")) this.#visit(event.target); });
  }

  /** Show what its picture is marked. */
  press(mark) {
    showPressed(this.bar, mark);
  }

  /** It is nowhere. */
  leave() {
    this.card = null;
    this.bar.remove();
  }

  #seen() {
    return this.card?.contains(document.activeElement) && document.activeElement.matches(":focus-visible");
  }

  #visit(element) {
    const card = element.closest(".card.judging");
    if (!card || (card === this.card && card.contains(this.bar))) return;
    const left = this.bar.contains(document.activeElement) ? this.card : null;
    this.card = card;
    card.append(this.bar);
    const current = card.querySelector(".picture").getAttribute("tabindex");
    for (const button of this.bar.children) button.setAttribute("tabindex", current);
    this.press(this.markOf(card.dataset.id));
    this.moving = true; // the focus stays with the picture it was at, and does not call the bar back
    left?.querySelector(".picture").focus({ preventScroll: true });
    this.moving = false;
  }
}
