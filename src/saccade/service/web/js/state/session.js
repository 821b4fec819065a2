// One search and its feedback: what was asked, what is shown, what was marked.
//
// Events: "change" {reason: search | mark | unmark | prefer | undo | more | tidy | stack | narrow | elsewhere | sending, id, moves},
// "said" when the server has heard something, "busy" {on}, "problem" {problem, retry}.

import * as api from "../api.js";
import { absent } from "./absent.js";
import { arrange, movements } from "./arrange.js";
import { searching } from "./configuring.js";
import { folded, stacks } from "./stacks.js";

const FIRST = 100; // pictures of a first page; going on doubles it
export const MOST = 10_000; // pictures of the longest page that the engine gives
const SPEAKS = ["mark", "unmark", "prefer", "undo"]; // what other tabs of the search should know of

/** What narrows a query, as a search takes it. */
const narrowed = ({ where }) => (where && Object.keys(where).length ? { where } : {});

export class Session extends EventTarget {
  /** Of `user`; what is said goes through `outbox`. */
  constructor(user, outbox) {
    super();
    Object.assign(this, { user, outbox });
    this.tidy = false; // judged pictures are folded away
    this.near = () => 0; // how many pictures the person has come by; the board knows
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
    this.stacks = new Map(); // id of the picture on top of near-duplicates → those under it
    this.spread = new Set(); // ids of pictures whose stacks are spread out
    this.k = FIRST;
  }

  get judged() {
    return this.marks.size;
  }

  /** How many pairs of pictures were compared in this search. */
  get compared() {
    return this.page?.preferred.length ?? 0;
  }

  /** Whether there may be more to show: this page is full, and not all that was compared. */
  get canGrow() {
    const { hits, searched, like } = this.page ?? { hits: [] };
    return this.page !== null && hits.length >= this.k && this.k < MOST && hits.length < searched - like.length;
  }

