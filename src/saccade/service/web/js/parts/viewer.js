// The large view: one picture at a time, with the same verbs; why opens beside it.

import { original, thumb } from "../api.js";
import { closable, fileName, h, icon } from "../dom.js";
import { makeVerbs, showPressed } from "./card.js";
import { Why } from "./why.js";

export class Viewer {
  /** Fills `dialog`. `act(verb, id)` carries out a verb; `left(id)` is told which picture was looked at last. */
  constructor(dialog, session, { act, left }) {
    Object.assign(this, { dialog, session, id: null });
    const named = (part) => `${dialog.id}-${part}`;
    this.image = h("img", { id: named("image"), alt: "" });
    this.name = h("p", { class: "name", id: named("name") });
    this.verbs = makeVerbs({ labels: true });
    this.previous = round("previous", "Previous picture", "left", () => this.step(-1));
    this.next = round("next", "Next picture", "next", () => this.step(1));
    const aside = h("aside", { class: "why", id: named("why"), "aria-label": "Why this picture is here", hidden: true });
    this.why = new Why(aside);
    dialog.replaceChildren(
      h("div", { class: "frame" },
        h("button", { class: "quiet round close", type: "button", "data-close": true, "aria-label": "Close" }, icon("wrong")),
        this.previous, this.image, this.next,
        h("footer", {}, this.name, h("div", { id: named("verbs") }, this.verbs))),
      aside);
    closable(dialog);
    this.verbs.addEventListener("click", (event) => {
      const verb = event.target.closest("[data-verb]")?.dataset.verb;
      if (verb) act(verb, this.id);
    });
    dialog.addEventListener("close", () => { this.why.close(); left(this.id); });
    this.image.addEventListener("error", () => {
      // The file may be gone while the collection still has its small version.
      if (this.image.src.endsWith("/file")) this.image.src = thumb(this.id);
    });
  }

  get isOpen() {
    return this.dialog.open;
  }

  /** Open the picture, when it is among those shown. */
  open(id) {
    if (this.#show(id) && !this.dialog.open) this.dialog.showModal();
  }

  close() {
    if (this.dialog.open) this.dialog.close();
  }

  step(by) {
    const shown = this.session.shown;
    const place = shown.findIndex((hit) => hit.image_id === this.id) + by;
    if (shown[place]) this.#show(shown[place].image_id);
  }

  toggleWhy() {
    if (this.why.isOpen) this.why.close();
    else this.#drawWhy();
  }

  /** Marks or order changed while the picture is open. */
  refresh() {
    if (!this.isOpen) return;
    showPressed(this.verbs, this.session.markOf(this.id));
    this.#ends();
    if (this.why.isOpen) this.#drawWhy();
  }

  #show(id) {
    const hit = this.session.hit(id);
    if (!hit) return false;
    this.id = id;
    const name = fileName(hit.path);
    this.image.src = original(id);
    this.image.alt = name;
    this.name.textContent = `${name} · ${hit.width} × ${hit.height}`;
    this.name.title = hit.path;
    showPressed(this.verbs, this.session.markOf(id));
    this.#ends();
    if (this.why.isOpen) this.#drawWhy();
    return true;
  }

  #ends() {
    const shown = this.session.shown;
    this.previous.disabled = shown[0]?.image_id === this.id;
    this.next.disabled = shown.at(-1)?.image_id === this.id;
  }

  #drawWhy() {
    const place = this.session.shown.findIndex((hit) => hit.image_id === this.id);
    if (place >= 0) this.why.draw(this.session.shown[place], place);
  }
}

const round = (name, label, drawn, act) =>
  h("button", { class: `quiet round ${name}`, type: "button", "aria-label": label, onclick: act }, icon(drawn));
