// Collection: folders and a timeline to browse and begin from, what was left out and why, what is being indexed.

import * as api from "../api.js";
import { count, fileName, h } from "../dom.js";
import { told as toldOf } from "../parts/jobs.js";
import { Blank } from "../parts/notice.js";
import { format } from "../router.js";
import { tree } from "../state/folders.js";
import { month, stretch } from "../state/narrowing.js";

const COVERS = 60; // folders that have a picture; more are named alone
const PART = 50; // files left out that are listed at a time
const GROUPS = 12; // groups of duplicates
const MANY = 6; // pictures of a group

export class Collection {
  static label = "Collection";

  constructor(shell) {
    Object.assign(this, { shell, turn: 0 });
  }

  keys = {};

  mount(place) {
    this.blank = new Blank(h("section", { class: "state", id: "state", hidden: true }));
    this.told = h("p", { class: "lead", id: "collection-told" });
    this.body = h("div", { id: "collection" });
    this.work = h("section", { id: "collection-work", "aria-label": "Folders and copies", hidden: true });
    this.ends = new AbortController();
    this.shell.jobs.addEventListener("change", () => this.#jobs(), { signal: this.ends.signal });
    this.shell.jobs.addEventListener("ended", () => this.open(), { signal: this.ends.signal });
    place.replaceChildren(h("div", { class: "stage" }, h("div", { class: "page wide" }, h("h1", { tabindex: "-1" }, "Collection"), this.told, this.blank.place, this.body, this.work)));
    this.#offer();
  }

  unmount() {
    this.turn += 1; // answers on their way find nobody
    this.ends.abort();
  }

  userChanged() {
    return this.open();
  }

  async open() {
    const turn = ++this.turn;
    this.shell.title("Collection");
    this.shell.busy(true);
    try {
      const [collection, facets] = await Promise.all([api.collection(PART), api.facets({}, this.shell.user)]);
      if (turn !== this.turn) return;
      this.#draw(collection, facets);
      // What takes longer to find out comes after what a person looks for first; not knowing it costs only its lines.
      const [twice, size, gone] = await Promise.all([api.duplicates(0, GROUPS), api.size(), api.gone(0, PART)].map((answer) => answer.catch(() => null)));
      if (turn !== this.turn) return;
      if (size) this.told.append(` ${amount(size.total)} on disk beside the pictures: ${amount(size.columns)} to compare them by, ${amount(size.thumbnails)} of small versions.`);
      if (gone?.total) this.body.append(section(`${count(gone.total, "file")} gone`, "gone", ...this.#gone(gone)));
      if (twice?.total) this.body.append(section(`${count(twice.total, "group")} of duplicates`, "duplicates", ...this.#duplicates(twice)));
    } catch (problem) {
      if (turn === this.turn) this.blank.show(problem.sentence ?? String(problem), { label: "Try again", act: () => this.open() });
    } finally {
      this.shell.busy(false);
    }
  }

  #draw(collection, { images, folders, months }) {
    this.blank.hide();
    this.#jobs();
    this.told.textContent = told(collection);
    this.body.replaceChildren(
      ...(folders.length ? [section("Folders", "folders", this.#folders(folders))] : []),
      ...(months.length > 1 ? [section("When", "months", timeline(months))] : []),
      ...(collection.skipped.total ? [section(`${count(collection.skipped.total, "file")} left out`, "skipped", ...this.#skipped(collection.skipped))] : []));
    const when = this.body.querySelector(".timeline");
    if (when) when.scrollLeft = when.scrollWidth; // the newest are looked for first
    this.roots.replaceChildren(...collection.folders.map((folder) => this.#root(folder)));
    if (!images) this.blank.show("No pictures are indexed yet.", { label: "Look again", act: () => this.open() });
  }

  /** One folder of the collection, and what can be done about it. */
  #root(folder) {
    const button = (label, act) => h("button", { class: "plain", type: "button", "aria-label": `${label} ${folder}`, onclick: act }, label);
    return h("li", { "data-root": folder }, h("bdi", { dir: "ltr", title: folder }, folder), button("Index again", () => this.#begin({ kind: "index", folder })), button("Remove", () => this.#ask(folder)));
  }

  /** Taking a folder out is asked once: indexing it anew takes its time. */
  #ask(folder) {
    this.sure.replaceChildren(h("h2", {}, "Take this folder out?"), h("p", {}, h("bdi", { dir: "ltr" }, folder)),
      h("p", {}, "Its pictures leave the collection. The files stay as they are, and so does what was said about them: add the folder again, and it counts again."),
      h("div", { class: "actions" },
        h("button", { class: "plain", type: "button", onclick: () => this.sure.close() }, "Keep it"),
        h("button", { class: "primary", id: "remove-yes", type: "button", onclick: () => { this.sure.close(); this.#begin({ kind: "remove", folder }); } }, "Take it out")));
    this.sure.showModal();
  }

  /** What an owner can do to the collection: each is long work that goes on behind. */
  #offer() {
    const field = (id, label, hint) => h("input", { id, autocomplete: "off", spellcheck: "false", required: true, placeholder: hint, "aria-label": label });
    const folder = field("folder-path", "A folder on the server", "/home/ana/Pictures");
    const place = field("backup-place", "Where the copy goes", "/mnt/disk/saccade-copy");
    const form = (spec, ...content) => h("form", { class: "first", onsubmit: (event) => { event.preventDefault(); this.#begin(spec()); } }, ...content);
    const submit = (id, label, kind = "plain") => h("button", { class: kind, id, type: "submit" }, label);
    this.fields = [folder, place];
    this.roots = h("ul", { class: "roots", id: "roots", "aria-label": "Folders of the collection" });
    this.sure = h("dialog", { class: "keys", id: "remove-sure", "aria-label": "Take this folder out" });
    this.history = h("ul", { class: "history muted", id: "jobs-past" });
    this.work.replaceChildren(h("h2", {}, "Folders and copies"),
      this.roots,
      form(() => ({ kind: "index", folder: folder.value.trim() }), folder, submit("folder-add", "Add folder", "primary")),
      form(() => ({ kind: "backup", place: place.value.trim() }), place, submit("backup", "Back up")),
      h("div", { class: "actions" }, h("button", { class: "plain", id: "reindex", type: "button", onclick: () => this.#begin({ kind: "reindex" }) }, "Index all folders again")),
      this.history, this.sure);
  }

  async #begin(spec) {
    try {
      await this.shell.jobs.begin(spec);
      for (const field of this.fields) field.value = "";
      this.#jobs();
    } catch (problem) {
      this.shell.notify(problem.sentence ?? String(problem));
    }
  }

  /** What was asked for last, and how it went. */
  #jobs() {
    this.work.hidden = this.shell.me.role !== "owner";
    this.history.replaceChildren(...this.shell.jobs.list.map((job) => h("li", { "data-job": job.state }, toldOf(job))));
  }

  /** Folders as tiles with one of their pictures; a press shows what lies in one. */
  #folders(folders) {
    const tiles = tree(folders).map(({ folder, name, within, count: n }, place) => {
      const cover = h("span", { class: "cover" });
      if (place < COVERS) this.#cover(folder, cover);
      return h("li", {}, h("a", { href: format("search", { folder }), "data-folder": folder, title: folder }, cover,
        h("span", { class: "title" }, name), h("span", { class: "muted" }, n.toLocaleString("en")), within && h("span", { class: "within muted" }, `in ${within}`)));
    });
    return h("ul", { class: "tiles" }, ...tiles);
  }

  async #cover(folder, place) {
    const found = await api.browse({ folder }, this.shell.user, 0, 1).catch(() => null);
    const one = found?.items[0];
    if (one) place.append(h("img", { src: api.thumb(one.image_id), width: one.width, height: one.height, alt: "", loading: "lazy" }));
  }

  /** Pictures that are there more than once, or nearly: side by side, with where they are. */
  #duplicates({ items, total }) {
    const list = h("ul", { class: "duplicates" });
    const add = (groups) => list.append(...groups.map(group));
    const more = h("button", { class: "plain", type: "button", hidden: items.length >= total, onclick: async () => {
      const { items: others } = await api.duplicates(list.children.length, GROUPS);
      add(others);
      more.hidden = list.children.length >= total || !others.length;
    } }, "Show more");
    add(items);
    return [h("p", { class: "muted" }, "In a search they lie on one place, and ×2 spreads them out. Which to keep is yours to say: delete a file, then let it go here."), list, more];
  }

  /** Files that were left out, each with its reason. */
  #skipped(found) {
    return [h("p", { class: "muted" }, "Mend or convert a file and index its folder again: it is taken in then."), ...files(found, async (offset) => (await api.collection(PART, offset)).skipped)];
  }

  /** Files that are not where they were. */
  #gone(found) {
    const forGood = h("button", { class: "plain", id: "let-go", type: "button", onclick: () => this.#begin({ kind: "reindex", prune: true }) }, "Let them go");
    return [h("p", { class: "muted" }, "Their pictures are still found, and what was said about them is kept, in case they come back: a disk may be away. If they are gone for good, let them go; a folder that is away as a whole stays until you remove it."),
      ...files(found, (offset) => api.gone(offset, PART)), ...(this.shell.me.role === "owner" ? [h("div", { class: "actions" }, forGood)] : [])];
  }
}

/** Files with a reason each, and a way to see the next of them. */
function files({ items, total }, further) {
  const list = h("ul", { class: "skipped" });
  const add = (some) => list.append(...some.map(({ path, reason }) => h("li", {}, h("bdi", { dir: "ltr", title: path }, path), h("span", { class: "muted" }, reason))));
  const more = h("button", { class: "plain", type: "button", hidden: items.length >= total, onclick: async () => {
    const { items: others } = await further(list.children.length);
    add(others);
    more.hidden = list.children.length >= total || !others.length;
  } }, "Show more");
  add(items);
  return [list, more];
}

function section(title, id, ...content) {
  return h("section", { id: `collection-${id}`, "aria-label": title }, h("h2", {}, title), ...content);
}

/** One group: its pictures, or one picture and its paths. */
function group({ images, same }) {
  const names = same ? images[0].paths : images.map(({ paths }) => paths[0] ?? "");
  const shown = images.slice(0, MANY);
  return h("li", { "data-same": String(same) },
    ...shown.map(({ image_id: id, width, height, paths }) => h("a", { href: format("search", { image: id }), title: paths[0] },
      h("img", { src: api.thumb(id), width, height, alt: fileName(paths[0] ?? id), loading: "lazy" }))),
    h("div", {}, h("strong", {}, same ? `the same, ${names.length} times` : `${images.length} nearly the same`),
      ...names.slice(0, MANY).map((path) => h("bdi", { dir: "ltr", class: "muted", title: path }, path)), names.length > MANY && h("span", { class: "muted" }, `and ${names.length - MANY} more`)));
}

/** 1,234,567 → "1.2 MB". */
function amount(bytes) {
  const power = bytes < 1e3 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
  const size = bytes / 1000 ** power;
  return `${size < 10 && power ? size.toFixed(1) : Math.round(size)} ${["bytes", "kB", "MB", "GB", "TB"][power]}`;
}

/** What there is, and what is not well, in sentences. */
function told({ images, incomplete, resting, lost, read_only: readOnly }) {
  const facts = [`${count(images, "picture")}.`];
  if (incomplete.length) facts.push("Some pictures are not looked at from all sides yet; index their folder again to go on.");
  for (const [name, reason] of Object.entries(resting)) facts.push(`${name} rests: ${reason}.`);
  if (lost) facts.push(`The last ${count(lost, "mark")} that were given are gone from the log: saccade doctor says what to do.`);
  if (readOnly) facts.push(`Nothing that is said can be kept: ${readOnly}.`);
  return facts.join(" ");
}

/** Months as bars, year by year; a press shows its pictures. They grow with the root of a count, so that one full month does not hide the others. */
function timeline(months) {
  const most = Math.max(...months.map(({ count: n }) => n));
  const years = new Map();
  for (const one of months) {
    const year = one.month.slice(0, 4);
    years.set(year, [...(years.get(year) ?? []), one]);
  }
  const bar = ({ month: text, count: n }) => h("a", { href: format("search", stretch(text)), "data-month": text, title: `${month(text)}: ${count(n, "picture")}`, "aria-label": `${month(text)}: ${count(n, "picture")}`, vars: { "--share": String(Math.sqrt(n / most)) } });
  return h("ol", { class: "timeline" }, ...[...years].map(([year, all]) => h("li", {}, h("div", { class: "bars" }, ...all.map(bar)), h("a", { class: "year", href: format("search", stretch(year)) }, year))));
}
