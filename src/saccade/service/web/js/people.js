// Who is searching: a name kept in this browser; each name has a ranking of its own.

import * as api from "./api.js";
import { byId, h } from "./dom.js";

const KEY = "saccade.user";
const ALLOWED = /^(?=.*\S)[^/\p{C}]{1,100}$/u;

/** The name used last in this browser. */
export function rememberedUser() {
  try {
    const name = localStorage.getItem(KEY);
    return name && ALLOWED.test(name) ? name : "guest";
  } catch {
    return "guest"; // storage is switched off
  }
}

/** Wire the switcher; `change(name)` is called when another person searches. */
export function watchPeople(current, change) {
  const panel = byId("users");
  const input = byId("user-input");
  let name = current;
  show();

  // Emptied before it opens: the other event comes later, when someone may have begun to type.
  panel.addEventListener("beforetoggle", () => { input.value = ""; });
  panel.addEventListener("toggle", async (event) => {
    if (event.newState !== "open") return;
    input.focus();
    const known = await api.people().then((list) => list.items, () => []);
    const names = [...new Set([name, "guest", ...known])];
    byId("user-list").replaceChildren(...names.map((other) =>
      h("li", {}, h("button", { type: "button", "aria-current": other === name ? "true" : null, onclick: () => choose(other) }, other))));
  });
  byId("user-form").addEventListener("submit", (event) => {
    event.preventDefault();
    choose(input.value.trim());
  });
  input.addEventListener("input", () => input.setCustomValidity(""));

  function choose(wanted) {
    if (!ALLOWED.test(wanted)) {
      input.setCustomValidity("A name has 1 to 100 characters and no slash.");
      return void input.reportValidity();
    }
    panel.hidePopover();
    if (wanted === name) return;
    name = wanted;
    try { localStorage.setItem(KEY, name); } catch { /* kept for this visit only */ }
    show();
    change(name);
  }

  function show() {
    byId("user-name").textContent = name;
    byId("user").setAttribute("aria-label", `Person: ${name}. Change`);
  }
}
