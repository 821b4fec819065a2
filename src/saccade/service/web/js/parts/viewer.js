// The large view: one picture at a time, with the same verbs; it teaches as the grid does. Why opens beside it.

import { original, thumb } from "../api.js";
import { closable, fileName, h, icon } from "../dom.js";
import { hint } from "../verbs.js";
import { Alike } from "./alike.js";
import { makeVerbs, showPressed } from "./card.js";
import { Pointing } from "./pointing.js";
import { Shows } from "./shows.js";
import { tally } from "./strip.js";
import { watchTurns } from "./turn.js";
import { Why } from "./why.js";

export class Viewer {
  /**
   * Fills `dialog`. `act(verb, id)` carries out a verb, `undo()` takes back the last mark, `notify(sentence)` says
   * what came of copying; `part(id, part)` searches for a part of it; `left(id)` is told which was looked at last,
   * `wish(name, way, id)` looks for more or less of an attribute than it has, `word(text)` for what it shows.
   */
  constructor(dialog, session, { act, undo, notify, part, left, wish, word }) {
    Object.assign(this, { dialog, session, notify, wish, id: null });
    const named = (part) => `${dialog.id}-${part}`;
    this.image = h("img", { id: named("image"), alt: "", draggable: "false" });
    this.name = h("p", { class: "name", id: named("name") });
    this.path = h("p", { class: "path", id: named("path") });
    this.save = h("a", { class: "quiet round", id: named("save"), title: "Download", "aria-label": "Download" }, icon("save"));
    this.tally = h("span", { id: named("tally") });
    this.undo = h("button", { class: "link", id: named("undo"), type: "button", title: hint("undo"), onclick: undo }, icon("undo"), "undo");
    this.verbs = makeVerbs({ labels: true });
    this.previous = round("previous", "Previous picture", "left", () => this.step(-1));
    this.next = round("next", "Next picture", "next", () => this.step(1));
    const alike = h("div", { class: "alikes", id: named("alikes"), hidden: true });
    this.alike = new Alike(alike, (id) => act("more", id), () => session.user);
    const shows = h("div", { class: "shows", id: named("shows"), hidden: true });
    this.shows = new Shows(shows, word);
    this.wishes = h("div", { class: "wishes", id: named("wishes"), hidden: true });
    const aside = h("aside", { class: "why", id: named("why"), "aria-label": "Why this picture is here", hidden: true });
    this.why = new Why(aside, session, { word, reveal: (id) => this.#show(id) });
    const light = h("div", { class: "light" }, this.image);
    this.pointing = new Pointing(light, this.image, { page: () => session.page?.page_id, who: () => session.user, pick: (found) => part(this.id, found) });
    // The frame has the focus at first, not the first button: Enter twice must not undo.
    dialog.replaceChildren(
      h("div", { class: "frame", id: named("frame"), tabindex: "-1", autofocus: true },
        h("p", { class: "tally", "aria-live": "polite" }, this.tally, this.undo),
        h("button", { class: "quiet round close", type: "button", "data-close": true, "aria-label": "Close" }, icon("wrong")),
        h("button", { class: "quiet round parts", id: named("parts"), type: "button", title: hint("map"), "aria-label": "Parts of this picture", onclick: () => this.pointing.toggle() }, icon("parts")),
        this.previous, light, this.next,
        shows, alike, this.wishes,
        h("footer", {},
          h("div", { class: "file" }, h("div", { class: "names" }, this.name, this.path),
            h("button", { class: "quiet round", id: named("copy"), type: "button", title: "Copy the path", "aria-label": "Copy the path", onclick: () => this.#copy() }, icon("copy")),
            this.save),
          h("div", { id: named("verbs") }, this.verbs))),
      aside);
    closable(dialog);
    watchTurns(this.image, (by) => this.step(by));
    this.verbs.addEventListener("click", (event) => {
      const verb = event.target.closest("[data-verb]")?.dataset.verb;
      if (verb) act(verb, this.id);
    });
    dialog.addEventListener("close", () => { this.why.close(); this.pointing.off(); left(this.id); });
  }

  /** The attributes that can be asked for here. */
  offer(names) {
    const button = (name, way) => h("button", { class: "link", type: "button", "data-wish": `${way} ${name}`, onclick: () => this.wish(name, way, this.id) }, way);
    this.wishes.hidden = !names.length;
    this.wishes.replaceChildren("like the query, but compared with this one ",
      ...names.flatMap((name) => [button(name, "more"), " · ", button(name, "less"), ` ${name} `]));
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
    const hit = this.session.shown[this.#place() + by];
    if (hit) this.#show(hit.image_id);
  }

  /** On to the next picture that nobody has judged, so that a mark is one key. */
  advance() {
    const rest = this.session.shown.slice(this.#place() + 1);
    const next = rest.find((hit) => !this.session.markOf(hit.image_id));
    if (next) this.#show(next.image_id);
  }

  /** Marks or order changed while the picture is open. */
  refresh() {
    if (!this.isOpen) return;
    showPressed(this.verbs, this.session.markOf(this.id));
    this.tally.textContent = tally(this.session);
    this.#ends();
    if (this.why.isOpen) this.why.show(this.id);
  }

  #place() {
    return this.session.shown.findIndex((hit) => hit.image_id === this.id);
  }

  #show(id) {
    const hit = this.session.hit(id);
    if (!hit) return false;
    this.id = id;
    const name = fileName(hit.path);
    this.#load(hit);
    this.pointing.show(hit);
    this.alike.show(id);
    this.shows.show(id);
    this.image.alt = name;
    this.name.textContent = `${name} · ${hit.width} × ${hit.height}`;
    this.path.replaceChildren(h("bdi", { dir: "ltr" }, hit.path)); // cut at the start, not at the name
    this.path.title = hit.path;
    this.save.href = original(id);
    this.save.download = name;
    showPressed(this.verbs, this.session.markOf(id));
    this.tally.textContent = tally(this.session);
    this.#ends();
    if (this.why.isOpen) this.why.show(this.id);
    return true;
  }

  /** The small version at once, the file as soon as it is there; where it is gone the small one stays. Past twice its size a picture only blurs. */
  #load({ image_id: id, width, height }) {
    this.image.style.setProperty("--most-wide", `${2 * width}px`);
    this.image.style.setProperty("--most-high", `${2 * height}px`);
    this.image.src = thumb(id);
    const whole = new Image();
    whole.src = original(id);
    whole.decode().then(() => {
      if (this.id !== id) return;
      this.image.src = whole.src;
      const next = this.session.shown[this.#place() + 1];
      if (next) new Image().src = original(next.image_id); // so that turning over is instant
    }, () => {});
  }

  async #copy() {
    const path = this.path.textContent;
    try {
      await navigator.clipboard.writeText(path);
      this.notify("The path is on the clipboard.");
    } catch {
      this.notify(`The browser does not let this page copy; the path is ${path}`);
    }
  }

  #ends() {
    const { shown } = this.session;
    this.previous.disabled = shown[0]?.image_id === this.id;
    this.next.disabled = shown.at(-1)?.image_id === this.id;
  }
}

const round = (name, label, drawn, act) =>
  h("button", { class: `quiet round ${name}`, type: "button", "aria-label": label, onclick: act }, icon(drawn));
