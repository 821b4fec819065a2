// One search and its feedback: what was asked, what is shown, what was marked.
//
// Events: "change" {reason: search | mark | unmark | prefer | undo | more | tidy | wish | elsewhere | sending, id, moves,
// alike}, "said" when the server has heard something, "busy" {on}, "problem" {problem, retry}.

import * as api from "../api.js";
import { absent } from "./absent.js";
import { arrange, movements } from "./arrange.js";
import { searching } from "./configuring.js";
import { takeOff } from "./unmark.js";

const FIRST = 100; // pictures of a first page; "show more" doubles it
const ALIKE = 20; // look-alikes of a picture called wrong, to say which of them sank
const MOST = 1600; // enough for anyone's patience; the engine would give more
const SPEAKS = ["mark", "unmark", "prefer", "undo"]; // what other tabs of the search should know of

export class Session extends EventTarget {
  constructor(user) {
    super();
    this.user = user;
    this.tidy = false; // judged pictures are folded away
    this.clear();
  }

  /** Back to the start page. */
  clear() {
    this.turn = (this.turn ?? 0) + 1; // answers to older turns are dropped
    this.query = null;
    this.page = null;
    this.shown = [];
    this.marks = new Map(); // id → "liked" | "disliked"
    this.sending = new Map(); // marks that the server has not confirmed
    this.kept = new Map(); // id → {hit, place} of judged pictures, the latest mark last
    this.k = FIRST;
    this.line = Promise.resolve();
  }

  get judged() {
    return this.marks.size;
  }

  /** How many pairs of pictures were compared in this search. */
  get compared() {
    return this.page?.preferred.length ?? 0;
  }

  /** Whether there may be more to show: this page is full. */
  get canGrow() {
    return this.page !== null && this.page.hits.length >= this.k && this.k < MOST;
  }

