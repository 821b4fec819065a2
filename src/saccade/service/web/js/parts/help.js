// The list of keys and gestures, drawn from the table of verbs.

import { closable, h, icon } from "../dom.js";
import { GESTURES, VERBS } from "../verbs.js";

export class Help {
  constructor(dialog) {
    this.dialog = dialog;
    closable(dialog);
  }

  get isOpen() {
    return this.dialog.open;
  }

  /** Show the keys that do something here: those of these names; `says` has words of the board's own. */
  open(names, says = {}) {
    const title = `${this.dialog.id}-title`;
    const rows = VERBS.filter(({ name, native }) => native || names.includes(name)).flatMap(({ name, shown, help }) => [
      h("dt", {}, ...shown.flatMap((key) => [h("kbd", {}, key), " "])), h("dd", {}, says[name] ?? help),
    ]);
    this.dialog.setAttribute("aria-labelledby", title);
    this.dialog.replaceChildren(
      h("header", {}, h("h2", { id: title }, "Keys and gestures"),
        h("button", { class: "quiet round", type: "button", "data-close": true, "aria-label": "Close" }, icon("wrong"))),
      h("dl", {}, ...rows, h("dt", {}, "Touch"), h("dd", {}, GESTURES)));
    this.dialog.showModal();
  }
}
