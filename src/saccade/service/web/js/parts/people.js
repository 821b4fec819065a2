// Who is searching: a button with the name, and a panel to change it.

import * as api from "../api.js";
import { h } from "../dom.js";
import { format } from "../router.js";
import { allowed } from "../state/person.js";

export class People {
  /** `button` opens `panel`; `me()` says who asks, as the server knows them; `change(name)` is called when another person searches. */
  constructor(button, panel, { name, me, change }) {
    Object.assign(this, { button, panel, name, me, change });
    this.input = h("input", { id: `${button.id}-input`, name: "user", maxlength: "100", autocomplete: "off", spellcheck: "false", required: true });
    this.list = h("ul", { id: `${button.id}-list` });
    const link = (name, params, text) => h("a", { href: format(name, params), onclick: () => this.panel.hidePopover() }, text);
    const form = this.form = h("form", { id: `${button.id}-form`, onsubmit: (event) => { event.preventDefault(); this.#choose(this.input.value.trim()); } },
      h("label", { for: this.input.id }, "Who is searching?"),
      h("div", { class: "row" }, this.input, h("button", { class: "primary", type: "submit" }, "Switch")),
      h("p", { class: "muted" }, "Each person has a ranking of their own. Guests are many people under one name: words that they teach stay, their searches are not remembered."), this.list,
      h("p", { class: "links" }, link("taught", { part: "you" }, "What you taught"), link("settings", {}, "Settings")));
    panel.replaceChildren(form);
    // Emptied before it opens: the other event comes later, when someone may have begun to type.
    panel.addEventListener("beforetoggle", () => { this.input.value = ""; });
    panel.addEventListener("toggle", (event) => { if (event.newState === "open") this.#opened(); });
    this.input.addEventListener("input", () => this.input.setCustomValidity(""));
    this.#show();
  }

  /** The server knows who this is. */
  rename(name) {
    this.name = name;
    this.#show();
  }

  async #opened() {
    const { role, named } = this.me();
    for (const part of this.form.querySelectorAll("label, .row, .muted, ul")) part.hidden = named; // one is who the server says
    if (named) return;
    this.input.focus();
    const known = role === "owner" ? await api.people().then((list) => list.items, () => []) : [];
    const names = [...new Set([this.name, "guest", ...known])];
    this.list.replaceChildren(...names.map((other) =>
      h("li", {}, h("button", { type: "button", "aria-current": other === this.name ? "true" : null, onclick: () => this.#choose(other) }, other))));
  }

  #choose(wanted) {
    if (!allowed(wanted)) {
      this.input.setCustomValidity("A name has 1 to 100 characters and no slash.");
      return void this.input.reportValidity();
    }
    this.panel.hidePopover();
    if (wanted === this.name) return;
    this.name = wanted;
    this.#show();
    this.change(wanted);
  }

  #show() {
    this.button.querySelector(".name").textContent = this.name;
    this.button.setAttribute("aria-label", `Person: ${this.name}. Change`);
  }
}