  /** Start a search with {id} or {file, url}. */
  async search(query) {
    this.clear();
    this.query = query;
    const turn = this.turn;
    await this.#ask(() => searching((more) => api.search(query, { user: this.user, k: this.k, ...query.traits, ...more })), turn, () => this.search(query), (page, missing) => {
      this.#take(page, missing);
      this.#tell("change", { reason: "search" });
    });
  }

  /** Go on with a saved search; the picture of one that began with a file is not kept. */
  async open(name) {
    this.clear();
    this.query = { saved: name, id: null, url: "/assets/favicon.svg" };
    const { query, turn } = this;
    await this.#ask(() => api.openSaved(this.user, name, this.k), turn, () => this.open(name), (page, missing) => {
      query.id = page.like[0] ?? null;
      this.#take(page, missing);
      this.#tell("change", { reason: "search" });
    });
  }

  /** What it takes to come back to this page after a reload; where only a file could, just its session. */
  get trace() {
    if (!this.page) return null;
    const { session, page_id: page } = this.page;
    if (!this.query.id || this.query.saved) return { session };
    const places = [...this.kept].map(([id, { place }]) => [id, place]);
    return { session, user: this.user, page, k: this.k, places, tidy: this.tidy };
  }

  /** Back to a page by its trace; a page that is gone or another person's is searched for anew. */
  async resume(query, { user, page: name, k, places, tidy = false }) {
    if (user !== this.user) return void this.search(query);
    this.clear();
    Object.assign(this, { query, k, tidy });
    const turn = this.turn;
    const send = () => api.show(name, k).catch((problem) => {
      if (problem.code !== "not-found") throw problem;
      return searching((more) => api.search(query, { user, k, ...more }));
    });
    await this.#ask(send, turn, () => this.resume(query, { user, page: name, k, places, tidy }), (page, missing) => {
      const hits = new Map([...page.hits, ...missing].map((hit) => [hit.image_id, hit]));
      for (const [id, place] of places) if (hits.has(id)) this.kept.set(id, { hit: hits.get(id), place });
      this.#take(page, missing);
      this.#tell("change", { reason: "search" });
    });
  }

  /** Mark a shown picture "liked" or "disliked"; shown at once, sent in order, one event each. */
  mark(id, sign) {
    if (!this.page || (this.sending.get(id) ?? this.marks.get(id)) === sign) return;
    const place = this.shown.findIndex((hit) => hit.image_id === id);
    if (place < 0) return;
    const held = this.kept.get(id) ?? { hit: this.shown[place], place };
    this.kept.delete(id);
    this.kept.set(id, held);
    this.sending.set(id, sign);
    this.#tell("change", { reason: "sending", id });
    let alike = []; // of one called wrong: they should sink with it
    const send = async () => {
      const like = sign === "disliked" ? api.neighbours(id, ALIKE).catch(() => []) : [];
      const [page, found] = await Promise.all([api.feedback(this.page.page_id, { [sign]: [id], k: this.k }), like]);
      alike = found.map(({ image_id: other }) => other);
      return page;
    };
    this.#queue("mark", id, send, () => this.mark(id, sign), () => alike);
  }

  /** Take the mark of this picture off again. */
  unmark(id) {
    const send = () => takeOff(this, id);
    this.#queue("unmark", id, send, () => this.unmark(id));
  }

  /** One picture before another; promises that it was heard, or not. */
  prefer(better, worse) {
    this.#queue("prefer", null, () => api.prefer(this.page.page_id, better, worse, this.k), () => this.prefer(better, worse));
    return this.line;
  }

  /** Another tab has said something in this search. */
  elsewhere() {
    if (this.page) this.#queue("elsewhere", null, () => api.show(this.page.page_id, this.k), () => this.elsewhere());
  }

  /** Fold judged pictures away, so that fresh ones fill the screen; again brings them back. */
  toggleTidy() {
    if (!this.page) return;
    this.tidy = !this.tidy;
    this.#arrange();
    this.#tell("change", { reason: "tidy" });
  }

  /** Keep only what has more or less of attributes, {more, less}; marks stay. */
  ask(wishes) {
    if (!this.page) return;
    this.#queue("wish", null, () => api.show(this.page.page_id, this.k, wishes), () => this.ask(wishes));
  }

  /** Take back the last thing said in this search. */
  undo() {
    const send = async () => this.#asLong((await api.undo(this.user, this.page.page_id)).page);
    this.#queue("undo", null, send, () => this.undo());
  }

  /** A longer page of the same round; marks and their places stay. */
  more() {
    const send = async () => {
      const k = Math.min(this.k * 2, MOST);
      const page = await api.show(this.page.page_id, k);
      this.k = k;
      return page;
    };
    this.#queue("more", null, send, () => this.more());
  }

  /** Undo answers with the page that was judged, which may be shorter than what is shown by now. */
  async #asLong(page) {
    if (page?.session !== this.page.session || page.hits.length >= this.page.hits.length) return page;
    // Undone is undone: when the longer page does not come, the shorter one is right as well.
    const longer = await api.show(page.page_id, this.k).catch(() => null);
    if (!longer) this.k = page.hits.length;
    return longer ?? page;
  }

  #queue(reason, id, send, retry, alike = () => []) {
    const turn = this.turn;
    this.line = this.line.then(() => {
      if (turn !== this.turn) return undefined;
      return this.#ask(send, turn, () => { this.#unsend(id); retry(); }, (page, missing) => {
        if (id) this.sending.delete(id);
        // Undo may reach into an earlier search; what is on screen then stays.
        const elsewhere = !page || page.session !== this.page?.session;
        const before = this.shown;
        if (!elsewhere) this.#take(page, missing);
        if (SPEAKS.includes(reason)) this.#tell("said", { session: page?.session });
        this.#tell("change", { reason, id, elsewhere, alike: alike(), moves: movements(before, this.shown) });
      }, id);
    }).catch(reportError); // a fault of this page must not hold up the marks behind it
  }

  async #ask(send, turn, retry, take, id = null) {
    this.#tell("busy", { on: true });
    try {
      const page = await send();
      const missing = page ? await absent(page, (id) => this.kept.has(id) || this.hit(id) !== null) : [];
      if (turn === this.turn) take(page, missing);
    } catch (problem) {
      if (!(problem instanceof api.Problem)) throw problem;
      if (turn !== this.turn) return;
      this.#unsend(id);
      this.#tell("problem", { problem, retry });
    } finally {
      this.#tell("busy", { on: false });
    }
  }

  #unsend(id) {
    if (id === null || !this.sending.delete(id)) return;
    if (!this.marks.has(id)) this.kept.delete(id);
    this.#tell("change", { reason: "sending", id });
  }

  #take(page, missing) {
    this.page = page;
    this.marks = new Map([...page.liked.map((id) => [id, "liked"]), ...page.disliked.map((id) => [id, "disliked"])]);
    this.#keepOthers(missing);
    const fresh = new Map(page.hits.map((hit) => [hit.image_id, hit]));
    for (const [id, held] of this.kept) {
      if (!this.marks.has(id) && !this.sending.has(id)) this.kept.delete(id);
      else if (fresh.has(id)) held.hit = fresh.get(id);
    }
    this.#arrange();
  }

  /** Marks that were not made here stay in sight, too: where they are on screen, or below all others. */
  #keepOthers(missing) {
    const inPage = new Set(this.page.hits.map((hit) => hit.image_id));
    this.shown.forEach((hit, place) => {
      const { image_id: id } = hit;
      if (this.marks.has(id) && !this.kept.has(id) && !inPage.has(id)) this.kept.set(id, { hit, place });
    });
    for (const hit of missing) if (!this.kept.has(hit.image_id)) this.kept.set(hit.image_id, { hit, place: Infinity });
  }

  #arrange() {
    const { hits } = this.page;
    this.shown = this.tidy ? hits.filter((hit) => !this.marks.has(hit.image_id)) : arrange(hits, [...this.kept.values()]);
  }

  /** The mark to show: what is on its way counts before what is known. */
  markOf(id) {
    return this.sending.get(id) ?? this.marks.get(id) ?? null;
  }

  hit(id) {
    return this.shown.find((hit) => hit.image_id === id) ?? null;
  }

  #tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }
}
