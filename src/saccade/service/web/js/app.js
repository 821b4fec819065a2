// The shell: the header, its dialogs, the keyboard, and the board that the address names.
//
// A board is a class in boards/, with
//   label                 its name for people (static)
//   constructor(shell)    see `shell` below for what it may ask of the page around it
//   mount(place)          build what it shows inside `place`; unmount() ends what it has running
//   open(params, state)   follow the address: its parameters and what was kept in the history
//   keys                  names from verbs.js → functions; one that returns false did nothing
//   says                  what some of them mean here, where it is not what the table says
//   userChanged(name)     another person uses the page
//   narrowed()            what narrows it, so that the next typed words keep to it (may be missing)
//   leaving               a promise while it takes an entry out of the history, else null (may be missing)
//   keep()                the address is about to change: keep in the history what it takes to come back (may be missing)
// To add one, write the file and give it a row here.

import * as api from "./api.js";
import { Collection } from "./boards/collection.js";
import { Search } from "./boards/search.js";
import { Settings } from "./boards/settings.js";
import { Taught } from "./boards/taught.js";
import { count, h } from "./dom.js";
import { Box } from "./parts/box.js";
import { watchPictures } from "./parts/drop.js";
import { Help } from "./parts/help.js";
import { Jobs } from "./parts/jobs.js";
import { Notice } from "./parts/notice.js";
import { People } from "./parts/people.js";
import { Picker } from "./parts/picker.js";
import { HOME, format, parse } from "./router.js";
import { Saved } from "./parts/saved.js";
import { toParams } from "./state/narrowing.js";
import { Outbox } from "./state/outbox.js";
import * as person from "./state/person.js";
import { watchKeys } from "./verbs.js";

const BOARDS = {
  search: Search,
  collection: Collection,
  taught: Taught,
  settings: Settings,
};
/** Boards that the navigation names; the others are reached from where they belong. */
const NAMED = ["search", "collection", "taught"];
/** Where older addresses lead. */
const MOVED = {
  attributes: { name: "taught", part: "scales" },
  concepts: { name: "taught", part: "best" },
  choosers: { name: "settings" },
};

