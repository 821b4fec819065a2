// Search: pictures to start from, then the grid that follows what is marked.

import * as api from "../api.js";
import { count, fileName, h } from "../dom.js";
import { Chips } from "../parts/chips.js";
import { ChoiceBar, watchDrags } from "../parts/choosing.js";
import { closer } from "../parts/closer.js";
import { askFolder } from "../parts/firstrun.js";
import { Grid } from "../parts/grid.js";
import { Large } from "../parts/large.js";
import { Blank } from "../parts/notice.js";
import { Start } from "../parts/start.js";
import { Strip } from "../parts/strip.js";
import { watchTouch } from "../parts/touch.js";
import { VerbBar } from "../parts/verbbar.js";
import { Unknown } from "../parts/unknown.js";
import { Viewer } from "../parts/viewer.js";
import { Why } from "../parts/why.js";
import { effect, said, told } from "../state/effect.js";
import { configure } from "../state/configuring.js";
import { hintFor, remembering } from "../state/hints.js";
import { ofPage, ofParams, scaled, toParams } from "../state/narrowing.js";
import { Selection } from "../state/selection.js";
import { Session } from "../state/session.js";
import { between } from "../state/tabs.js";
import { canTakeOff } from "../state/unmark.js";
import { SAID, SIGN } from "../verbs.js";

const MOST_SCALES = 4; // offered beside a search
const FILL = 2000; // milliseconds between two looks whether pictures have come
const REST = 150; // milliseconds after which scrolling has come to rest

export class Search {
  static label = "Search";

  constructor(shell) {
    this.shell = shell;
    this.session = new Session(shell.user, shell.outbox);
    this.called = ""; // what the query is called
    this.teaching = null; // the word that a picture is chosen for
    this.selection = new Selection();
    this.moves = new Map(); // what the last mark moved far enough to tell
  }

