// Look-alikes of the picture in the large view: a row of small pictures that each start a search. A ring of colour: marked together before.

import { neighbours, thumb } from "../api.js";
import { fileName, h } from "../dom.js";

const MOST = 8;

export class Alike {
  /** Fills `place`; `more(id)` searches for more like a picture, `who()` is asked for whose marks count. */
  constructor(place, more, who = () => null) {
    Object.assign(this, { place, more, who, id: null });
  }

  /** Show the look-alikes of a picture; where there are none, or no graph, nothing is shown. */
  async show(id) {
    if (this.id === id) return;
    this.id = id;
    this.place.replaceChildren();
    this.place.hidden = true;
    const found = await neighbours(id, MOST, this.who()).catch(() => []);
    if (this.id !== id || !found.length) return;
    const small = ({ image_id: other, path, width, height, evidence }) => h("button", {
      class: evidence > 0 ? "alike taught" : "alike", type: "button", title: `More like ${fileName(path)}`, "aria-label": `Look-alike ${fileName(path)}: search for more like it`, onclick: () => this.more(other),
    }, h("img", { src: thumb(other), width, height, alt: "", loading: "lazy" }));
    this.place.replaceChildren(h("span", { class: "muted" }, "Look-alikes"), ...found.map(small));
    this.place.hidden = false;
  }
}
