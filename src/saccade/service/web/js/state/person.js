// The name of who is searching, kept in this browser.

const KEY = "saccade.user";
const ALLOWED = /^(?=.*\S)[^/\p{C}]{1,100}$/u;

/** Whether this can be a name. */
export const allowed = (name) => ALLOWED.test(name);

/** The name used last in this browser. */
export function remembered() {
  try {
    const name = localStorage.getItem(KEY);
    return name && allowed(name) ? name : "guest";
  } catch {
    return "guest"; // storage is switched off
  }
}

export function remember(name) {
  try { localStorage.setItem(KEY, name); } catch { /* kept for this visit only */ }
}
