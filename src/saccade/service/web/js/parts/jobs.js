// Long work in one place of the header: how far it is, how long it will take, and a way to end it.
//
// Events: "change" whenever a job is further, "ended" when one is over.

import * as api from "../api.js";
import { h, icon } from "../dom.js";

const AGAIN = 30_000; // milliseconds until it is looked whether somebody else began something
const SOON = 1000; // until it is looked again after a stream broke off
const UNDER_WAY = ["waiting", "running"];

/** What a job does, as people say it: while it runs, and when it is done. */
const KINDS = {
  index: ["Indexing", "Indexed"],
  reindex: ["Indexing again", "Indexed again"],
  remove: ["Removing a folder", "A folder was removed"],
  backup: ["Backing up", "Backed up"],
  move: ["Moving the catalog", "The catalog was moved"],
  study: ["Performing a study", "A study was performed"],
};
/** What a pass over the pictures is about; the first one, which makes them searchable, needs no name. */
const PASSES = {
  origins: "dates and cameras",
  backfill: "colours, textures and shapes",
  "local-features": "details",
  vocabulary: "details",
  words: "details",
  graph: "look-alikes",
  links: "look-alikes",
  sketches: "look-alikes",
  kinds: "what they show",
  captions: "what they show",
  colours: "colours",
};

const called = (kind, over = false) => (KINDS[kind] ?? ["Working", "Done"])[Number(over)];

export class Jobs extends EventTarget {
  /** In `button`, which opens `panel`; `may()` says whether this person can end a job, `notify` says how one ended. */
  constructor(button, panel, { may, notify }) {
    super();
    Object.assign(this, { button, panel, may, notify, list: [], source: null, turn: 0 });
    panel.addEventListener("toggle", (event) => { if (event.newState === "open") this.#draw(); });
  }

  /** The job that is under way, or the next one. */
  get current() {
    return this.list.findLast(({ state }) => UNDER_WAY.includes(state)) ?? null;
  }

  /** Look what is under way, now and every now and then. */
  async look() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), AGAIN);
    const turn = ++this.turn;
    const found = await api.jobs().catch(() => null);
    if (!found || turn !== this.turn) return; // a later look knows more, whichever answer comes first
    const begun = new Set(this.list.filter(({ state }) => UNDER_WAY.includes(state)).map(({ job_id: id }) => id));
    this.list = found.items;
    // One that ended while nobody listened: before its stream was open, or while that was broken off.
    found.items.filter(({ job_id: id, state }) => begun.has(id) && !UNDER_WAY.includes(state)).forEach((job) => this.#over(job));
    this.#follow();
    this.#draw();
    this.dispatchEvent(new Event("change"));
  }

  /** Begin one: {kind, folder, …}; promises the job. */
  async begin(spec) {
    const job = await api.beginJob(spec);
    this.list = [...this.list, job];
    await this.look();
    return job;
  }

  #follow() {
    const { current } = this;
    if (!current || this.source?.job === current.job_id) return;
    this.source?.stream.close();
    const stream = new EventSource(api.jobStream(current.job_id));
    this.source = { job: current.job_id, stream };
    stream.addEventListener("message", ({ data }) => this.#heard(JSON.parse(data)));
    // It ends where the job does, and where the server does: look again, not at once.
    stream.addEventListener("error", () => {
      stream.close();
      this.source = null;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.look(), SOON);
    });
  }

  #heard(job) {
    this.list = this.list.map((other) => (other.job_id === job.job_id ? job : other));
    this.#draw();
    this.dispatchEvent(new Event("change"));
    if (UNDER_WAY.includes(job.state)) return;
    this.#over(job);
    this.look();
  }

  /** Say how a job ended. */
  #over(job) {
    this.source?.stream.close();
    this.source = null;
    if (job.state === "done") this.notify(`${called(job.kind, true)}.`);
    else if (job.state === "failed") this.notify(`${called(job.kind)} failed: ${job.message || "the server's log says why"}.`);
    this.dispatchEvent(new Event("ended"));
  }

  #draw() {
    const { current } = this;
    this.button.hidden = !current;
    if (!current) return void this.panel.hidePopover();
    const pass = PASSES[current.stage];
    this.button.replaceChildren(icon("work"), pass ? h("span", { class: "pass" }, `${pass} ·`) : "", h("span", {}, progress(current)));
    this.button.dataset.share = current.total ? `${Math.floor((100 * current.done) / current.total)}%` : "…"; // all that a phone has room for
    this.button.setAttribute("aria-label", `${called(current.kind)}: ${pass ? `${pass}, ` : ""}${progress(current)}`);
    const stop = h("button", { class: "plain", id: "job-cancel", type: "button", disabled: current.cancelled, onclick: () => this.#cancel(current) }, current.cancelled ? "Ending…" : "Cancel");
    return this.panel.replaceChildren(h("p", {}, h("strong", {}, called(current.kind))),
      h("p", { class: "muted" }, pass ? `${pass}: ${progress(current)}` : progress(current)),
      h("progress", { max: String(current.total || 1), value: current.total ? String(current.done) : null, "aria-label": called(current.kind) }),
      h("p", { class: "muted" }, pass ? "The pictures can be searched already; each pass over them makes it better. What is done is kept." : "You can search meanwhile; what is done is kept."), ...(this.may() ? [stop] : []));
  }

  async #cancel({ job_id: id }) {
    try {
      await api.cancelJob(id);
      await this.look();
    } catch (problem) {
      this.notify(problem.sentence ?? String(problem));
    }
  }
}

/** "1,072 of 2,142 · 3 minutes". */
export function progress({ state, done, total, seconds_left: seconds }) {
  if (state === "waiting") return "waiting for its turn";
  if (!total) return "beginning";
  const number = (n) => n.toLocaleString("en");
  return [`${number(done)} of ${number(total)}`, seconds === null ? null : duration(seconds)].filter(Boolean).join(" · ");
}

/** 170 → "3 minutes". */
function duration(seconds) {
  if (seconds < 50) return "less than a minute";
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 90) return minutes === 1 ? "a minute" : `${minutes} minutes`;
  return `${Math.round(minutes / 60)} hours`;
}

/** One line for a job that is over or under way. */
export function told(job) {
  const when = new Date(1000 * (job.ended ?? job.asked)).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
  const about = job.spec?.folder ?? job.spec?.place ?? "";
  const end = { done: "done", failed: `failed: ${job.message}`, cancelled: "ended by hand", interrupted: "interrupted; it goes on", waiting: progress(job), running: progress(job) }[job.state] ?? job.state;
  return `${called(job.kind, job.state === "done")}${about ? ` ${about}` : ""} · ${end} · ${when}`;
}
