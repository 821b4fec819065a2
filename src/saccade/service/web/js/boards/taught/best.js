// Best of: folders, tags and saved searches at the left; the pictures of one in the order a person teaches, the best first,
// and what counts in each laid over it.

import * as api from "../../api.js";
import { count, h, icon } from "../../dom.js";
import { Grid } from "../../parts/grid.js";
import { Blank } from "../../parts/notice.js";
import { TwoUp } from "../../parts/twoup.js";
import { lay, makeVeil } from "../../parts/veil.js";
import { format } from "../../router.js";
import { hint } from "../../verbs.js";

const GRADES = ["good", "ok", "junk"];
const DRAWS = 8; // times that another pair is drawn before nothing is left to ask
const A_PAGE = 200; // pictures shown at first, and more at a press of a button

export class Best {
  static label = "Best of";

  constructor(shell) {
    Object.assign(this, { shell, name: null, taught: 0, images: [], turn: 0, shown: false, ranking: null, most: A_PAGE });
  }

  keys = {
    move: (way) => (this.compared.isOpen ? this.compared.pair.choose(way) : this.grid.step(way)),
    ...Object.fromEntries(GRADES.map((grade) => [grade, () => this.#grade(this.grid.current, grade)])),
    map: () => this.#toggle(),
    compare: () => (this.compared.isOpen || this.compare.disabled ? false : this.compared.open()),
    undo: () => (this.compared.isOpen ? this.compared.pair.undo() : this.#undo()),
  };

  // --- coming and going -----------------------------------------------------------------------

  mount(place) {
    this.list = h("ul", { class: "keywords", id: "keywords", "aria-label": "Best of" });
    this.heading = h("h1", { id: "best-title" });
    this.about = h("p", { class: "muted", id: "best-about", "aria-live": "polite" });
    this.map = h("button", { class: "plain", id: "best-map", type: "button", "aria-pressed": "false", title: hint("map"), onclick: () => this.#toggle() }, "Show what counts");
    this.compare = h("button", { class: "primary", id: "best-compare", type: "button", title: hint("compare"), onclick: () => this.compared.open() }, "Compare");
    this.undo = h("button", { class: "link", id: "best-undo", type: "button", title: hint("undo"), onclick: () => this.#undo() }, icon("undo"), "undo");
    this.part = h("span", { class: "muted", id: "best-part" });
    this.more = h("button", { class: "plain", id: "best-more", type: "button", hidden: true, onclick: () => this.#more() });
    const list = h("ul", { class: "grid best", id: "grid", "aria-label": "Pictures", tabindex: "-1" });
    const blank = h("section", { class: "state", id: "state", hidden: true });
    this.compared = new TwoUp({
      next: (turn) => this.#question(turn),
      answer: (what, first, second) => this.#answer(what, first, second),
      undo: (last) => this.#unanswer(last),
      failed: (problem) => this.#complain(problem),
      done: () => this.shell.notify("There are no two pictures left to compare here."),
      left: (said) => { if (said) this.#refreshList().catch(() => {}); },
    });
    place.replaceChildren(
      h("div", { class: "stage bests" },
        h("nav", { "aria-label": "Best of" }, this.list),
        h("div", { class: "pictures" },
          h("header", { class: "best-head" }, h("div", {}, this.heading, this.about), this.undo, this.map, this.compare),
          blank, list, h("p", { class: "foot" }, this.part, this.more))),
      this.compared.dialog);
    this.grid = new Grid(list, { dress: (card, one, place) => this.#dress(card, one, place) });
    this.blank = new Blank(blank);
    list.addEventListener("click", (event) => this.#clicked(event));
  }

  unmount() {
    this.turn += 1; // answers on their way find nobody
    this.compared.close();
    this.grid.end();
  }

  async open(params) {
    this.blank.hide();
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
      h("li", {}, h("a", { href: format("taught", { part: "best", name }), "aria-current": name === current ? "page" : null },
        h("span", { class: "title" }, title),
        h("span", { class: "muted" }, [kind === "folder" ? null : kind, count(images, "picture"), preferences + graded ? `${preferences + graded} said` : null].filter(Boolean).join(" · "))))));
  }

  async #choose(name) {
    Object.assign(this, { name, images: [], most: A_PAGE });
    this.grid.wait();
    await this.#rank(false);
  }

  /** More of the same pictures. */
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
    } finally {
      this.shell.busy(false);
    }
  }

  #draw(total, glide) {
    const shown = this.images.length;
    this.part.textContent = shown < total ? `The first ${shown.toLocaleString("en")} of ${count(total, "picture")} ` : "";
    this.more.hidden = shown >= total;
    this.more.textContent = `Show ${Math.min(A_PAGE, total - shown)} more`;
    const { concept, learned } = this.ranking;
    this.heading.textContent = concept.title;
    this.shell.title(concept.title);
    const said = [count(concept.preferences, "pair"), `${concept.graded} graded`].join(", ");
    this.about.textContent = learned ? `${count(total, "picture")}, the best first · ${said}`
      : `${count(total, "picture")}, in the collection's order: say which is better, and they follow · ${said}`;
    this.map.disabled = !learned;
    this.compare.disabled = concept.images < 2;
    this.undo.disabled = !this.taught;
    if (!learned) this.#show(false);
    this.grid.show(this.images, { judging: false, glide });
    if (!this.images.length) this.#empty("It has no picture in the collection any more.");
  }

  /** A card's place, its grade and what counts in it. */
  #dress(card, one, place) {
    if (!card.querySelector(".grades")) {
      card.append(h("span", { class: "place", "aria-hidden": "true" }),
        h("div", { class: "grades", role: "group", "aria-label": "What it is worth" }, ...GRADES.map((grade) =>
          h("button", { type: "button", "data-grade": grade, title: hint(grade), tabindex: "-1" }, grade))));
      card.querySelector(".picture").append(makeVeil());
    }
    card.querySelector(".place").textContent = place + 1;
    card.dataset.grade = one.grade;
    for (const button of card.querySelectorAll("[data-grade]")) button.setAttribute("aria-pressed", String(button.dataset.grade === one.grade));
    this.#veil(card, one);
  }

  #veil(card, one) {
    // `taught` only makes the address another one: what was said since changes the map.
    const about = { concept: this.name, taught: this.taught };
    lay(card.querySelector(".veil"), this.shown ? api.map(one.image_id, about, this.shell.user) : null);
  }

  #toggle() {
    if (this.map.disabled) return false;
    return this.#show(!this.shown);
  }

  #show(on) {
    this.shown = on;
    this.map.setAttribute("aria-pressed", String(on));
    this.map.textContent = on ? "Hide what counts" : "Show what counts";
    this.grid.refreshAll();
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

  // --- two at a time --------------------------------------------------------------------------

  /** Two pictures whose order is not known; those called alike are not asked about again. */
  async #question(turn) {
    if (!turn) this.alike = [];
    const { concept } = this.ranking;
    const known = Math.min(1, (concept.preferences + this.alike.length) / Math.max(1, concept.images - 1)); // each in a pair, about
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const { images } = await api.question(this.name, this.shell.user, turn + draw);
      const again = images.length && this.alike.includes(both(images[0].image_id, images[1].image_id));
      if (!again) return { question: `Which is the better picture of ${this.title}?`, images, known };
    }
    return { question: "", images: [], known };
  }

  async #answer(what, first, second) {
    if (what === "skip") return;
    if (what === "alike") return void this.alike.push(both(first, second));
    const [better, worse] = what === "first" ? [first, second] : [second, first];
    await api.preferConcept(this.name, { better, worse, user: this.shell.user });
    await this.#rank(true);
  }

  async #unanswer({ what, first, second }) {
    if (what === "alike") this.alike = this.alike.filter((one) => one !== both(first, second));
    else await this.#undo();
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
    if (["unknown-name", "not-found"].includes(problem.code)) return this.#empty("There is no folder, tag or saved search of that name.");
    const sentence = problem.sentence ?? String(problem);
    const button = retry && { label: "Try again", act: retry };
    if (this.images.length || !retry) return this.shell.notify(sentence, button);
    this.grid.clear();
    return this.blank.show(sentence, button);
  }
}

/** Two ids as one name, in either order. */
const both = (first, second) => [first, second].sort().join();
