// The box where everything begins: typed words with suggestions, as a combobox should be.
//
// The list follows what is typed; arrows choose, Enter searches, Escape closes the list and then empties the box.

import * as api from "../api.js";
import { count, h } from "../dom.js";

const WAIT = 120; // milliseconds after a key before the list is asked for
const MOST = 8;

/** What a suggestion is, said behind it. */
const SORTS = {
  kind: (n) => (n === null ? "" : n ? `about ${count(n, "picture")}` : "not here, it seems"),
  folder: (n) => `folder · ${count(n, "picture")}`,
  taught: (n) => `you taught this · ${count(n, "mark")}`,
  tag: () => "your tag",
  saved: () => "your saved search",
  attribute: () => "a scale",
};

export class Box {
  /** In the form `form` with its input and list. `search(text)` carries it out; `user()` is whose words are offered. */
  constructor(form, { search, user }) {
    Object.assign(this, { form, search, user, options: [], active: -1, turn: 0 });
    this.input = form.querySelector("[role=combobox]");
    this.list = form.querySelector("[role=listbox]");
    this.typing = document.activeElement === this.input && this.input.value !== ""; // some begin before this page does
    this.input.addEventListener("input", () => { this.typing = true; this.#later(); });
    this.input.addEventListener("keydown", (event) => this.#key(event));
    this.input.addEventListener("focus", () => this.input.select());
    this.input.addEventListener("blur", () => { this.typing = false; this.close(); });
    form.addEventListener("submit", (event) => { event.preventDefault(); this.#submit(); });
    // The input keeps the focus; and what is taken is gone only after the click, which would else fall through.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.#take(Number(option.dataset.place));
    });
  }

  /** Put the cursor there. */
  focus() {
    this.input.focus();
  }

  /** Show what is searched for; not over what somebody is typing. */
  set(text) {
    if (!this.typing) this.#write(text);
  }

  #write(text) {
    this.input.value = text;
    this.close();
  }

  close() {
    this.turn += 1; // a list on its way is not wanted any more
    clearTimeout(this.timer);
    this.options = [];
    this.#draw();
  }

  get isOpen() {
    return this.options.length > 0;
  }

  #later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#offer(), WAIT);
  }

  /** Ask for suggestions; not knowing any costs only the list. An empty box has some only for whoever asks. */
  async #offer({ asked = false } = {}) {
    const turn = ++this.turn;
    const typed = this.input.value;
    const found = typed.trim() || asked ? await api.suggest(typed, this.user(), MOST).catch(() => []) : [];
    if (turn !== this.turn) return;
    this.options = found;
    this.active = -1;
    this.#draw();
  }

  #draw() {
    const { input, list, options } = this;
    list.hidden = !options.length;
    input.setAttribute("aria-expanded", String(options.length > 0));
    list.replaceChildren(...options.map(({ text, sort, count: n }, place) =>
      h("li", { role: "option", id: `${list.id}-${place}`, "data-place": place, "data-sort": sort, "aria-selected": "false" },
        h("span", { class: "text" }, text), h("span", { class: "muted" }, SORTS[sort]?.(n) ?? ""))));
    this.#point(-1);
  }

  #point(place) {
    this.active = place;
    [...this.list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === place)));
    if (place < 0) return this.input.removeAttribute("aria-activedescendant");
    this.input.setAttribute("aria-activedescendant", `${this.list.id}-${place}`);
    return this.list.children[place].scrollIntoView({ block: "nearest" });
  }

  #key(event) {
    if (event.isComposing) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      this.typing = true; // whoever asks for the list is at it, too: a page that arrives late must not close it
      if (!this.isOpen) return void this.#offer({ asked: true });
      const n = this.options.length + 1; // one place is the box itself
      this.#point(((this.active + 1 + by + n) % n) - 1);
    } else if (event.key === "Escape") {
      event.preventDefault();
      if (this.isOpen) this.close();
      else if (this.input.value) this.#write("");
      else this.input.blur();
    }
  }

  #take(place) {
    this.input.value = this.options[place].text;
    this.#submit();
  }

  #submit() {
    if (this.active >= 0) this.input.value = this.options[this.active].text;
    const text = this.input.value.trim();
    this.close();
    if (!text) return;
    this.input.blur();
    this.search(text);
  }
}
