// Attributes: teach what a word means, pair by pair, and see the collection in its order.

import * as api from "../api.js";
import { count, h } from "../dom.js";
import { Order } from "../parts/order.js";
import { Blank } from "../parts/notice.js";
import { Pair } from "../parts/pair.js";
import { format } from "../router.js";
import { hint } from "../verbs.js";

const SKIPPED = 40; // pictures of skipped pairs that are remembered
const WIDE = 72; // pixels that a picture of the strip from least to most takes

export class Attributes {
  static label = "Attributes";

  constructor(shell) {
    this.shell = shell;
    this.turn = 0; // answers to older turns are dropped
  }

  /** Arrows answer here. */
  keys = {
    move: (way) => this.pair.choose(way),
    undo: () => this.#undo(),
    close: () => this.order.pick(null),
  };

  says = { move: "this one, that one, alike, skip", undo: "undo the last answer" };

  mount(place) {
    this.names = h("ul", { class: "names" });
    this.field = h("input", { id: "attribute-name", maxlength: "100", autocomplete: "off", placeholder: "natural, festive, …", "aria-label": "Name of a new attribute" });
    this.blank = new Blank(h("section", { class: "state", hidden: true }));
    this.title = h("h1", { tabindex: "-1" });
    this.told = h("p", { class: "muted", id: "attribute-told" });
    this.line = h("progress", { id: "attribute-progress", max: "1", value: "0", "aria-label": "answers so far" });
    this.back = h("button", { class: "link", id: "attribute-undo", type: "button", title: hint("undo"), onclick: () => this.#undo() }, "undo");
    this.drop = h("button", { class: "link", type: "button", onclick: () => this.#delete() }, "delete");
    const strip = h("section", { class: "order", id: "order", "aria-label": "From least to most" });
    const pair = h("section", { class: "pair", id: "pair", "aria-label": "Which has more?" });
    this.main = h("div", { class: "taught", hidden: true },
      h("header", {}, this.title, h("p", {}, this.told, this.back, this.drop), this.line), strip, pair);
    const make = h("form", { class: "make", onsubmit: (event) => { event.preventDefault(); this.#create(this.field.value.trim()); } },
      this.field, h("button", { class: "plain", type: "submit" }, "Create"));
    place.replaceChildren(h("div", { class: "stage attributes" },
      h("nav", { class: "list", "aria-label": "Attributes" }, make, this.names), h("div", { class: "pictures" }, this.blank.place, this.main)));
    this.order = new Order(strip, { label: (id, grade) => this.#say(() => api.label(this.name, { image_id: id, grade, user: this.shell.user })), search: (id, way) => this.#search(id, way) });
    this.pair = new Pair(pair, (answer, first, second) => this.#answer(answer, first, second));
  }

  unmount() {
    this.turn++;
  }

  userChanged() {
    return this.open(new URLSearchParams(this.name ? { name: this.name } : {}));
  }

  /** Follow the address: an attribute, or the first there is. */
  async open(params) {
    const turn = ++this.turn;
    this.skipped = []; // ids that are not asked about again
    try {
      const { items } = await this.#busy(api.attributes(this.shell.user));
      if (turn !== this.turn) return;
      this.name = params.get("name") ?? items[0]?.name ?? null;
      this.shell.title(this.name ? `Attributes: ${this.name}` : "Attributes");
      this.ready = items.find(({ name }) => name === this.name)?.ready ?? false;
      this.#list(items);
      if (!this.name) return this.#nothing();
      this.blank.hide();
      this.main.hidden = false;
      this.title.textContent = this.name;
      await this.#refresh();
    } catch (problem) {
      this.#complain(problem, () => this.open(params));
    }
  }

  #nothing() {
    this.main.hidden = true;
    this.blank.show("Name something that pictures have more or less of, such as natural or festive, and answer a few questions: the whole collection is then ordered by it.");
  }

  #list(items) {
    this.names.replaceChildren(...items.map(({ name, answers, others }) =>
      h("li", {}, h("a", { "data-name": name, href: format("attributes", { name }), "aria-current": name === this.name ? "page" : null }, name,
        h("span", { class: "muted" }, count(answers + others, "answer"))))));
  }

  /** What is known now: the facts, the next question, the order. */
  async #refresh() {
    const { turn, name, shell: { user } } = this;
    const few = Math.max(6, Math.floor(this.main.clientWidth / WIDE));
    const order = this.ready ? api.order(name, user, few) : [];
    const [info, question, hits] = await this.#busy(Promise.all([api.attribute(name, user), api.attributeQuestion(name, user, this.skipped), order]));
    if (turn !== this.turn) return;
    const said = [...this.names.querySelectorAll("a")].find((link) => link.dataset.name === name)?.lastElementChild;
    if (said) said.textContent = count(info.answers + info.others, "answer");
    this.told.textContent = sentence(info);
    this.line.value = info.answers + info.others ? 1 - info.needs / (info.answers + info.others + info.needs) : 0;
    this.back.disabled = !info.answers;
    this.pair.show(question, name);
    this.order.show(hits, name);
  }

  /** Carry out what changes the attribute, then show what came of it. */
  async #say(send) {
    const { turn } = this;
    if (this.saying) return false; // one answer at a time: the next pair is not there yet
    this.saying = true;
    try {
      const info = await this.#busy(send());
      this.ready = info?.ready ?? this.ready;
      if (turn === this.turn) await this.#refresh();
    } catch (problem) {
      if (turn === this.turn) this.#complain(problem, () => this.#say(send));
    } finally {
      this.saying = false;
    }
    return undefined;
  }

  #answer(answer, first, second) {
    const { user } = this.shell;
    if (answer === "skip") return this.#say(async () => { this.skipped = [...this.skipped, first, second].slice(-SKIPPED); });
    this.shell.announce({ first: "The left one.", second: "The right one.", alike: "About alike." }[answer]);
    const [more, less] = answer === "second" ? [second, first] : [first, second];
    return this.#say(() => api.compare(this.name, { more, less, alike: answer === "alike", user }));
  }

  #undo() {
    if (!this.name || this.back.disabled) return false;
    return this.#say(() => api.undoAnswer(this.name, this.shell.user));
  }

  async #create(name) {
    if (!name) return this.field.focus();
    try {
      await this.#busy(api.createAttribute(name));
      this.field.value = "";
      this.field.blur(); // arrows answer from here on
      return this.shell.go("attributes", { name });
    } catch (problem) {
      return this.shell.notify(problem.sentence ?? String(problem));
    }
  }

  /** Gone for everybody, so it is asked twice. */
  #delete() {
    const { name } = this;
    this.shell.notify(`Delete “${name}” for everybody, with all answers?`, { label: "Delete", act: async () => {
      try {
        await this.#busy(api.deleteAttribute(name));
        this.shell.go("attributes");
      } catch (problem) {
        this.shell.notify(problem.sentence ?? String(problem));
      }
    } });
  }

  /** Pictures like this one that have more of it, or less. */
  #search(id, way) {
    this.shell.search({ id, traits: { [way]: { [this.name]: id } } });
  }

  async #busy(answer) {
    this.shell.busy(true);
    try {
      return await answer;
    } finally {
      this.shell.busy(false);
    }
  }

  #complain(problem, retry) {
    const words = problem.sentence ?? String(problem);
    if (problem.code === "nothing-to-undo") return this.shell.notify("There is nothing left to undo.");
    if (problem.code !== "not-found") return this.shell.notify(words, { label: "Try again", act: retry });
    this.main.hidden = true;
    return this.blank.show(words, { label: "All attributes", act: () => this.shell.go("attributes") });
  }
}

/** How far it is taught, how sure it is and what it still needs, in one line. */
function sentence({ answers, others, needs, sure, ready }) {
  const from = others ? `${count(answers, "answer")} of yours, ${others} of others` : count(answers, "answer");
  const known = sure === null ? (ready ? "too early to tell how good the order is" : "no order yet") : `about ${Math.round(100 * sure)}% of pairs in the right order`;
  const more = needs ? `${count(needs, "more answer")} would help` : "enough answers; more still help";
  return `${from} · ${known} · ${more} ·`;
}
