// Search: pictures to start from, then the grid that follows what is marked.

import * as api from "../api.js";
import { count, fileName, h } from "../dom.js";
import { Closer } from "../parts/closer.js";
import { Grid } from "../parts/grid.js";
import { Large } from "../parts/large.js";
import { Blank } from "../parts/notice.js";
import { Start } from "../parts/start.js";
import { Strip } from "../parts/strip.js";
import { Traits } from "../parts/traits.js";
import { watchTouch } from "../parts/touch.js";
import { Viewer } from "../parts/viewer.js";
import { Why } from "../parts/why.js";
import { cut, estimate, lacking } from "../state/cutting.js";
import { said, sentence, told } from "../state/effect.js";
import { Session } from "../state/session.js";
import { between } from "../state/tabs.js";
import { canTakeOff } from "../state/unmark.js";
import { SAID, SIGN } from "../verbs.js";

const MOST_TRAITS = 4; // sliders beside a search

export class Search {
  static label = "Search";

  constructor(shell) {
    this.shell = shell;
    this.session = new Session(shell.user);
    this.called = ""; // what the query is called
  }

  /** What the keyboard does here, by the names of the table of verbs. */
  keys = {
    move: (way) => (this.pair.isOpen ? this.pair.way(way) : this.viewer.isOpen ? this.viewer.step({ left: -1, up: -1, right: 1, down: 1 }[way]) : this.grid.step(way)),
    ...Object.fromEntries(["right", "wrong", "more", "why"].map((verb) => [verb, () => (this.pair.isOpen ? false : this.act(verb, this.viewer.isOpen ? this.viewer.id : this.grid.current))])),
    compare: () => this.#compare(),
    undo: () => { if (this.session.page) this.session.undo(); },
    tidy: () => this.session.toggleTidy(),
    map: () => (this.viewer.isOpen ? this.viewer.pointing.toggle() : false),
    close: () => (this.why.isOpen && !document.querySelector("dialog[open]") ? this.why.close() : false),
  };

  // --- coming and going -----------------------------------------------------------------------

