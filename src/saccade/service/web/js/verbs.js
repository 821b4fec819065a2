// What a person can do: one table that serves cards, keyboard and help.
//
//   name     what boards and parts call it; a board's `keys` has a function of that name
//   keys     as the browser names them, letters in lower case
//   shown    how the keys are printed
//   label    on a button; an icon of the same name is in index.html
//   help     in the list of keys
//   sign     the mark it puts on a picture
//   picture  it is about one picture: every card, the large view and the touch sheet offer it
//   repeats  holding the key goes on
//   native   the browser does it: the key is only listed

export const VERBS = [
  { name: "move", keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], shown: ["←", "→", "↑", "↓"], help: "move between pictures", repeats: true },
  { name: "right", keys: ["y"], shown: ["Y"], label: "Right", help: "right; again takes it off", sign: "liked", picture: true },
  { name: "wrong", keys: ["n"], shown: ["N"], label: "Wrong", help: "wrong; again takes it off", sign: "disliked", picture: true },
  { name: "more", keys: ["m"], shown: ["M"], label: "More like this", help: "more like this", picture: true },
  { name: "why", keys: ["w"], shown: ["W"], label: "Why", help: "why is it here", picture: true },
  { name: "large", keys: ["Enter"], shown: ["Enter"], help: "open in large", native: true },
  { name: "undo", keys: ["u"], shown: ["U"], label: "undo", help: "undo the last mark" },
  { name: "good", keys: ["1"], shown: ["1"], help: "call it good" },
  { name: "ok", keys: ["2"], shown: ["2"], help: "call it ok" },
  { name: "junk", keys: ["3"], shown: ["3"], help: "call it junk" },
  { name: "compare", keys: ["c"], shown: ["C"], help: "compare two pictures" },
  { name: "map", keys: ["r"], shown: ["R"], label: "Parts", help: "show the parts of a picture that count" },
  { name: "tidy", keys: ["t"], shown: ["T"], label: "tidy", help: "tidy: fold judged pictures away, and back" },
  { name: "stack", keys: ["s"], shown: ["S"], help: "spread out what is nearly the same, and back" },
  { name: "choose", keys: ["x"], shown: ["X"], help: "choose several, to mark or tag at once" },
  { name: "query", keys: ["/"], shown: ["/"], help: "type what you look for" },
  { name: "help", keys: ["?"], shown: ["?"], help: "these keys" },
  { name: "close", keys: ["Escape"], shown: ["Esc"], help: "close what is open" },
];

/** What fingers do, for the list of keys. */
export const GESTURES = "tap opens, swipe right or left says right or wrong, a long press shows all choices, and where some are chosen a finger moved sideways chooses on; in the large view a swipe turns over";

/** What can be said about one picture; every surface offers these. */
export const ABOUT_A_PICTURE = VERBS.filter(({ picture }) => picture);

/** Verb → the mark it puts on a picture. */
export const SIGN = Object.fromEntries(VERBS.filter(({ sign }) => sign).map(({ name, sign }) => [name, sign]));

/** "liked" → "right", "disliked" → "wrong": what people call a mark. */
export const SAID = Object.fromEntries(Object.entries(SIGN).map(([name, sign]) => [sign, name]));

/** A hint for a button: "Right (Y)". */
export function hint(name) {
  const { label, help, shown } = VERBS.find((verb) => verb.name === name);
  return `${label ?? help} (${shown[0]})`;
}

/**
 * The keyboard: `perform(name, way)` carries out a verb and returns false when there was nothing to do;
 * `way` is left, right, up or down. A key is left to the browser while someone types or holds a modifier.
 */
export function watchKeys(perform) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest?.("input, textarea, select")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const verb = VERBS.find(({ keys, native }) => !native && keys.includes(key));
    if (!verb || (event.repeat && !verb.repeats)) return;
    const way = key.startsWith("Arrow") ? key.slice(5).toLowerCase() : null;
    if (perform(verb.name, way) !== false) event.preventDefault();
  });
}
