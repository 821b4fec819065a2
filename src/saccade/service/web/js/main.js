// The page: start, search, judge. This file joins the parts and holds no pictures itself.

import * as api from "./api.js";
import { announce, byId, closable, count } from "./dom.js";
import { watchPictures } from "./drop.js";
import { Grid } from "./grid.js";
import { watchKeys } from "./keys.js";
import { drawLearning } from "./learning.js";
import { rememberedUser, watchPeople } from "./people.js";
import { Picker } from "./picker.js";
import { drawQuery } from "./query.js";
import { Session } from "./session.js";
import { hideNotice, hideState, notify, showState } from "./states.js";
import { watchTouch } from "./touch.js";
import { Viewer } from "./viewer.js";
import { drawWhy } from "./why.js";

const SAMPLE = 48;
const SIGN = { right: "liked", wrong: "disliked" };

const session = new Session(rememberedUser());
const grid = new Grid(byId("grid"));
const viewer = new Viewer(session, act, (id) => grid.focus(id));
const picker = new Picker((id) => go({ id }), complain);
const why = byId("why");
const keys = byId("keys");

// --- what a person can do -------------------------------------------------------------------

/** Carry out a verb on a picture. */
function act(verb, id) {
  if (!id || !session.page) return;
  if (verb === "more") return go({ id });
  if (verb === "why") return viewer.isOpen ? viewer.toggleWhy() : toggleWhy(id);
  if (session.markOf(id) === SIGN[verb]) return notify(`This picture is marked ${verb} already. Undo takes back the last mark.`);
  session.mark(id, SIGN[verb]);
}

/** Start a search and remember it in the address, so that Back works. */
function go(query) {
  history.pushState(null, "", query.id ? `?image=${query.id}` : location.pathname);
  return begin(query);
}

function begin(query, trace = null) {
  if (session.query?.url && session.query !== query) URL.revokeObjectURL(session.query.url);
  viewer.close();
  closeWhy();
  hideNotice();
  hideState();
  byId("lead").hidden = true;
  byId("more").hidden = true;
  scrollTo({ top: 0, behavior: "instant" });
  grid.wait();
  return trace ? session.resume(query, trace) : session.search(query);
}

function takeFile(file) {
  picker.close();
  go({ file, url: URL.createObjectURL(file) });
}

async function toggleWhy(id) {
  if (!why.hidden && why.dataset.id === id) return closeWhy();
  const place = session.shown.findIndex((hit) => hit.image_id === id);
  if (place < 0) return undefined;
  await drawWhy(why, session.shown[place], place, closeWhy).catch((problem) => complain(problem, () => toggleWhy(id)));
  // The panel narrows the grid or covers its lower half: keep the picture in sight beside it.
  grid.cards.get(id)?.scrollIntoView({ block: innerWidth <= 960 ? "start" : "nearest" });
  return undefined;
}

function closeWhy() {
  const id = why.dataset.id;
  const inside = why.contains(document.activeElement);
  why.hidden = true;
  if (inside) grid.focus(id);
}

// --- what is shown --------------------------------------------------------------------------

/** The button under the grid: other pictures on the start page, a longer page in a search. */
function moreButton(label, offered) {
  byId("more").textContent = label;
  byId("more").hidden = !offered;
}

let seed = 0; // which pictures the start page shows

async function start() {
  session.clear();
  closeWhy();
  hideState();
  hideNotice();
  drawQuery(session);
  byId("more").hidden = true;
  grid.wait();
  try {
    const { images } = await api.collection();
    if (!images) return nothingIndexed();
    const items = await api.sample(SAMPLE, seed);
    if (session.page || session.query) return undefined;
    const lead = byId("lead");
    lead.textContent = `${count(images, "picture")}. Choose one to find more like it, then say what is right and what is wrong.`;
    lead.hidden = false;
    grid.show(items, { judging: false });
    moreButton("Show others", images > SAMPLE);
  } catch (problem) {
    grid.clear();
    complain(problem, start);
  }
  return undefined;
}

function nothingIndexed() {
  grid.clear();
  byId("lead").hidden = true;
  showState("No pictures are indexed yet. Run saccade index with a folder of pictures, then look again.", { label: "Look again", act: start });
}

function stateOf(moves) {
  return (hit) => ({
    mark: session.markOf(hit.image_id),
    sending: session.sending.has(hit.image_id),
    move: moves ? (moves.get(hit.image_id) ?? null) : undefined,
  });
}