  mount(place) {
    const strip = h("section", { class: "strip", id: "strip", "aria-label": "Query", hidden: true });
    const traits = h("section", { class: "traits", id: "traits", "aria-label": "Attributes", hidden: true });
    const blank = h("section", { class: "state", id: "state", hidden: true });
    const list = h("ul", { class: "grid", id: "grid", "aria-label": "Pictures", tabindex: "-1" });
    const why = h("aside", { class: "why", id: "why", "aria-label": "Why this picture is here", hidden: true });
    const viewer = h("dialog", { class: "viewer", id: "viewer", "aria-label": "Large view" });
    const sheet = h("dialog", { class: "sheet", id: "sheet", "aria-label": "What about this picture" });
    this.pair = new Closer(this.session, {
      failed: (problem) => this.complain(problem),
      done: () => this.shell.notify("There are no two pictures left to compare on this page."),
      left: () => this.grid.focus(),
    });
    this.heading = h("h1", { class: "unseen" });
    this.lead = h("p", { class: "lead", id: "lead", hidden: true });
    this.more = h("button", { class: "plain", id: "more", type: "button", hidden: true, onclick: () => this.#more() });
    place.replaceChildren(this.heading, strip, traits,
      h("div", { class: "stage" }, h("div", { class: "pictures" }, blank, this.lead, list, h("p", { class: "foot" }, this.more)), why),
      viewer, sheet, this.pair.dialog);

    this.strip = new Strip(strip, {
      undo: () => this.session.undo(),
      compare: () => this.#compare(),
      tidy: () => this.session.toggleTidy(),
      reveal: (id) => this.#reveal(id),
      remove: (id) => this.session.unmark(id),
    });
    this.traits = new Traits(traits, (wishes) => this.session.ask(wishes));
    this.blank = new Blank(blank);
    this.grid = new Grid(list);
    this.sample = new Start(this.lead, this.grid);
    this.why = new Why(why, this.session, { beside: (id) => this.grid.cards.get(id), left: (id) => this.grid.focus(id) });
    this.viewer = new Viewer(viewer, this.session, {
      act: (verb, id) => this.act(verb, id),
      undo: () => this.session.undo(),
      notify: this.shell.notify,
      part: (id, part) => this.#part(id, part),
      left: (id) => { this.grid.focus(id); this.large.closed(); },
      wish: (name, way, id) => this.session.ask(this.traits.changed(name, way, id)),
    });
    this.large = new Large(this.viewer, () => this.session.trace);
    watchTouch(list, sheet, (verb, id) => this.act(verb, id), (id) => this.session.markOf(id));
    list.addEventListener("click", (event) => this.#clicked(event));
    this.session.addEventListener("change", ({ detail }) => this.#changed(detail));
    this.tabs = between((session) => { if (session === this.session.page?.session) this.session.elsewhere(); });
    this.session.addEventListener("said", ({ detail }) => this.tabs.tell(detail.session));
    this.session.addEventListener("busy", ({ detail }) => this.shell.busy(detail.on));
    this.session.addEventListener("problem", ({ detail }) => this.complain(detail.problem, detail.retry));
  }

  unmount() {
    this.session.clear(); // answers on their way find nobody
    this.tabs.close();
    this.viewer.close();
    this.pair.close();
  }

  /** Follow the address: a search, the large view of what is on screen, or the start page. */
  open(params, state) {
    this.large.arrived();
    const id = params.get("image");
    if (state?.session && state.session === this.session.page?.session) this.large.follow();
    else if (id) this.begin({ id, ...partOf(params) }, state?.page ? state : null);
    else if (params.get("saved")) this.#openSaved(params.get("saved"));
    else this.start();
  }

  /** Another person searches. */
  userChanged(name) {
    this.session.user = name;
    if (this.session.query?.saved) this.shell.home(); // it is the other's own
    else if (this.session.query) this.begin(this.session.query);
  }

  /** Show pictures to start from. */
  async start() {
    this.#clear();
    this.session.clear();
    this.strip.draw(this.session);
    this.traits.draw(null);
    this.#name("");
    try {
      const { images, more } = await this.sample.show(() => !this.session.query);
      if (this.session.query) return;
      this.#offer("Show others", more);
      if (images) return;
      this.grid.clear();
      this.blank.show("No pictures are indexed yet. Run saccade index with a folder of pictures, then look again.", { label: "Look again", act: () => this.start() });
    } catch (problem) {
      this.complain(problem, () => this.start());
    }
  }

  /** Search with {id} or {file, url}; a trace brings back the page that was left. */
  begin(query, trace = null) {
    const { session } = this;
    if (session.query?.url && session.query !== query) URL.revokeObjectURL(session.query.url);
    this.#clear();
    this.strip.say("");
    this.#call(query);
    this.#offerTraits();
    scrollTo({ top: 0, behavior: "instant" });
    return trace ? session.resume(query, trace) : session.search(query);
  }

  /** Go on with a search that was saved under a name. */
  #openSaved(name) {
    this.#clear();
    this.strip.say("");
    this.#name(name);
    scrollTo({ top: 0, behavior: "instant" });
    return this.session.open(name);
  }

  /** Say in title and heading what is looked for. */
  #name(name) {
    this.called = name;
    this.shell.title(name && `Pictures like ${name}`);
    this.heading.textContent = name ? `Pictures like ${name}` : "Saccade: pictures to start from";
  }

  /** Find out what the query is called; not knowing it costs only the title. */
  async #call(query) {
    this.#name(query.file?.name ?? "this one");
    if (!query.id) return;
    const record = await api.image(query.id).catch(() => null);
    if (!record || this.session.query !== query) return;
    const part = query.box || query.region != null ? "a part of " : "";
    this.#name(part + fileName(record.paths[0] ?? query.id));
    this.strip.draw(this.session, this.called);
  }

  /** Which attributes order pictures; not knowing it costs only the sliders. */
  async #offerTraits() {
    const { user } = this.session;
    const found = await api.attributes(user).catch(() => ({ items: [] }));
    if (user !== this.session.user) return;
    const names = found.items.filter(({ ready }) => ready).map(({ name }) => name);
    this.traits.offer(names.slice(0, MOST_TRAITS));
    this.viewer.offer(names.slice(0, MOST_TRAITS));
  }