  /** What the keyboard does here, by the names of the table of verbs. */
  keys = {
    move: (way) => (this.compared.isOpen ? this.compared.pair.choose(way) : this.viewer.isOpen ? this.viewer.step({ left: -1, up: -1, right: 1, down: 1 }[way]) : this.grid.step(way)),
    ...Object.fromEntries(["right", "wrong", "more", "why"].map((verb) => [verb, () => (this.compared.isOpen ? false : this.act(verb, this.viewer.isOpen ? this.viewer.id : this.grid.current))])),
    compare: () => this.#compare(),
    undo: () => (this.compared.isOpen ? this.compared.pair.undo() : this.session.page ? this.session.undo() : false),
    tidy: () => this.session.toggleTidy(),
    stack: () => (this.viewer.isOpen || this.compared.isOpen ? false : this.#toggleStack(this.grid.current)),
    map: () => (this.viewer.isOpen ? this.viewer.pointing.toggle() : false),
    choose: () => (this.grid.current && !this.viewer.isOpen && !this.compared.isOpen ? this.selection.toggle(this.grid.current) : false),
    close: () => (this.selection.size && !document.querySelector("dialog[open]") ? this.selection.clear() : this.why.isOpen && !document.querySelector("dialog[open]") ? this.why.close() : false),
  };

  // --- coming and going -----------------------------------------------------------------------

  mount(place) {
    const strip = h("section", { class: "strip", id: "strip", "aria-label": "Query", hidden: true });
    const narrowing = h("div", { class: "chips", id: "chips", role: "group", "aria-label": "Narrow" });
    const blank = h("section", { class: "state", id: "state", hidden: true });
    const list = h("ul", { class: "grid", id: "grid", "aria-label": "Pictures", tabindex: "-1" });
    const why = h("aside", { class: "why", id: "why", "aria-label": "Why this picture is here", hidden: true });
    const viewer = h("dialog", { class: "viewer", id: "viewer", "aria-label": "Large view" });
    const sheet = h("dialog", { class: "sheet", id: "sheet", "aria-label": "What about this picture" });
    const chosen = h("section", { class: "chosen", id: "chosen", "aria-label": "Chosen pictures", hidden: true });
    this.compared = closer(this.session, {
      failed: (problem) => this.complain(problem),
      done: () => this.shell.notify("There are no two pictures left to compare on this page."),
      left: () => this.grid.focus(),
    });
    this.heading = h("h1", { class: "unseen" });
    this.lead = h("p", { class: "lead", id: "lead", hidden: true });
    this.more = h("button", { class: "plain", id: "more", type: "button", hidden: true, onclick: () => this.#more() });
    place.replaceChildren(this.heading, strip,
      h("div", { class: "stage" }, h("div", { class: "pictures" }, blank, this.lead, list, h("p", { class: "foot" }, this.more)), why),
      viewer, sheet, this.compared.dialog, chosen);

    this.strip = new Strip(strip, {
      narrowing,
      save: h("button", { class: "plain", id: "save", type: "button", popovertarget: "saves", title: "Save this search" }, "Save"),
      undo: () => this.session.undo(),
      compare: () => this.#compare(),
      tidy: () => this.session.toggleTidy(),
      reveal: (id) => this.#reveal(id),
      remove: (id) => this.session.unmark(id),
      ask: (query) => (query ? this.shell.search({ ...query, where: this.narrowed() }) : this.shell.home()),
    });
    this.chips = new Chips(narrowing, { ask: (where) => this.#narrow(where), user: () => this.shell.user, usual: () => { configure({ configuration: null }); this.begin(this.session.query); } });
    this.blank = new Blank(blank);
    this.unknown = new Unknown(blank, { search: (text) => this.shell.search({ text }), teach: (word) => this.#teach(word) });
    this.grid = new Grid(list, { verbs: new VerbBar(list, (id) => this.session.markOf(id)) });
    this.session.near = () => this.grid.near();
    // Going on costs no press: what comes next is fetched before the end is in sight.
    this.ahead = new IntersectionObserver(([{ isIntersecting }]) => { if (isIntersecting && (this.session.page || this.browsing) && !this.more.hidden) this.#more(); }, { rootMargin: "0px 0px 100% 0px" });
    this.ahead.observe(this.more);
    this.sample = new Start(this.lead, this.grid, ({ image_id: id }) => ({ selected: this.selection.has(id) }));
    this.why = new Why(why, this.session, { beside: (id) => this.grid.outline(id), left: (id) => this.grid.focus(id), word: (text) => this.shell.search({ text }), reveal: (id) => this.#reveal(id) });
    this.viewer = new Viewer(viewer, this.session, {
      act: (verb, id) => this.act(verb, id),
      undo: () => this.session.undo(),
      notify: this.shell.notify,
      part: (id, part) => this.shell.search({ id, ...part }),
      left: (id) => { this.grid.focus(id); this.large.closed(); },
      wish: (name, way, id) => this.large.leave(() => this.#narrow(scaled(ofPage(this.session.page), name, way, id))),
      word: (text) => this.shell.search({ text }),
    });
    this.large = new Large(this.viewer, () => this.#trace());
    this.ends = new AbortController();
    let rest = null;
    addEventListener("scroll", () => { clearTimeout(rest); rest = setTimeout(() => this.keep(), REST); }, { passive: true, signal: this.ends.signal });
    this.choice = new ChoiceBar(chosen, this.selection, {
      mark: (sign) => { this.session.markAll([...this.selection.ids], sign); this.selection.clear(); },
      tag: (name) => this.#tag(name),
      save: () => { this.session.markAll([...this.selection.ids], "liked"); this.selection.clear(); document.getElementById("saves").showPopover(); },
      list: () => this.#export(),
      copy: () => this.#copy(),
      zip: () => this.#zip(),
    });
    // While pictures arrive, an empty page fills, and the number on it follows.
    const arrived = () => { if (!this.session.query && !this.browsing && !this.selection.size && this.grid.items.length < this.sample.fill && scrollY < 200) this.#fill(); };
    this.shell.jobs.addEventListener("change", () => { if (this.shell.jobs.current) arrived(); }, { signal: this.ends.signal });
    this.shell.jobs.addEventListener("ended", () => { this.chips.renew(); arrived(); }, { signal: this.ends.signal });
    this.selection.addEventListener("change", () => { this.choice.judging(this.session.page !== null); this.grid.refreshAll(); });
    watchDrags(list, this.selection, (box) => this.grid.within(box), this.ends.signal);
    watchTouch(list, sheet, {
      act: (verb, id) => this.act(verb, id), markOf: (id) => this.session.markOf(id), selection: this.selection,
      at: (x, y) => this.grid.within({ left: x, right: x, top: y, bottom: y })[0], between: (one, other) => this.grid.between(one, other),
    });
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
    this.ends.abort();
    this.ahead.disconnect();
    this.chips.end();
    this.grid.end();
    this.viewer.close();
    this.compared.close();
  }

  /** A promise while an entry of the history is about to go. */
  get leaving() {
    return this.large.leaving;
  }

  /** Follow the address: a search, the large view of what is on screen, or the start page. */
  open(params, state) {
    this.large.arrived();
    const [id, text] = [params.get("image"), params.get("text")];
    if (state?.session && state.session === this.session.page?.session) this.large.follow();
    else if (id || text) this.begin({ ...(text && { text }), ...(id && { id }), ...partOf(params), where: ofParams(params) }, state?.page ? state : null);
    else if (params.get("saved")) this.#openSaved(params.get("saved"), state?.at);
    else if (Object.keys(ofParams(params)).length) this.browse(ofParams(params), state);
    else this.start(state);
  }

  /** What it takes to come back: to a search, or to the pictures to start from; and to the place in them. */
  #trace() {
    const at = this.grid.at(this.#covered());
    if (this.session.page) return { ...this.session.trace, at };
    return this.browsing ? { shown: this.sample.items.length, at } : { seed: this.sample.seed, at };
  }

  /** What narrows the pictures on screen. */
  narrowed() {
    return this.session.page ? ofPage(this.session.page) : (this.browsing ?? {});
  }

  /** Keep the place in the history, for the way back and a reload; not while something else is on its way. */
  keep() {
    if (this.ends.signal.aborted || !this.grid.items.length || (this.session.query && !this.session.page)) return;
    this.large.remember();
  }

  /** Another person searches. */
  userChanged(name) {
    this.session.user = name;
    if (this.session.query?.saved) this.shell.home(); // it is the other's own
    else if (this.session.query) this.begin(this.session.query);
  }

  /** Show all pictures that fit, with nothing looked for among them. */
  async browse(where, kept = null) {
    this.#leave(where);
    this.browsing = where;
    const wanted = () => this.browsing === where;
    try {
      const { images, more } = await this.sample.browse(where, this.shell.user, wanted, kept?.shown);
      if (!wanted()) return;
      this.#offer("Show more", more);
      if (kept?.at) this.grid.goTo(kept.at);
      if (images) return;
      this.grid.clear();
      this.lead.hidden = true;
      this.blank.show("No picture fits all of this.", { label: "Show all", act: this.shell.home });
    } catch (problem) {
      this.complain(problem, () => this.browse(where));
    }
  }

  /** No search is on screen any more. */
  #leave(where) {
    this.#clear();
    this.session.clear();
    this.strip.draw(this.session);
    this.lead.after(this.chips.place);
    this.chips.draw({ where, ranking: null });
    this.#offerScales();
    this.shell.words("");
    this.#name("");
  }

  /** Look whether pictures to start from have come; not more often than they can be looked at. */
  async #fill() {
    this.unseen = true; // whoever asks while it is looked may know of more than that look finds
    if (this.filling) return;
    this.filling = true;
    this.unseen = false;
    const wanted = () => !this.session.query && !this.browsing;
    const { images } = await this.sample.show(wanted).catch(() => ({ images: 0 }));
    if (images && wanted()) this.blank.hide();
    if (images && wanted() && !this.chips.useful.size) this.chips.renew();
    setTimeout(() => {
      this.filling = false;
      if (this.unseen && wanted() && !this.ends.signal.aborted) this.#fill();
    }, FILL);
  }

  /** Show pictures to start from. */
  async start(kept = null) {
    if (kept?.seed !== undefined) this.sample.seed = kept.seed;
    this.#leave({});
    try {
      const wanted = () => !this.session.query && !this.browsing;
      const { images, more } = await this.sample.show(wanted);
      if (!wanted()) return;
      this.#offer("Show others", more);
      if (images && kept?.at) this.grid.goTo(kept.at);
      if (images) return;
      this.grid.clear();
      if (this.shell.me.role === "owner") askFolder(this.blank.place, (folder) => this.shell.jobs.begin({ kind: "index", folder }));
      else this.blank.show("No pictures are indexed yet. Whoever owns the server can add a folder.", { label: "Look again", act: () => this.start() });
    } catch (problem) {
      this.complain(problem, () => this.start());
    }
  }

  /** Search with {text}, {id}, both, or {file, url}; a trace brings back the page that was left. */
  begin(query, trace = null) {
    const { session } = this;
    if (session.query?.url && session.query !== query) URL.revokeObjectURL(session.query.url);
    this.#clear();
    this.strip.say("");
    this.strip.advise("");
    this.strip.hold(this.chips.place);
    this.shell.words(query.text ?? "");
    this.#call(query);
    this.#offerScales();
    scrollTo({ top: 0, behavior: "instant" });
    this.back = trace?.at ?? null;
    return trace ? session.resume(query, trace) : session.search(query);
  }

  /** Go on with a search that was saved under a name. */
  #openSaved(name, at = null) {
    this.#clear();
    this.back = at;
    this.strip.hold(this.chips.place);
    this.strip.say("");
    this.strip.advise("");
    this.#name(name);
    scrollTo({ top: 0, behavior: "instant" });
    return this.session.open(name);
  }

  /** Say in title and heading what is looked for. */
  #name(name) {
    const words = this.session.query?.text;
    const about = words ? `Pictures of “${words}”` : name && `Pictures like ${name}`;
    this.called = name;
    this.shell.title(about);
    this.heading.textContent = about || "Saccade: pictures to start from";
  }

  /** Find out what the query is called; not knowing it costs only the title. */
  async #call(query) {
    this.#name(query.file?.name ?? (query.id || query.url ? "this one" : query.text));
    if (!query.id) return;
    const record = await api.image(query.id).catch(() => null);
    if (!record || this.session.query !== query) return;
    const part = query.box || query.spot ? "a part of " : "";
    this.#name(part + (record.paths.length ? fileName(record.paths[0]) : query.called ?? "your picture"));
    this.strip.draw(this.session, this.called);
  }

  /** Which scales order pictures; not knowing it costs only their chips. */
  async #offerScales() {
    const { user } = this.session;
    const found = await api.attributes(user).catch(() => ({ items: [] }));
    if (user !== this.session.user) return;
    const names = found.items.filter(({ ready }) => ready).map(({ name }) => name);
    this.chips.offer(names.slice(0, MOST_SCALES));
    this.viewer.offer(names.slice(0, MOST_SCALES));
  }

  #clear() {
    this.viewer.close();
    this.why.close();
    this.shell.quiet();
    this.blank.hide();
    this.lead.hidden = true;
    this.more.hidden = true;
    this.grid.wait();
    this.teaching = null;
    this.browsing = null;
    this.selection.clear();
  }

  /** Show pictures to choose from: one that shows a word, which is then looked for by both. */
  async #teach(word) {
    this.blank.hide();
    this.teaching = word;
    try {
      await this.sample.lesson(word);
      this.grid.focus();
    } catch (problem) {
      this.complain(problem, () => this.#teach(word));
    }
  }

  // --- what a person can do -------------------------------------------------------------------

  /** Carry out a verb on a picture. */
  act(verb, id) {
    const { session, viewer } = this;
    if (id && verb === "stack") return this.#toggleStack(id);
    if (!id || !session.page) return undefined;
    if (verb === "choose") return this.selection.toggle(id);
    if (verb === "more") return this.shell.search({ id, where: ofPage(session.page) });
    if (verb === "why") return this.#toggleWhy(id);
    if (session.markOf(id) === SIGN[verb]) return this.#takeOff(id);
    session.mark(id, SIGN[verb]);
    if (viewer.isOpen) viewer.advance();
    return undefined;
  }

  /** Spread out what is nearly the same, in a search or in what is browsed. */
  #toggleStack(id) {
    if (this.session.page) return this.session.toggleStack(id);
    return this.browsing ? this.sample.toggleStack(id) : false;
  }

  /** Ask which of two is closer, again and again until the person has enough. */
  #compare() {
    if (!this.session.page || this.compared.isOpen || this.viewer.isOpen) return false;
    return void this.compared.open();
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
    else if (event.shiftKey) this.selection.extend(id, this.grid.items);
    else if (event.ctrlKey || event.metaKey || (this.selection.size && event.pointerType === "touch")) this.selection.toggle(id);
    else if (this.teaching) this.shell.search({ text: this.teaching, id });
    else if (this.session.page) this.large.open(id);
    else this.shell.search({ id, where: this.chips.where });
  }

  /** The button under the grid: a longer page in a search, other pictures on the start page. */
  #more() {
    if (this.session.page) return void (this.growing ||= this.session.more().finally(() => { this.growing = null; }));
    if (this.browsing) return void (this.growing ||= this.#further().finally(() => { this.growing = null; }));
    this.sample.turn();
    scrollTo({ top: 0, behavior: "instant" });
    return this.start();
  }

  /** More of what is browsed. */
  async #further() {
    const where = this.browsing;
    const { more } = await this.sample.next(() => this.browsing === where).catch(() => ({ more: true }));
    if (this.browsing === where) this.#offer("Show more", more);
  }

  #offer(label, offered) {
    this.more.textContent = label;
    this.more.hidden = !offered;
    this.ahead.unobserve(this.more);
    this.ahead.observe(this.more); // it tells of a change only, and the end may be in sight still
  }

  #toggleWhy(id) {
    const { viewer, grid } = this;
    // The panel lies over a margin of the grid, or over its lower half: the picture stays in sight beside it.
    if (!viewer.isOpen) grid.cards.get(id)?.scrollIntoView({ block: innerWidth <= 960 ? "start" : "nearest" });
    const why = viewer.isOpen ? viewer.why : this.why;
    return why.toggle(id).catch((problem) => this.complain(problem, () => this.#toggleWhy(id)));
  }

  // --- several at once ------------------------------------------------------------------------

  async #tag(name) {
    const ids = [...this.selection.ids];
    try {
      for (let at = 0; at < ids.length; at += 1000) await api.tag(name, ids.slice(at, at + 1000), this.shell.user);
      this.selection.clear();
      this.chips.renew();
      this.shell.notify(`${count(ids.length, "picture")} tagged ${name}.`, { label: "Show", act: () => this.shell.go("search", { tag: name }) });
    } catch (problem) {
      this.shell.notify(problem.sentence ?? String(problem));
    }
  }

  /** The paths of what is chosen, in the order on screen. */
  #paths() {
    return this.grid.items.filter(({ image_id: id }) => this.selection.has(id)).map((item) => item.path ?? item.paths[0]);
  }

  /** The list as a file: a path a line. */
  #export() {
    download(new Blob([`${this.#paths().join("\n")}\n`], { type: "text/plain" }), "pictures.txt");
  }

  /** The originals in one file. */
  async #zip() {
    const ids = this.grid.items.filter(({ image_id: id }) => this.selection.has(id)).map(({ image_id: id }) => id);
    this.shell.busy(true);
    try {
      download(await api.zip(ids), "pictures.zip");
    } catch (problem) {
      this.shell.notify(problem.sentence ?? String(problem));
    } finally {
      this.shell.busy(false);
    }
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.#paths().join("\n"));
      this.shell.notify(`${count(this.selection.size, "path")} on the clipboard.`);
    } catch {
      this.shell.notify("The browser does not let this page copy: export the list instead.");
    }
  }

  // --- what is shown --------------------------------------------------------------------------

  #stateOf({ image_id: id }) {
    return { selected: this.selection.has(id), mark: this.session.markOf(id), sending: this.session.sending.has(id), move: this.moves.get(id) ?? null, stack: this.session.stackOf(id) };
  }

  #changed({ reason, id, many = 1, moves, elsewhere }) {
    const { session, grid, viewer } = this;
    this.blank.hide();
    if (reason === "sending") {
      grid.refresh(id);
      return viewer.refresh();
    }
    const before = grid.visible(this.#covered());
    const after = grid.visible(this.#covered(), session.shown); // by arithmetic, before anything moves
    const news = reason !== "more"; // whatever a longer page adds is new
    if (news) this.moves = told(["tidy", "stack", "narrow"].includes(reason) || !moves ? new Map() : moves);
    grid.show(session.shown, { stateOf: (hit) => this.#stateOf(hit), glide: reason !== "search", anchor: id ?? null, news });
    this.strip.draw(session, this.called);
    this.chips.draw({ where: ofPage(session.page), ranking: ranked(session.page) });
    if (reason === "search") this.#arrived();
    this.large.remember();
    viewer.refresh();
    this.why.refresh();
    this.#offer("Show more", session.canGrow);
    if (!session.page.hits.length) this.#empty();
    const why = new Map(session.page.hits.map((hit) => [hit.image_id, hit.why]));
    this.#say(many > 1 ? "many" : reason, id, elsewhere, moves && effect({ moves, before, after, marks: session.marks, believed: session.page.believed, why }));
    return void this.#measure();
  }

  /** Keep only what fits; marks stay, and the address says so. */
  #narrow(where) {
    const { query } = this.session;
    if (!query) return this.shell.go("search", toParams(where));
    query.where = where;
    if (query.id || query.text) history.replaceState(history.state, "", this.shell.address(query));
    return this.session.narrow(where);
  }

  /** A search without results: it is narrowed too far, or there is nothing else. */
  #empty() {
    if (this.session.page.unknown.length) return this.unknown.show(this.session.page);
    if (!this.session.page.where.length) return this.blank.show("Nothing found: the collection holds no other picture.", { label: "Start again", act: this.shell.home });
    return this.blank.show("No picture fits all of this.", { label: "Show all", act: () => this.#narrow({}) });
  }

  /** Results are there: the large view where the address says so, else the first picture has the focus. */
  #arrived() {
    const large = history.state?.large;
    if (large) this.viewer.open(large);
    const free = document.activeElement === document.body || this.strip.section.parentElement.contains(document.activeElement);
    if (this.back) this.grid.goTo(this.back);
    if (free && !this.viewer.isOpen) this.grid.focus(this.back ? this.grid.items[this.back.place]?.image_id : undefined, { still: this.back !== null });
    this.back = null;
  }

  /** The height from which on pictures are in sight: above, the frame lies over them. */
  #covered() {
    return Math.max(0, this.strip.section.getBoundingClientRect().bottom);
  }

  #say(reason, id, elsewhere, what) {
    const { session, shell } = this;
    const words = said(reason, { shown: count(session.shown.length, "picture"), tidy: session.tidy, stack: session.stackOf(id), mark: SAID[session.markOf(id)], elsewhere, effect: what });
    shell.announce(words);
    if (["mark", "many", "unmark", "prefer", "undo"].includes(reason)) this.strip.say(what);
    if (["mark", "many", "unmark", "undo"].includes(reason)) this.strip.advise(hintFor(session.user, reason === "mark" ? session.markOf(id) : ""));
    if (reason === "elsewhere") this.strip.say(`another tab said more: ${what}`);
    if (elsewhere) shell.notify(words);
    const { unlogged, missing } = session.page;
    if (missing) shell.notify(`${count(missing, "picture")} could not be searched just now.`, { label: "Search again", act: () => this.begin(session.query) });
    if (unlogged) shell.notify(`These pictures cannot be marked now: ${unlogged}.`, { label: "Search again", act: () => this.begin(session.query) }, { stay: true });
  }

  /** Ask whether learning pays; a missing answer costs only this line. */
  async #measure() {
    const { user, turn } = this.session;
    const profile = await api.profile(user).catch(() => null);
    if (turn !== this.session.turn) return;
    this.strip.profiled(profile);
    const { marks, judged } = this.session;
    const worth = profile && remembering({ user, taught: profile.taught, likes: [...marks.values()].includes("liked"), judged });
    if (worth && this.strip.hint.hidden) this.strip.advise(hintFor(user, worth));
    this.viewer.undo.disabled = !profile?.events;
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

/** Hand a file over to the browser. */
function download(content, name) {
  const url = URL.createObjectURL(content);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** What a page was ranked by, where that is not the usual way: {text, title}; else null. */
function ranked({ configuration, unconfigured, explored, dropped }) {
  const failed = dropped.length ? `Left out, because they failed: ${dropped.join(", ")}.` : "";
  if (unconfigured) return { text: "ranked as usual", title: `${unconfigured}. ${failed}` };
  if (!configuration) return null;
  return { text: `ranked by ${configuration}${explored ? ", a trial" : ""}${dropped.length ? `, ${dropped.length} failed` : ""}`, title: failed };
}

/** The part of a picture that an address names. */
function partOf(params) {
  const [box, spot] = ["box", "spot"].map((name) => params.get(name)?.split(",").map(Number));
  return { ...(box && { box }), ...(spot && { spot }) };
}
