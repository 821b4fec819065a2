// Saved searches: a button in the header, and a panel to name this one, open another or give one up.

import * as api from "../api.js";
import { count, h, icon } from "../dom.js";
import { allowed } from "../state/person.js";

export class Saved {
  /** `panel` opens by its button; `user()` and `page()` say who searches and what is on screen, `open(name)` shows a saved one. */
  constructor(panel, { user, page, open, notify }) {
    Object.assign(this, { panel, user, page, open, notify });
    this.input = h("input", { id: "saved-name", name: "name", maxlength: "100", autocomplete: "off", spellcheck: "false", required: true });
    this.form = h("form", { id: "saved-form", onsubmit: (event) => { event.preventDefault(); this.#save(this.input.value.trim()); } },
      h("label", { for: this.input.id }, "Save this search as"),
      h("div", { class: "row" }, this.input, h("button", { class: "primary", type: "submit" }, "Save")));
    this.list = h("ul", { id: "saved-list" });
    this.none = h("p", { class: "muted" }, "Nothing is saved yet: search, mark, then come back here.");
    panel.replaceChildren(this.form, this.none, this.list);
    // Emptied before it opens: the other event comes later, when someone may have begun to type.
    panel.addEventListener("beforetoggle", () => { this.input.value = ""; this.form.hidden = !this.page(); });
    panel.addEventListener("toggle", (event) => { if (event.newState === "open") this.#opened(); });
    this.input.addEventListener("input", () => this.input.setCustomValidity(""));
  }

  async #opened() {
    if (!this.form.hidden) this.input.focus();
    await this.#ask(() => api.saved(this.user()), (found) => this.#draw(found.items));
  }

  #draw(searches) {
    this.none.hidden = searches.length > 0;
    this.list.replaceChildren(...searches.map(({ name, liked, disliked }) => h("li", { class: "row" },
      h("button", { type: "button", onclick: () => { this.panel.hidePopover(); this.open(name); } }, name,
        h("span", { class: "muted" }, ` ${count(liked.length + disliked.length, "mark")}`)),
      h("button", { class: "quiet round", type: "button", title: "Give it up", "aria-label": `give up the saved search ${name}`, onclick: () => this.#drop(name) }, icon("wrong")))));
  }

  async #save(name) {
    if (!allowed(name)) {
      this.input.setCustomValidity("A name has 1 to 100 characters and no slash.");
      return void this.input.reportValidity();
    }
    return this.#ask(() => api.save(this.user(), this.page().page_id, name), () => {
      this.panel.hidePopover();
      this.notify(`Saved as ${name}.`);
    });
  }

  #drop(name) {
    return this.#ask(() => api.giveUp(this.user(), name), (left) => this.#draw(left.items));
  }

  async #ask(send, take) {
    try {
      take(await send());
    } catch (problem) {
      this.panel.hidePopover();
      this.notify(problem.sentence ?? String(problem));
    }
  }
}
