// Concepts: keywords at the left, a keyword's pictures in the order a person teaches, what counts in each laid over it.

import * as api from "../api.js";
import { count, h, icon } from "../dom.js";
import { Cutting } from "../parts/cutting.js";
import { Grid } from "../parts/grid.js";
import { Blank } from "../parts/notice.js";
import { TwoUp } from "../parts/twoup.js";
import { hint } from "../verbs.js";

const GRADES = ["good", "ok", "junk"];
const A_PAGE = 200; // pictures shown at first, and more at a press of a button

export class Concepts {
  static label = "Concepts";

  constructor(shell) {
    Object.assign(this, { shell, name: null, taught: 0, images: [], turn: 0, shown: false, ranking: null, most: A_PAGE });
  }

  keys = {
    move: (way) => (this.pair.isOpen ? this.pair.way(way) : this.grid.step(way)),
    ...Object.fromEntries(GRADES.map((grade) => [grade, () => this.#grade(this.grid.current, grade)])),
    map: () => this.#toggle(),
    compare: () => (this.pair.isOpen || this.compare.disabled ? false : this.pair.open()),
    undo: () => this.#undo(),
  };

  // --- coming and going -----------------------------------------------------------------------

  mount(place) {
    this.list = h("ul", { class: "keywords", id: "keywords", "aria-label": "Concepts" });
    this.heading = h("h1", { id: "concept" });
    this.about = h("p", { class: "muted", id: "concept-about", "aria-live": "polite" });
    this.map = h("button", { class: "plain", id: "map", type: "button", "aria-pressed": "false", title: hint("map"), onclick: () => this.#toggle() }, "Show what counts");
    this.compare = h("button", { class: "primary", id: "compare", type: "button", title: hint("compare"), onclick: () => this.pair.open() }, "Compare");
    this.undo = h("button", { class: "link", id: "concept-undo", type: "button", title: hint("undo"), onclick: () => this.#undo() }, icon("undo"), "undo");
    const cutting = h("section", { class: "cutting", "aria-label": "Regions" });
    this.part = h("span", { class: "muted", id: "concept-part" });
    this.more = h("button", { class: "plain", id: "concept-more", type: "button", hidden: true, onclick: () => this.#more() });
    const list = h("ul", { class: "grid concept", id: "grid", "aria-label": "Pictures", tabindex: "-1" });
    const blank = h("section", { class: "state", id: "state", hidden: true });
    const pair = h("dialog", { class: "twoup", id: "twoup", "aria-label": "Compare two pictures" });
    place.replaceChildren(
      h("div", { class: "stage concepts" },
        h("nav", { "aria-label": "Concepts" }, this.list),
        h("div", { class: "pictures" },
          h("header", { class: "concept-head" }, h("div", {}, this.heading, this.about), this.undo, this.map, this.compare),
          cutting, blank, list, h("p", { class: "foot" }, this.part, this.more))),
      pair);
    this.grid = new Grid(list);
    this.cutting = new Cutting(cutting, { done: () => this.#again(), failed: (problem) => this.#complain(problem) });
    this.blank = new Blank(blank);
    this.pair = new TwoUp(pair, {
      next: async (turn) => ({ question: `Which is the better picture of ${this.title}?`, images: (await api.question(this.name, this.shell.user, turn)).images }),
      chose: async (better, worse) => { await api.preferConcept(this.name, { better, worse, user: this.shell.user }); await this.#rank(true); },
      failed: (problem) => this.#complain(problem),
      done: () => this.shell.notify("There are no two pictures left to compare here."),
      left: (said) => { if (said) this.#refreshList().catch(() => {}); },
    });
    list.addEventListener("click", (event) => this.#clicked(event));
  }

  unmount() {
    this.turn += 1; // answers on their way find nobody
    this.cutting.leave();
    this.pair.close();
  }

  async open(params) {
    this.blank.hide();
    this.cutting.leave();
    const turn = ++this.turn;
    try {
      const { items } = await api.concepts(this.shell.user);
      if (turn !== this.turn) return;
      const wanted = params.get("name");
      const first = items.find(({ preferences, graded }) => preferences + graded) ?? items[0];
      this.#list(items, wanted ?? first?.name);
      if (!first && !wanted) return void this.#empty("There is no folder, tag or saved search to rank yet. Run saccade index with a folder of pictures, then look again.");
      await this.#choose(wanted ?? first.name);
    } catch (problem) {
      this.#complain(problem, () => this.open(params));
    }
  }

  userChanged() {
    this.open(new URLSearchParams(this.name ? { name: this.name } : {}));
  }

  // --- what is shown --------------------------------------------------------------------------

  #list(items, current) {
    this.list.replaceChildren(...items.map(({ name, kind, title, images, preferences, graded }) =>
      h("li", {}, h("a", { href: `#/concepts?${new URLSearchParams({ name })}`, "aria-current": name === current ? "page" : null },
        h("span", { class: "title" }, title),
        h("span", { class: "muted" }, [kind === "folder" ? null : kind, count(images, "picture"), preferences + graded ? `${preferences + graded} said` : null].filter(Boolean).join(" · "))))));
  }

  async #choose(name) {
    Object.assign(this, { name, images: [], most: A_PAGE });
    this.grid.wait();
    await this.#rank(false);
  }

  /** The same pictures, now that something is known of more of them. */
  async #again() {
    try {
      await this.#rank(true);
    } catch (problem) {
      this.#complain(problem);
    }
  }

  #more() {
    this.most += A_PAGE;
    return this.#again();
  }

  async #rank(glide) {
    const { turn } = this;
    this.shell.busy(true);
    try {
      const { ranking, images } = await api.ranked(this.name, this.shell.user, this.most);
      if (turn !== this.turn) return;
      this.ranking = ranking;
      this.taught = ranking.concept.preferences + ranking.concept.graded;
      this.title = ranking.concept.title;
      this.name = ranking.concept.name;
      this.images = images.items;
      this.#draw(images.total, glide);
      await this.#offer(turn);
    } finally {
      this.shell.busy(false);
    }
  }

  /** What is not cut yet, and that there is more to see. */
  async #offer(turn) {
    const { concept } = this.ranking;
    if (concept.prepared === concept.images) return this.cutting.offer(this.name, this.shell.user, concept);
    const { failed } = await api.regionsKnown(this.name, this.shell.user);
    return turn === this.turn && this.cutting.offer(this.name, this.shell.user, { ...concept, failed });
  }

  #draw(total, glide) {
    const shown = this.images.length;
    this.part.textContent = shown < total ? `The first ${shown.toLocaleString("en")} of ${count(total, "picture")} ` : "";
    this.more.hidden = shown >= total;
    this.more.textContent = `Show ${Math.min(A_PAGE, total - shown)} more`;
    const { concept, learned } = this.ranking;
    this.heading.textContent = concept.title;
    this.shell.title(concept.title);
    const said = [count(concept.preferences, "preference"), `${concept.graded} graded`].join(", ");
    this.about.textContent = learned ? `${count(total, "picture")}, the best first · ${said}`
      : `${count(total, "picture")}, in the collection's order: say which is better, and they follow · ${said}`;
    this.map.disabled = !learned;
    this.compare.disabled = concept.prepared < 2;
    this.undo.disabled = !this.taught;
    if (!learned) this.#show(false);
    this.grid.show(this.images, { judging: false, glide });
    this.images.forEach((one, place) => this.#dress(one, place));
    if (!this.images.length) this.#empty("This concept has no picture in the collection any more.");
  }

  /** A card's place, its grade and what counts in it. */
  #dress(one, place) {
    const card = this.grid.cards.get(one.image_id);
    if (!card.querySelector(".grades")) {
      card.append(h("span", { class: "place", "aria-hidden": "true" }),
        h("div", { class: "grades", role: "group", "aria-label": "What it is worth" }, ...GRADES.map((grade) =>
          h("button", { type: "button", "data-grade": grade, title: hint(grade), tabindex: "-1" }, grade))));
      card.querySelector(".picture").append(h("img", { class: "veil", alt: "", "aria-hidden": "true", hidden: true, draggable: "false" }));
    }
    card.querySelector(".place").textContent = place + 1;
    card.dataset.grade = one.grade;
    for (const button of card.querySelectorAll("[data-grade]")) button.setAttribute("aria-pressed", String(button.dataset.grade === one.grade));
    this.#veil(card, one);
  }

  #veil(card, one) {
    const veil = card.querySelector(".veil");
    veil.hidden = !this.shown || !one.regions;
    const source = api.relevance(one.image_id, this.name, this.shell.user, this.taught);
    if (!veil.hidden && veil.getAttribute("src") !== source) veil.src = source;
  }

  #toggle() {
    if (this.map.disabled) return false;
    return this.#show(!this.shown);
  }

  #show(on) {
    this.shown = on;
    this.map.setAttribute("aria-pressed", String(on));
    this.map.textContent = on ? "Hide what counts" : "Show what counts";
    for (const one of this.images) {
      const card = this.grid.cards.get(one.image_id);
      if (card?.querySelector(".veil")) this.#veil(card, one);
    }
  }

  #empty(sentence) {
    this.grid.clear();
    this.blank.show(sentence, { label: "Look again", act: () => this.open(new URLSearchParams()) });
  }

  // --- what a person can do -------------------------------------------------------------------

  #clicked(event) {
    const id = event.target.closest(".card")?.dataset.id;
    if (!id) return;
    const grade = event.target.closest("[data-grade]:not(.card)")?.dataset.grade;
    if (grade) this.#grade(id, grade);
    else this.shell.search({ id });
  }

  async #grade(id, grade) {
    if (!id || !this.name) return;
    const before = this.images.map(({ image_id: one }) => one);
    try {
      await api.gradeConcept(this.name, { image_id: id, grade, user: this.shell.user });
      await this.#rank(true);
      const moved = this.images.filter(({ image_id: one }, place) => before[place] !== one).length;
      this.shell.announce(`Graded ${grade}; ${count(moved, "picture")} moved.`);
      await this.#refreshList();
    } catch (problem) {
      this.#complain(problem);
    }
  }

  async #undo() {
    try {
      await api.undoLast(this.shell.user);
      await this.#rank(true);
      await this.#refreshList();
    } catch (problem) {
      if (problem.code === "nothing-to-undo") this.shell.notify("There is nothing left to undo.");
      else this.#complain(problem);
    }
  }

  async #refreshList() {
    this.#list((await api.concepts(this.shell.user)).items, this.name);
  }

  #complain(problem, retry = null) {
    const sentence = problem.sentence ?? String(problem);
    const button = retry && { label: "Try again", act: retry };
    if (this.images.length || !retry) return this.shell.notify(sentence, button);
    this.grid.clear();
    return this.blank.show(sentence, button);
  }
}
