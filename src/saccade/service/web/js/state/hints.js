// What is said once to each person in this browser: at the first ✓, at the first ✕, and when a search is remembered.

const KEY = "saccade.hints";

export const HINTS = {
  liked: "What is like it comes up. Press ✓ again to take it back.",
  disliked: "It sinks, and what is like it; nothing else does.",
  kept: "Remembered: next time this starts here.",
  guest: "A guest's searches are not remembered. Give yourself a name, and next time this starts here.",
};

/** The hint of this name, where `user` has not seen it; from then on it is seen. */
export function hintFor(user, name) {
  if (!(name in HINTS)) return "";
  const seen = read();
  const own = seen[user] ?? [];
  if (own.includes(name)) return "";
  try { localStorage.setItem(KEY, JSON.stringify({ ...seen, [user]: [...own, name] })); } catch { return ""; } // it would be said again and again
  return HINTS[name];
}

/** What a search is worth remembering for: the hint's name, or null; `taught` searches of a person are remembered. */
export function remembering({ user, taught, likes, judged }) {
  if (!likes || judged < 3) return null;
  if (taught) return "kept";
  return user === "guest" ? "guest" : null;
}

function read() {
  try { return JSON.parse(localStorage.getItem(KEY)) ?? {}; } catch { return {}; }
}