  /** How many pictures an answer should bring: as far as the person has come. What lies beyond comes when it is scrolled to. */
  #enough() {
    const folded = Math.max(0, (this.page?.hits.length ?? 0) - this.shown.length);
    this.k = Math.min(MOST, Math.max(FIRST, this.near() + (this.tidy ? this.judged : folded)));
    return this.k;
  }

  /** Start a search with {text}, {id}, both, or {file, url}. */
  async search(query) {
    this.clear();
    this.query = query;
    const turn = this.turn;
    await this.#ask(() => searching((more) => api.search(query, { user: this.user, k: this.k, ...narrowed(query), ...more })), turn, () => this.search(query), (page, missing) => {
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
      query.text = page.text || undefined;
      this.#take(page, missing);
      this.#tell("change", { reason: "search" });
    });
  }

  /** What it takes to come back to this page after a reload; where only a file could, just its session. */
  get trace() {
    if (!this.page) return null;
    const { session, page_id: page } = this.page;
    if (!(this.query.id || this.query.text) || this.query.saved) return { session };
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
      return searching((more) => api.search(query, { user, k, ...narrowed(query), ...more }));
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
    this.markAll([id], sign);
  }

  /** Mark several at once. */
  markAll(ids, sign) {
    const places = new Map(this.shown.map((hit, place) => [hit.image_id, place]));
    const said = ids.filter((id) => this.page && places.has(id) && (this.sending.get(id) ?? this.marks.get(id)) !== sign);
    if (!said.length) return;
    for (const id of said) {
      const held = this.kept.get(id) ?? { hit: this.shown[places.get(id)], place: places.get(id) };
      this.kept.delete(id);
      this.kept.set(id, held);
      this.sending.set(id, sign);
      this.#tell("change", { reason: "sending", id });
    }
    this.#queue("mark", said, this.#say("/feedback", { [sign]: said }), () => this.markAll(said, sign));
  }

  /** Take the mark of this picture off again. */
  unmark(id) {
    this.#queue("unmark", [id], this.#say("/feedback", { cleared: [id] }), () => this.unmark(id));
  }

  /** One picture before another; promises that it was heard, or not. */
  prefer(better, worse) {
    return this.#queue("prefer", [], this.#say("/preferences", { better, worse }), () => this.prefer(better, worse));
  }

  /** Say something of this page: of the newest one by the time it is sent. */
  #say(path, said) {
    const { turn } = this;
    const body = () => ({ page_id: this.page.page_id, ...said, k: this.#enough() });
    const first = body();
    return this.outbox.say(path, first, () => (turn === this.turn ? body() : first));
  }

  /** Another tab has said something in this search. */
  elsewhere() {
    if (this.page) this.#later("elsewhere", () => api.show(this.page.page_id, this.k), () => this.elsewhere());
  }

  /** Fold judged pictures away, so that fresh ones fill the screen; again brings them back. */
  toggleTidy() {
    if (!this.page) return;
    this.tidy = !this.tidy;
    this.#arrange();
    this.#tell("change", { reason: "tidy" });
  }

  /** Spread a stack of near-duplicates out beside the picture on top, or put it together again; false where there is none. */
  toggleStack(id) {
    const top = [...this.stacks].find(([name, under]) => name === id || under.some((hit) => hit.image_id === id))?.[0];
    if (!top) return false;
    const members = [top, ...this.stacks.get(top).map((hit) => hit.image_id)];
    const open = this.#isOpen(top);
    for (const one of members) if (open) this.spread.delete(one); else this.spread.add(one);
    this.#arrange();
    this.#tell("change", { reason: "stack", id: top });
    return undefined;
  }

  /** The stack that a picture is on top of: {size, open}; null where it is on none. */
  stackOf(id) {
    const under = this.stacks.get(id);
    return under ? { size: under.length + 1, open: this.#isOpen(id) } : null;
  }

  /** Another may be on top by now: it is open where any of it was. */
  #isOpen(top) {
    return [top, ...(this.stacks.get(top) ?? []).map((hit) => hit.image_id)].some((id) => this.spread.has(id));
  }

  /** Keep only what fits `where`; marks stay. */
  narrow(where) {
    if (this.page) this.#later("narrow", () => api.show(this.page.page_id, this.#enough(), where), () => this.narrow(where));
  }

  /** Take back the last thing said in this search. */
  undo() {
    const send = async () => { this.#enough(); return this.#asLong((await api.undo(this.user, this.page.page_id)).page); };
    return this.#later("undo", send, () => this.undo());
  }

  /** A longer page of the same round; marks and their places stay. */
  more() {
    const send = async () => {
      const k = Math.min(this.k * 2, MOST);
      const page = await this.#longer(k);
      this.k = k;
      return page;
    };
    return this.#later("more", send, () => this.more());
  }

  /** This page with `k` pictures; only those that are not here yet are sent, unless it ranks otherwise by now. */
  async #longer(k) {
    const { page } = this;
    const rest = await api.show(page.page_id, k, undefined, page.hits.length);
    const here = new Set(page.hits.map((hit) => hit.image_id));
    const same = rest.model === page.model && rest.searched === page.searched && !rest.hits.some((hit) => here.has(hit.image_id));
    return same ? { ...rest, hits: [...page.hits, ...rest.hits] } : api.show(page.page_id, k);
  }

  /** Undo answers with the page that was judged, which may be shorter than what is shown by now. */
  async #asLong(page) {
    if (page?.session !== this.page.session || page.hits.length >= Math.min(this.k, this.page.hits.length)) return page;
    // Undone is undone: when the longer page does not come, the shorter one is right as well.
    const longer = await api.show(page.page_id, this.k).catch(() => null);
    if (!longer) this.k = page.hits.length;
    return longer ?? page;
  }

  /** Ask something behind all that was said, unless another search was begun by then. */
  #later(reason, send, retry) {
    const { turn } = this;
    return this.#queue(reason, [], this.outbox.ask(async () => (turn === this.turn ? send() : null)), retry);
  }

  /** Show what an answer that is on its way brings. */
  async #queue(reason, ids, answer, retry) {
    const { turn } = this;
    const id = ids.length === 1 ? ids[0] : null;
    await this.#ask(() => answer, turn, () => { this.#unsend(ids); retry(); }, (page, missing) => {
      for (const one of ids) this.sending.delete(one);
      // Undo may reach into an earlier search; what is on screen then stays.
      const elsewhere = !page || page.session !== this.page?.session;
      const before = this.shown;
      if (!elsewhere) this.#take(page, missing);
      if (SPEAKS.includes(reason)) this.#tell("said", { session: page?.session });
      this.#tell("change", { reason, id, many: ids.length, elsewhere, moves: movements(before, this.shown) });
    }, ids);
  }

  async #ask(send, turn, retry, take, ids = []) {
    this.#tell("busy", { on: true });
    try {
      const page = await send();
      const missing = page ? await absent(page, (id) => this.kept.has(id) || this.hit(id) !== null) : [];
      if (turn === this.turn) take(page, missing);
    } catch (problem) {
      if (!(problem instanceof api.Problem)) throw problem;
      if (turn !== this.turn) return;
      this.#unsend(ids);
      this.#tell("problem", { problem, retry });
    } finally {
      this.#tell("busy", { on: false });
    }
  }

  #unsend(ids) {
    for (const id of ids) {
      if (!this.sending.delete(id)) continue;
      if (!this.marks.has(id)) this.kept.delete(id);
      this.#tell("change", { reason: "sending", id });
    }
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
    this.stacks = stacks(this.page.hits, (id) => this.markOf(id) !== null);
    const hits = folded(this.page.hits, this.stacks, (id) => this.#isOpen(id));
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
