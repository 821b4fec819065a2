// A part of Taught that is a list of rows with pictures: what the three of them share.

import { thumb } from "../../api.js";
import { h } from "../../dom.js";
import { Blank } from "../../parts/notice.js";

const FEW = 8; // pictures of a row

/** A list; a part gives `title`, `lead`, `load(user)` and `rows(found)`, and what to say where there is none, `none`. */
export class Listing {
  constructor(shell) {
    Object.assign(this, { shell, turn: 0 });
  }

  keys = {};

  mount(place) {
    this.blank = new Blank(h("section", { class: "state", id: "state", hidden: true }));
    this.list = h("ul", { class: "rows", id: "rows", "aria-label": this.title });
    place.replaceChildren(h("div", { class: "stage" }, h("div", { class: "page" },
      h("h1", { tabindex: "-1" }, this.title), h("p", { class: "lead" }, this.lead), this.blank.place, this.list)));
  }

  unmount() {
    this.turn += 1; // answers on their way find nobody
  }

  userChanged() {
    return this.open();
  }

  async open() {
    const turn = ++this.turn;
    this.shell.title(this.title);
    this.shell.busy(true);
    try {
      const found = await this.load(this.shell.user);
      if (turn === this.turn) this.draw(found);
    } catch (problem) {
      if (turn === this.turn) this.blank.show(problem.sentence ?? String(problem), { label: "Try again", act: () => this.open() });
    } finally {
      this.shell.busy(false);
    }
  }

  draw(found) {
    const rows = this.rows(found);
    this.list.replaceChildren(...rows);
    this.blank.hide();
    if (!rows.length) this.blank.show(this.none, { label: "Search", act: this.shell.home });
  }

  /** Send what changes the list and draw what is left of it. */
  async change(send) {
    try {
      await send();
      await this.open();
    } catch (problem) {
      this.shell.notify(problem.sentence ?? String(problem));
    }
  }
}

/** One row: a title that opens it, what is known of it, some pictures, what can be done. */
export function row({ title, open, known, pictures, actions = [] }) {
  const shown = pictures.slice(0, FEW);
  return h("li", { class: "row", "data-row": title },
    h("div", { class: "about" }, h("button", { class: "link title", type: "button", onclick: open }, title), h("p", { class: "muted" }, known)),
    h("div", { class: "few" }, ...shown.map((id) => h("img", { src: thumb(id), alt: "", loading: "lazy", onerror: (event) => event.target.remove() }))),
    h("div", { class: "actions" }, ...actions));
}