session.addEventListener("change", ({ detail: { reason, id, moves, elsewhere } }) => {
  hideState();
  if (reason === "sending") {
    session.shown.forEach((hit, place) => {
      if (hit.image_id === id) grid.refresh(hit, { place, ...stateOf()(hit) });
    });
    viewer.refresh();
    return;
  }
  history.replaceState(session.trace, "");
  const glide = reason !== "search";
  const told = reason === "more" ? [] : (moves ?? []); // whatever a longer page adds is new
  grid.show(session.shown, { stateOf: stateOf(new Map(told)), glide, anchor: id ?? null });
  drawQuery(session, (example) => grid.focus(example));
  viewer.refresh();
  refreshWhy();
  moreButton("Show more", session.canGrow);
  if (!session.shown.length) showState("Nothing found: the collection holds no other picture.", { label: "Start again", act: home });
  say(reason, id, moves, elsewhere);
  measure();
});

function say(reason, id, moves, elsewhere) {
  const moved = moves ? [...moves.values()].filter(({ way }) => way !== "new").length : 0;
  if (reason === "search") announce(`${count(session.shown.length, "picture")} found.`);
  if (reason === "more") announce(`${count(session.shown.length, "picture")} shown.`);
  if (reason === "mark") announce(`Marked ${session.markOf(id) === "liked" ? "right" : "wrong"}. ${count(moved, "picture")} moved.`);
  if (reason === "undo") {
    announce(elsewhere ? "The last mark of an earlier search was taken back." : "The last mark was taken back.");
    if (elsewhere) notify("The last mark of an earlier search was taken back.");
  }
}

function refreshWhy() {
  if (why.hidden) return;
  const place = session.shown.findIndex((hit) => hit.image_id === why.dataset.id);
  if (place < 0) closeWhy();
  else drawWhy(why, session.shown[place], place, closeWhy);
}

/** Ask whether learning pays; a missing answer costs only this line. */
async function measure() {
  const { user, turn } = session;
  const profile = await api.profile(user).catch(() => null);
  if (turn !== session.turn) return;
  drawLearning(profile);
  byId("undo").disabled = !profile?.events;
}

let busy = 0;
session.addEventListener("busy", ({ detail }) => {
  busy += detail.on ? 1 : -1;
  byId("progress").hidden = busy === 0;
});

session.addEventListener("problem", ({ detail }) => complain(detail.problem, detail.retry));

/** One sentence and the next step. With nothing on screen it takes the middle of the page. */
function complain(problem, retry) {
  const sentence = problem.sentence ?? String(problem);
  if (problem.code === "nothing-to-undo") return notify("There is nothing left to undo.");
  const ours = ["not-an-image", "too-large"].includes(problem.code);
  if (!retry) return notify(sentence);
  const lost = problem.code === "not-found" && !session.page;
  const button = ours ? { label: "Choose another", act: () => picker.open() }
    : lost ? { label: "Start again", act: home } : { label: "Try again", act: retry };
  if (session.page) return notify(sentence, button, { stay: problem.code === "server-gone" });
  grid.clear();
  drawQuery(session); // the strip of an earlier search says nothing about this one
  return showState(sentence, button);
}

// --- wiring ---------------------------------------------------------------------------------

function home() {
  history.pushState(null, "", location.pathname);
  start();
}

function open() {
  const id = new URLSearchParams(location.search).get("image");
  return id ? begin({ id }, history.state) : start();
}

byId("grid").addEventListener("click", (event) => {
  const id = event.target.closest(".card")?.dataset.id;
  if (!id) return;
  const verb = event.target.closest("[data-verb]")?.dataset.verb;
  if (verb) act(verb, id);
  else if (session.page) viewer.open(id);
  else go({ id });
});
byId("home").addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  home();
});
byId("ask").addEventListener("click", () => picker.open());
byId("help").addEventListener("click", () => keys.showModal());
byId("undo").addEventListener("click", () => session.undo());
byId("more").addEventListener("click", () => {
  if (session.page) return void session.more();
  seed += 1;
  scrollTo({ top: 0, behavior: "instant" });
  start();
});
closable(keys);
watchPictures(takeFile, (sentence) => notify(sentence));
watchTouch(byId("grid"), act, (id) => session.markOf(id));
watchPeople(session.user, (name) => {
  session.user = name;
  if (session.query) begin(session.query);
});
watchKeys({
  step: (way) => {
    if (viewer.isOpen) viewer.step({ left: -1, up: -1, right: 1, down: 1 }[way]);
    else (picker.isOpen ? picker.grid : grid).step(way);
  },
  verb: (verb) => { if (!picker.isOpen && !keys.open) act(verb, viewer.isOpen ? viewer.id : grid.current); },
  undo: () => { if (session.page) session.undo(); },
  query: () => { if (!picker.isOpen) { viewer.close(); picker.open(); } },
  help: () => { if (!keys.open) keys.showModal(); },
  escape: () => {
    if (document.querySelector("dialog[open]") || why.hidden) return false;
    closeWhy();
    return true;
  },
});
addEventListener("popstate", open);
open();
