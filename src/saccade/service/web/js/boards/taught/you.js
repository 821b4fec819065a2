// You: what was learned from a person, what it is worth, and how to take it back, carry it elsewhere or be forgotten.

import * as api from "../../api.js";
import { count, h, svg } from "../../dom.js";
import { verdict } from "../../parts/learning.js";
import { running } from "../../state/running.js";
import { Listing, row } from "./listing.js";

const MOST = 50; // searches that are listed
const POINTS = 500; // comparisons that are drawn, the newest
const FEW = 5; // fewer make no line

export class You extends Listing {
  static label = "You";
  title = "You";
  lead = "Everything you said, search by search. Whatever you take back is as if it had never been said.";
  none = "Nothing is remembered of you yet. Search, and mark what is right and what is wrong.";

  mount(place) {
    super.mount(place);
    this.worth = h("section", { class: "worth", id: "worth", "aria-label": "What your marks are worth" });
    this.undo = h("button", { class: "plain", id: "you-undo", type: "button", onclick: () => this.change(() => api.undoLast(this.shell.user)) }, "Take back the last thing you said");
    this.export = h("a", { class: "plain", id: "you-export" }, "Export");
    this.forget = h("button", { class: "plain", id: "you-forget", type: "button", onclick: () => this.#ask() }, "Forget me");
    this.sure = h("dialog", { class: "keys", id: "forget-sure", "aria-label": "Forget me" });
    this.shared = h("p", { class: "lead", id: "you-shared", hidden: true }, "Guests are many people under one name. A word that a guest taught stays taught for all guests; no search of a guest is remembered beyond that. ",
      h("button", { class: "link", type: "button", popovertarget: "users" }, "Give yourself a name"), " and all that you mark is yours.");
    this.list.before(this.shared, this.worth, h("div", { class: "actions" }, this.undo, this.export, this.forget), this.sure, this.blank.place);
  }

  async load(user) {
    const [profile, taught, worth] = await Promise.all([api.profile(user), api.taught(user, MOST), api.worth(user, POINTS)]);
    return { profile, ...taught, points: worth.items.reverse() };
  }

  draw({ profile, items, total, points }) {
    const { user } = this.shell;
    const { text, detail, shares } = verdict(profile);
    this.worth.replaceChildren(h("p", {}, h("strong", {}, text)), ...(shares ? [points.length < FEW ? chart(shares, detail) : plot(points, detail), h("p", { class: "legend" }, h("i", { class: "with" }), "with your marks", h("i", {}), "without")] : []), h("p", { class: "muted" }, detail));
    this.undo.disabled = this.forget.disabled = !profile.events;
    this.export.href = api.exported(user);
    this.export.download = `${user}.json`;
    super.draw({ items });
    this.shared.hidden = user !== "guest" || items.length > 0;
    this.blank.place.hidden ||= profile.events > 0;
    if (total > items.length) this.list.append(h("li", { class: "muted" }, `The newest ${items.length} of ${count(total, "search")}.`));
  }

  rows({ items }) {
    return items.map(({ session, at, word, asked, liked, disliked, saved }) => {
      const when = new Date(1000 * at).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
      return row({
        title: word || when,
        open: () => this.shell.search({ text: word || undefined, id: asked[0] ?? (word ? undefined : liked[0]) }),
        pictures: [...new Set([...asked, ...liked])],
        known: [`${liked.length} right, ${disliked.length} wrong`, ...(word ? [when] : []), ...(saved ? ["saved"] : [])].join(" · "),
        actions: [h("button", { class: "plain", type: "button", "aria-label": `take back what the search of ${when} taught`, onclick: () => this.change(() => api.drop(this.shell.user, session)) }, "Take back")],
      });
    });
  }

  /** It cannot be undone, so it is asked once. */
  #ask() {
    const { user } = this.shell;
    this.sure.replaceChildren(
      h("h2", {}, `Forget everything ${user} said?`),
      h("p", {}, "All marks, words, tags, scales and saved searches of this name go, and what others have from them. This cannot be taken back; export it first to keep it."),
      h("div", { class: "actions" },
        h("button", { class: "plain", type: "button", onclick: () => this.sure.close() }, "Keep it"),
        h("button", { class: "primary", id: "forget-yes", type: "button", onclick: () => { this.sure.close(); this.change(() => api.forget(user)); } }, "Forget")));
    this.sure.showModal();
  }
}

/** Two lines over time: of the pairs told apart, how many were in the right order with the marks, and without. */
function plot(points, detail) {
  const lines = ["plain", "served"].map((name) => [name, running(points.map((point) => point[name]))]);
  const [wide, high] = [600, 120];
  const low = Math.max(0, Math.floor(10 * Math.min(...lines.flatMap(([, values]) => values)) - 0.5) / 10);
  const at = (value, place) => `${((place / (points.length - 1)) * wide).toFixed(1)},${(high * (1 - (value - low) / (1 - low))).toFixed(1)}`;
  const line = ([name, values]) => svg("polyline", { class: `line-${name}`, points: values.map(at).join(" ") });
  const rules = [0, 0.5, 1].map((share) => svg("line", { class: "rule", x1: 0, x2: wide, y1: high * share, y2: high * share }));
  const label = (share) => h("span", {}, `${Math.round(100 * (1 - share * (1 - low)))}%`);
  return h("figure", { class: "plot" },
    h("div", { class: "scale muted", "aria-hidden": "true" }, label(0), label(0.5), label(1)),
    svg("svg", { viewBox: `0 -2 ${wide} ${high + 4}`, preserveAspectRatio: "none", role: "img", "aria-label": detail }, ...rules, ...lines.map(line)),
    h("figcaption", { class: "muted" }, `Pairs in the right order before they were learned from, ${stretch(points)}`));
}

/** "Nov 2 – Nov 18, 2026", or one day. */
function stretch(points) {
  const [from, to] = [day(points[0]), day(points.at(-1))];
  return from === to ? from : `${from} – ${to}`;
}

const day = ({ at }) => new Date(1000 * at).toLocaleDateString("en", { dateStyle: "medium" });

/** Two bars on one scale: with the marks above, without them below. */
function chart({ learned, plain }, detail) {
  const bar = (name, y, share) => svg("rect", { class: name, x: 0, y, width: share, height: 10, rx: 1 });
  return svg("svg", { class: "chart", viewBox: "0 0 100 24", preserveAspectRatio: "none", role: "img", "aria-label": detail },
    bar("track", 0, 100), bar("track", 14, 100), bar("bar-learned", 0, learned), bar("bar-plain", 14, plain));
}