const byId = (id) => document.getElementById(id);
const notice = new Notice(byId("notice"), () => [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body);
const help = new Help(byId("keys"));
const place = byId("board");
const file = byId("file");
let board = null;
let busy = 0;

/** A search as parameters: words, a picture of the collection or a part of it, and what narrows it. */
function parameters({ text, id, box, spot, where }) {
  return { ...(text && { text }), ...(id && { image: id }), ...(box && { box: box.join() }), ...(spot && { spot: spot.join() }), ...toParams(where) };
}

/** Act once the history has come to rest: an entry that is about to go would take a new one along. */
function rested(act) {
  if (board?.leaving) board.leaving.then(act);
  else act();
}

/** What a board may ask of the page around it. */
const shell = {
  user: person.remembered(),
  /** Who asks, as the server knows them. */
  me: { user: "", role: "viewer", named: false },
  /** What a person says goes through it. */
  outbox: new Outbox(api.say),
  /** Show a board with these parameters, as a new entry of the history. */
  go(name, params = {}) {
    rested(() => {
      board?.keep?.();
      history.pushState(null, "", format(name, params));
      follow();
    });
  },
  /** Back to the start. */
  home: () => shell.go(HOME),
  /** Search with {text}, {id}, both, a part {id, box} or {id, spot}, or {file, url}, from anywhere. The large view gives its entry to the new search. */
  search(query) {
    rested(() => {
      board?.keep?.();
      const step = history.state?.large ? "replaceState" : "pushState";
      history[step](null, "", shell.address(query));
      show("search").begin(query);
    });
  },
  /** The address of a search. */
  address: (query) => format("search", parameters(query)),
  pick: () => { if (!picker.isOpen) picker.open(); },
  /** Show in the box what is searched for. */
  words: (text) => box.set(text),
  notify: (...words) => notice.show(...words),
  quiet: () => notice.hide(),
  /** Say something to those who listen instead of look. */
  announce(sentence) { byId("live").textContent = sentence; },
  /** What the page is about, in the browser's title. */
  title(about) { document.title = about ? `${about} · Saccade` : "Saccade"; },
  /** Something is on its way; called again with false when it came. */
  busy(on) {
    busy += on ? 1 : -1;
    byId("progress").hidden = busy === 0 || shell.outbox.away;
  },
};

const picker = new Picker(byId("picker"), {
  pick: (id) => shell.search({ id }),
  file: () => file.click(),
  complain: (problem, retry) => notice.show(problem.sentence ?? String(problem), { label: "Try again", act: retry }),
});

// Whoever types before the page stands is heard once it does.
const box = new Box(byId("box"), { search: (text) => standing.then(() => shell.search({ text, where: board.narrowed?.() })), user: () => shell.user });

shell.jobs = new Jobs(byId("jobs"), byId("job"), { may: () => shell.me.role === "owner", notify: (...words) => notice.show(...words) });

/** While the server is away, say so, and how much waits for it. */
shell.outbox.addEventListener("change", () => {
  const { away, waiting } = shell.outbox;
  byId("away").hidden = !away;
  byId("away").textContent = away ? `The server is away: ${count(waiting, "mark")} will be sent when it is back` : "";
  byId("progress").hidden = busy === 0 || away;
});

// --- boards -----------------------------------------------------------------------------------

/** The board of this name, on the page. */
function show(name) {
  if (board instanceof BOARDS[name]) return board;
  board?.unmount();
  place.replaceChildren();
  board = new BOARDS[name](shell);
  board.mount(place);
  if (name !== HOME) box.set(""); // what was looked for is not what is shown here
  drawBoards(name);
  return board;
}

/** Links between boards. */
function drawBoards(current) {
  byId("boards").replaceChildren(...NAMED.map((name) =>
    h("a", { href: format(name), "aria-current": name === current ? "page" : null }, BOARDS[name].label)));
}

function follow() {
  const { name, params } = parse(location);
  if (name in MOVED) {
    const { name: board, ...more } = MOVED[name];
    history.replaceState(history.state, "", format(board, { ...more, ...Object.fromEntries(params) }));
    return follow();
  }
  return show(name in BOARDS ? name : HOME).open(params, history.state);
}

// --- keys and the header ------------------------------------------------------------------------

const keys = {
  query: () => box.focus(),
  help: () => help.open([...Object.keys(keys), ...Object.keys(board.keys)], board.says),
};

watchKeys((name, way) => {
  if (help.isOpen) return false;
  if (picker.isOpen) return name === "move" ? picker.grid.step(way) : false;
  const act = board.keys[name] ?? keys[name];
  return act ? act(way) : false;
});
watchPictures({ veil: byId("droppable"), input: file }, (picture) => {
  picker.close();
  box.set("");
  standing.then(() => bring(picture));
}, (sentence) => notice.show(sentence));
/** Search with a picture of the person's own. It is kept by its name, so that the search has an address; else it is searched with as it is. */
async function bring(picture) {
  const query = { file: picture, url: URL.createObjectURL(picture) };
  shell.busy(true);
  const kept = await api.keep(picture, shell.user).catch(() => null).finally(() => shell.busy(false));
  if (kept) URL.revokeObjectURL(query.url);
  shell.search(kept ? { id: kept.image_id, called: picture.name } : query);
}
const people = new People(byId("user"), byId("users"), {
  name: shell.user,
  me: () => shell.me,
  change: (name) => {
    person.remember(name);
    shell.user = name;
    board.userChanged(name);
  },
});
new Saved(byId("saves"), {
  user: () => shell.user,
  page: () => board.session?.page ?? null,
  open: (name) => shell.go("search", { saved: name }),
  notify: shell.notify,
});
byId("ask").addEventListener("click", shell.pick);
byId("help").addEventListener("click", keys.help);
byId("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address names a board, not a place on the page
  place.querySelector("[tabindex]")?.focus();
});
byId("home").addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  shell.home();
});

history.scrollRestoration = "manual"; // boards come back to their place when their pictures are there
addEventListener("popstate", follow);
/** Who it is; where the server knows a name, that one counts, however late it tells. */
async function introduce() {
  shell.me = await api.me().catch(() => shell.me);
  if (!shell.me.named || shell.user === shell.me.user) return;
  shell.user = shell.me.user;
  people.rename(shell.user);
  board?.userChanged(shell.user);
}

// What an earlier visit could not send comes first, so that the page shows it; but it holds up nothing for long.
const first = Promise.all([introduce(), shell.outbox.flush()]);
const standing = Promise.race([first, new Promise((resolve) => { setTimeout(resolve, 1500); })]).then(follow);
shell.jobs.look();
