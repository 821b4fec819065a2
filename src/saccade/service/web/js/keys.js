// The keyboard: one table, one listener.

const ARROWS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };
const VERBS = { y: "right", n: "wrong", m: "more", w: "why" };

/**
 * `on` has: step(way), verb(name), undo(), query(), help(), escape() → boolean.
 * A key is left to the browser while someone types or holds a modifier.
 */
export function watchKeys(on) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest?.("input, textarea, select")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.repeat && !(key in ARROWS)) return;
    if (key in ARROWS) on.step(ARROWS[key]);
    else if (key in VERBS) on.verb(VERBS[key]);
    else if (key === "u") on.undo();
    else if (key === "/") on.query();
    else if (key === "?") on.help();
    else if (key !== "Escape" || !on.escape()) return;
    event.preventDefault();
  });
}
