// Scales: teach what a word means, pair by pair, and see the whole collection in its order.

import * as api from "../../api.js";
import { count, h } from "../../dom.js";
import { Order } from "../../parts/order.js";
import { Blank } from "../../parts/notice.js";
import { Pair } from "../../parts/pair.js";
import { format } from "../../router.js";

const SKIPPED = 40; // pictures of skipped pairs that are remembered
const PINS = 200; // pictures that are looked through for those that were spoken of, which are among them always
const CHANCE = 0.55; // less than this share of pairs in the right order is hardly better than a coin

export class Scales {
  static label = "Scales";

  constructor(shell) {
    this.shell = shell;
    this.turn = 0; // answers to older turns are dropped
  }

  /** Arrows answer here. */
  keys = {
    move: (way) => (this.order.isActive ? this.order.step(way) : this.pair.choose(way)),
    undo: () => (this.name ? this.pair.undo() : false),
    close: () => this.order.pick(null),
  };

  says = { move: "this one, that one, alike, skip", undo: "undo the last answer" };

  mount(place) {
    this.names = h("ul", { class: "names" });
    this.away = h("ul", { class: "put-away muted", "aria-label": "Put away", hidden: true });
    this.field = h("input", { id: "scale-name", maxlength: "100", autocomplete: "off", placeholder: "natural, festive, …", "aria-label": "Name of a new scale" });
    this.blank = new Blank(h("section", { class: "state", hidden: true }));
    this.title = h("h1", { tabindex: "-1" });
    this.told = h("p", { class: "muted", id: "scale-told" });
    this.drop = h("button", { class: "link", type: "button", title: "You do not see it any more; others do", onclick: () => this.#delete() }, "put away");
    const strip = h("section", { class: "order", id: "order", "aria-label": "From least to most" });
    const pair = h("section", { class: "pair", id: "pair", "aria-label": "Which has more?" });
    this.main = h("div", { class: "taught", hidden: true },
      h("header", {}, this.title, h("p", {}, this.told, this.drop)), strip, pair);
    const make = h("form", { class: "make", onsubmit: (event) => { event.preventDefault(); this.#create(this.field.value.trim()); } },
      this.field, h("button", { class: "plain", type: "submit" }, "Create"));
    place.replaceChildren(h("div", { class: "stage scales" },
      h("nav", { class: "list", "aria-label": "Scales" }, make, this.names, this.away), h("div", { class: "pictures" }, this.heading = h("h1", { class: "unseen" }, "Scales"), this.blank.place, this.main)));
    this.order = new Order(strip, { part: (offset, k) => api.orderFrom(this.name, this.shell.user, offset, k), failed: (problem) => this.#complain(problem, () => this.pair.ask()), label: (id, grade) => this.#label(id, grade), search: (id, way) => this.#search(id, way) });
    this.pair = new Pair(pair, {
      next: () => this.#refresh(),
      answer: (what, first, second) => this.#answer(what, first, second),
      undo: async () => { ({ ready: this.ready } = await this.#busy(api.undoAnswer(this.name, this.shell.user))); },
      failed: (problem, retry) => this.#complain(problem, retry),
    });
  }

  unmount() {
    this.turn++;
    this.order.end();
  }

  userChanged() {
    return this.open(new URLSearchParams(this.name ? { name: this.name } : {}));
  }

  /** Follow the address: an attribute, or the first there is. */
  async open(params) {
    const turn = ++this.turn;
    this.skipped = []; // ids that are not asked about again
    try {
      const [{ items }, { items: away }] = await this.#busy(Promise.all([api.attributes(this.shell.user), api.putAway(this.shell.user)]));
      if (turn !== this.turn) return;
      this.name = params.get("name") ?? items[0]?.name ?? null;
      this.shell.title(this.name ? `Scale: ${this.name}` : "Scales");
      this.ready = items.find(({ name }) => name === this.name)?.ready ?? false;
      this.#list(items, away);
      if (!this.name) return this.#nothing();
      this.blank.hide();
      this.main.hidden = false;
      this.heading.hidden = true;
      this.title.textContent = this.name;
      await this.pair.begin();
    } catch (problem) {
      this.#complain(problem, () => this.open(params));
    }
  }

  #nothing() {
    this.main.hidden = true;
    this.heading.hidden = false;
    this.blank.show("Name something that pictures have more or less of, such as natural or festive, and answer a few questions: the whole collection is then ordered by it.");
  }

  #list(items, away) {
    this.away.replaceChildren(...away.map(({ name }) =>
      h("li", {}, name, h("button", { class: "link", type: "button", "aria-label": `bring ${name} back`, onclick: () => this.#restore(name) }, "bring back"))));
    this.away.hidden = !away.length;
    this.names.replaceChildren(...items.map(({ name, answers, others }) =>
      h("li", {}, h("a", { "data-name": name, href: format("taught", { part: "scales", name }), "aria-current": name === this.name ? "page" : null }, name,
        h("span", { class: "muted" }, count(answers + others, "answer"))))));
  }

  /** What is known now: the facts, the order, and the next question, for the pair. */
  async #refresh() {
    const { turn, name, shell: { user } } = this;
    const order = this.ready ? api.order(name, user, PINS) : [];
    const [info, question, hits, { images }] = await this.#busy(Promise.all([api.attribute(name, user), api.attributeQuestion(name, user, this.skipped), order, api.collection()]));
    if (turn !== this.turn) return null;
    const said = [...this.names.querySelectorAll("a")].find((link) => link.dataset.name === name)?.lastElementChild;
    if (said) said.textContent = count(info.answers + info.others, "answer");
    this.told.textContent = sentence(info);
    this.ready = info.ready;
    this.order.show(hits.length ? images : 0, hits.filter(({ said: grade, compared }) => grade !== null || compared), name);
    const heard = info.answers + info.others;
    return {
      question: ["Which is more ", h("em", {}, name), "?"], images: [question.first, question.second],
      known: heard ? 1 - info.needs / (heard + info.needs) : 0, undoable: info.answers > 0,
    };
  }

  /** Say of a picture of the strip whether it has it, then show what came of it. */
  async #label(id, grade) {
    const { turn } = this;
    try {
      ({ ready: this.ready } = await this.#busy(api.label(this.name, { image_id: id, grade, user: this.shell.user })));
      if (turn === this.turn) await this.pair.ask();
    } catch (problem) {
      if (turn === this.turn) this.#complain(problem, () => this.#label(id, grade));
    }
  }

  async #answer(what, first, second) {
    if (what === "skip") return void (this.skipped = [...this.skipped, first, second].slice(-SKIPPED));
    this.shell.announce({ first: "The left one.", second: "The right one.", alike: "About alike." }[what]);
    const [more, less] = what === "second" ? [second, first] : [first, second];
    ({ ready: this.ready } = await this.#busy(api.compare(this.name, { more, less, alike: what === "alike", user: this.shell.user })));
  }

  async #create(name) {
    if (!name) return this.field.focus();
    try {
      await this.#busy(api.createAttribute(name));
      this.field.value = "";
      this.field.blur(); // arrows answer from here on
      return this.shell.go("taught", { part: "scales", name });
    } catch (problem) {
      return this.shell.notify(problem.sentence ?? String(problem));
    }
  }

  /** For this person alone, and it can be brought back: nothing to ask twice. */
  async #delete() {
    const { name, shell } = this;
    try {
      await this.#busy(api.deleteAttribute(name, shell.user));
      shell.notify(`“${name}” is put away for you; others keep it.`, { label: "Bring back", act: () => this.#restore(name) });
      shell.go("taught", { part: "scales" });
    } catch (problem) {
      shell.notify(problem.sentence ?? String(problem));
    }
  }

  async #restore(name) {
    try {
      await this.#busy(api.restoreAttribute(name, this.shell.user));
      this.shell.go("taught", { part: "scales", name });
    } catch (problem) {
      this.shell.notify(problem.sentence ?? String(problem));
    }
  }

  /** Pictures like this one that have more of it, or less. */
  #search(id, way) {
    this.shell.search({ id, where: { [way]: { [this.name]: id } } });
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
    return this.blank.show(`There is no scale called “${this.name}”.`, { label: "All scales", act: () => this.shell.go("taught", { part: "scales" }) });
  }
}

/** How far it is taught, what it is worth and what it still needs, in one line. */
function sentence({ answers, others, needs, sure, ready }) {
  const from = others ? `${count(answers, "answer")} of yours, ${others} of others` : count(answers, "answer");
  const known = !ready ? "no order yet" : sure === null || sure < CHANCE ? "no better than chance yet" : `about ${Math.round(100 * sure)} of 100 pairs in the right order`;
  const more = needs ? `${count(needs, "more answer")} would help` : "enough answers; more still help";
  return `${from} · ${known} · ${more} ·`;
}