  #clear() {
    this.viewer.close();
    this.why.close();
    this.shell.quiet();
    this.blank.hide();
    this.lead.hidden = true;
    this.more.hidden = true;
    this.grid.wait();
  }

  // --- what a person can do -------------------------------------------------------------------

  /** Carry out a verb on a picture. */
  act(verb, id) {
    const { session, viewer } = this;
    if (!id || !session.page) return undefined;
    if (verb === "more") return this.shell.search({ id });
    if (verb === "why") return this.#toggleWhy(id);
    if (session.markOf(id) === SIGN[verb]) return this.#takeOff(id);
    session.mark(id, SIGN[verb]);
    if (viewer.isOpen) viewer.advance();
    return undefined;
  }

  /** Search for a part of a picture alone; where pictures are not cut into their parts yet, that is offered first. */
  async #part(id, part) {
    const { shell } = this;
    try {
      const left = lacking(await api.regionsKnown(null, shell.user));
      if (!left) return shell.search({ id, ...part });
      const start = { label: `Cut ${count(left, "picture")}`, act: () => this.#cutFor(id, part) };
      return shell.notify(`To search by a part, every picture is cut into regions once: ${count(left, "picture")}, ${estimate(left)}.`, start, { stay: true });
    } catch (problem) {
      return this.complain(problem, () => this.#part(id, part));
    }
  }

  /** Cut all pictures, then search for the part; a button stops it, and what is cut is kept. */
  async #cutFor(id, part) {
    const { shell } = this;
    let going = true;
    const stop = { label: "Stop", act: () => { going = false; } };
    try {
      const all = await cut(null, shell.user, { going: () => going, told: ({ done, total }, left) => shell.notify(`Cutting pictures into regions: ${done} of ${total}, ${left} left. The search follows.`, stop, { stay: true }) });
      shell.quiet();
      if (all) shell.search({ id, ...part });
    } catch (problem) {
      this.complain(problem, () => this.#part(id, part));
    }
  }

  /** Ask which of two is closer, again and again until the person has enough. */
  #compare() {
    if (!this.session.page || this.pair.isOpen || this.viewer.isOpen) return false;
    return void this.pair.open();
  }

  /** A second press takes the mark off. */
  #takeOff(id) {
    if (canTakeOff(this.session, id)) this.session.unmark(id);
  }

  /** Show a judged picture in the grid; a tidy grid has none. */
  #reveal(id) {
    if (this.session.tidy) this.session.toggleTidy();
    this.grid.focus(id);
  }

  #clicked(event) {
    const id = event.target.closest(".card")?.dataset.id;
    if (!id) return;
    const verb = event.target.closest("[data-verb]")?.dataset.verb;
    if (verb) this.act(verb, id);
    else if (this.session.page) this.large.open(id);
    else this.shell.search({ id });
  }

  /** The button under the grid: a longer page in a search, other pictures on the start page. */
  #more() {
    if (this.session.page) return this.session.more();
    this.sample.turn();
    scrollTo({ top: 0, behavior: "instant" });
    return this.start();
  }

  #offer(label, offered) {
    this.more.textContent = label;
    this.more.hidden = !offered;
  }

  #toggleWhy(id) {
    const { viewer, grid } = this;
    // The panel lies over a margin of the grid, or over its lower half: the picture stays in sight beside it.
    if (!viewer.isOpen) grid.cards.get(id)?.scrollIntoView({ block: innerWidth <= 960 ? "start" : "nearest" });
    const why = viewer.isOpen ? viewer.why : this.why;
    return why.toggle(id).catch((problem) => this.complain(problem, () => this.#toggleWhy(id)));
  }

  // --- what is shown --------------------------------------------------------------------------

  #stateOf(moves) {
    return (hit) => ({
      mark: this.session.markOf(hit.image_id),
      sending: this.session.sending.has(hit.image_id),
      move: moves ? (moves.get(hit.image_id) ?? null) : undefined,
    });
  }

  #changed({ reason, id, moves, elsewhere, alike }) {
    const { session, grid, viewer } = this;
    this.blank.hide();
    if (reason === "sending") {
      const place = session.shown.findIndex((hit) => hit.image_id === id);
      if (place >= 0) grid.refresh(session.shown[place], { place, ...this.#stateOf()(session.shown[place]) });
      return viewer.refresh();
    }
    const before = this.#inView();
    const badges = told(["more", "tidy", "wish"].includes(reason) || !moves ? new Map() : moves); // whatever a longer page adds is new
    grid.show(session.shown, { stateOf: this.#stateOf(badges), glide: reason !== "search", anchor: id ?? null });
    this.strip.draw(session, this.called);
    this.traits.draw(session.page);
    if (reason === "search") this.#arrived();
    this.large.remember();
    viewer.refresh();
    this.why.refresh();
    this.#offer("Show more", session.canGrow);
    if (!session.page.hits.length) this.#empty();
    this.#say(reason, id, elsewhere, moves && sentence({ moves, before, after: this.#inView(), judged: new Set(session.marks.keys()), alike, believed: session.page.believed }));
    return void this.#measure();
  }

  /** A search without results: too much was asked of attributes, or there is nothing else. */
  #empty() {
    const { more, less } = this.session.page;
    if (!Object.keys({ ...more, ...less }).length) return this.blank.show("Nothing found: the collection holds no other picture.", { label: "Start again", act: this.shell.home });
    return this.blank.show("No picture fits what is asked of attributes.", { label: "Show all", act: () => this.session.ask({ more: {}, less: {} }) });
  }

  /** Results are there: the large view where the address says so, else the first picture has the focus. */
  #arrived() {
    const large = history.state?.large;
    if (large) this.viewer.open(large);
    const free = document.activeElement === document.body || this.strip.section.parentElement.contains(document.activeElement);
    if (free && !this.viewer.isOpen) this.grid.focus();
  }

  /** The pictures that the frame leaves in sight. */
  #inView() {
    return this.grid.visible(this.strip.section.getBoundingClientRect().bottom);
  }

  #say(reason, id, elsewhere, effect) {
    const { session, shell } = this;
    const words = said(reason, { shown: count(session.shown.length, "picture"), tidy: session.tidy, mark: SAID[session.markOf(id)], elsewhere, effect });
    shell.announce(words);
    if (["mark", "unmark", "prefer", "undo", "elsewhere"].includes(reason)) this.strip.say(words);
    if (elsewhere) shell.notify(words);
    const { unlogged } = session.page;
    if (unlogged) shell.notify(`These pictures cannot be marked now: ${unlogged}.`, { label: "Search again", act: () => this.begin(session.query) }, { stay: true });
  }

  /** Ask whether learning pays; a missing answer costs only this line. */
  async #measure() {
    const { user, turn } = this.session;
    const profile = await api.profile(user).catch(() => null);
    if (turn !== this.session.turn) return;
    this.strip.learning.draw(profile);
    this.strip.undo.disabled = this.viewer.undo.disabled = !profile?.events;
  }

  /** One sentence and the next step. With nothing on screen it takes the middle of the page. */
  complain(problem, retry) {
    const { session, shell } = this;
    const sentence = problem.sentence ?? String(problem);
    if (problem.code === "nothing-to-undo") return shell.notify("There is nothing left to undo.");
    if (!retry) return shell.notify(sentence);
    const button = ["not-an-image", "too-large"].includes(problem.code) ? { label: "Choose another", act: shell.pick }
      : problem.code === "not-found" && !session.page ? { label: "Start again", act: shell.home } : { label: "Try again", act: retry };
    if (session.page) return shell.notify(sentence, button, { stay: problem.code === "server-gone" });
    this.grid.clear();
    this.strip.draw(session); // the strip of an earlier search says nothing about this one
    return this.blank.show(sentence, button);
  }
}

/** The part of a picture that an address names. */
function partOf(params) {
  const box = params.get("box")?.split(",").map(Number);
  const region = params.get("region");
  return { ...(box && { box }), ...(region != null && { region: Number(region) }) };
}
