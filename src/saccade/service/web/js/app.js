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
// To add one, write the file and give it a row here.

import { Attributes } from "./boards/attributes.js";
import { Choosers } from "./boards/choosers.js";
import { Concepts } from "./boards/concepts.js";
import { Search } from "./boards/search.js";
import { h } from "./dom.js";
import { watchPictures } from "./parts/drop.js";
import { Help } from "./parts/help.js";
import { Notice } from "./parts/notice.js";
import { People } from "./parts/people.js";
import { Picker } from "./parts/picker.js";
import { HOME, format, parse } from "./router.js";
import { Saved } from "./parts/saved.js";
import * as person from "./state/person.js";
import { watchKeys } from "./verbs.js";

const BOARDS = {
  search: Search,
  attributes: Attributes,
  choosers: Choosers,
  concepts: Concepts,
};

const byId = (id) => document.getElementById(id);
const notice = new Notice(byId("notice"), () => [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body);
const help = new Help(byId("keys"));
const place = byId("board");
const file = byId("file");
let board = null;
let busy = 0;

/** A search as parameters: a picture of the collection, or a part of it. */
function address({ id, box, region }) {
  if (!id) return {};
  return { image: id, ...(box && { box: box.join() }), ...(region != null && { region }) };
}

/** What a board may ask of the page around it. */
const shell = {
  user: person.remembered(),
  /** Show a board with these parameters, as a new entry of the history. */
  go(name, params = {}) {
    history.pushState(null, "", format(name, params));
    follow();
  },
  /** Back to the start. */
  home: () => shell.go(HOME),
  /** Search with {id}, a part of it {id, box} or {id, region}, or {file, url}, from anywhere. The large view gives its entry to the new search. */
  search(query) {
    const step = history.state?.large ? "replaceState" : "pushState";
    history[step](null, "", format("search", address(query)));
    show("search").begin(query);
  },
  pick: () => { if (!picker.isOpen) picker.open(); },
  notify: (...words) => notice.show(...words),
  quiet: () => notice.hide(),
  /** Say something to those who listen instead of look. */
  announce(sentence) { byId("live").textContent = sentence; },
  /** What the page is about, in the browser's title. */
  title(about) { document.title = about ? `${about} · Saccade` : "Saccade"; },
  /** Something is on its way; called again with false when it came. */
  busy(on) {
    busy += on ? 1 : -1;
    byId("progress").hidden = busy === 0;
  },
};

const picker = new Picker(byId("picker"), {
  pick: (id) => shell.search({ id }),
  file: () => file.click(),
  complain: (problem, retry) => notice.show(problem.sentence ?? String(problem), { label: "Try again", act: retry }),
});

// --- boards -----------------------------------------------------------------------------------

/** The board of this name, on the page. */
function show(name) {
  if (board instanceof BOARDS[name]) return board;
  board?.unmount();
  place.replaceChildren();
  board = new BOARDS[name](shell);
  board.mount(place);
  drawBoards(name);
  return board;
}

/** Links between boards, where there are several. */
function drawBoards(current) {
  const rows = Object.entries(BOARDS);
  byId("boards").hidden = rows.length < 2;
  byId("boards").replaceChildren(...rows.map(([name, { label }]) =>
    h("a", { href: format(name), "aria-current": name === current ? "page" : null }, label)));
}

function follow() {
  const { name, params } = parse(location);
  show(name in BOARDS ? name : HOME).open(params, history.state);
}

// --- keys and the header ------------------------------------------------------------------------

const keys = {
  query: () => shell.pick(),
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
  shell.search({ file: picture, url: URL.createObjectURL(picture) });
}, (sentence) => notice.show(sentence));
new People(byId("user"), byId("users"), shell.user, (name) => {
  person.remember(name);
  shell.user = name;
  board.userChanged(name);
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

addEventListener("popstate", follow);
follow();
