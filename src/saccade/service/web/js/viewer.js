// The large view: one picture at a time, with the same verbs; why opens beside it.

import { original, thumb } from "./api.js";
import { makeVerbs, showPressed } from "./card.js";
import { byId, closable, fileName, h } from "./dom.js";
import { drawWhy } from "./why.js";

export class Viewer {
  /** `act(verb, id)` carries out a verb; `left(id)` is told which picture was looked at last. */
  constructor(session, act, left) {
    this.session = session;
    this.dialog = byId("viewer");
    this.why = byId("viewer-why");
    this.image = byId("viewer-image");
    this.id = null;
    const verbs = makeVerbs({ labels: true });
    byId("viewer-verbs").replaceWith(h("div", { id: "viewer-verbs" }, verbs));
    this.verbs = verbs;
    closable(this.dialog);
    verbs.addEventListener("click", (event) => {
      const verb = event.target.closest("[data-verb]")?.dataset.verb;
      if (verb) act(verb, this.id);
    });
    this.dialog.querySelector(".previous").addEventListener("click", () => this.step(-1));
    this.dialog.querySelector(".next").addEventListener("click", () => this.step(1));
    this.dialog.addEventListener("close", () => { this.why.hidden = true; left(this.id); });
    this.image.addEventListener("error", () => {
      // The file may be gone while the collection still has its small version.
      if (this.image.src.endsWith("/file")) this.image.src = thumb(this.id);
    });
  }

  get isOpen() {
    return this.dialog.open;
  }

  open(id) {
    if (!this.#show(id)) return;
    if (!this.dialog.open) this.dialog.showModal();
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
    if (!this.why.hidden) this.why.hidden = true;
    else this.#drawWhy();
  }

  /** Marks or order changed while the picture is open. */
  refresh() {
    if (!this.isOpen) return;
    showPressed(this.verbs, this.session.markOf(this.id));
    this.#ends();
    if (!this.why.hidden) this.#drawWhy();
  }

  #show(id) {
    const hit = this.session.hit(id);
    if (!hit) return false;
    this.id = id;
    const name = fileName(hit.path);
    this.image.src = original(id);
    this.image.alt = name;
    byId("viewer-name").textContent = `${name} · ${hit.width} × ${hit.height}`;
    byId("viewer-name").title = hit.path;
    showPressed(this.verbs, this.session.markOf(id));
    this.#ends();
    if (!this.why.hidden) this.#drawWhy();
    return true;
  }

  #ends() {
    const shown = this.session.shown;
    this.dialog.querySelector(".previous").disabled = shown[0]?.image_id === this.id;
    this.dialog.querySelector(".next").disabled = shown.at(-1)?.image_id === this.id;
  }

  #drawWhy() {
    const place = this.session.shown.findIndex((hit) => hit.image_id === this.id);
    if (place >= 0) drawWhy(this.why, this.session.shown[place], place, () => (this.why.hidden = true));
  }
}
