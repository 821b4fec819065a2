// The strip above a concept's pictures: how many have no regions yet, a button that cuts them, how far that is.

import { count, h } from "../dom.js";
import { cut, estimate, lacking } from "../state/cutting.js";

export class Cutting {
  /** `done()` is called when regions were made, `failed(problem)` when that went wrong. */
  constructor(place, { done, failed }) {
    Object.assign(this, { place, done, failed, turn: 0, running: false });
    this.words = h("p", { "aria-live": "polite" });
    this.bar = h("progress", { id: "cutting", max: "1", hidden: true, "aria-label": "Cutting pictures into regions" });
    this.button = h("button", { class: "plain", id: "cut", type: "button", onclick: () => (this.running ? this.stop() : this.run()) });
    place.replaceChildren(this.words, this.button, this.bar);
    place.hidden = true;
  }

  /** Say what lacks its regions; nothing is cut before somebody asks for it. */
  offer(concept, user, { prepared, images, failed = [] }) {
    if (this.running) return;
    Object.assign(this, { concept, user });
    const left = lacking({ done: prepared, total: images, failed });
    this.place.hidden = left === 0;
    this.bar.hidden = true;
    this.words.textContent = `${prepared ? `${count(left, "picture")} of ${images} are` : "These pictures are"} not cut into regions yet, and what is learned speaks of regions. That is done once and takes ${estimate(left)}.`;
    this.button.textContent = `Cut ${count(left, "picture")}`;
  }

  async run() {
    const turn = ++this.turn;
    this.running = true;
    this.button.textContent = "Stop";
    try {
      await cut(this.concept, this.user, { going: () => turn === this.turn, told: (known, left) => this.#tell(turn, known, left) });
    } catch (problem) {
      if (turn === this.turn) this.failed(problem);
    }
    if (turn === this.turn) this.#end();
  }

  /** No further request; the one under way ends by itself, and what it makes is kept. */
  stop() {
    this.turn += 1;
    if (this.running) this.#end();
  }

  /** Somebody looks at something else. */
  leave() {
    Object.assign(this, { turn: this.turn + 1, running: false });
    this.place.hidden = true;
  }

  #tell(turn, { done, total }, left) {
    if (turn !== this.turn) return;
    this.bar.hidden = false;
    this.bar.max = total;
    this.bar.value = done;
    this.words.textContent = `Cutting pictures into regions: ${done} of ${total}, ${left} left. What is cut is kept.`;
  }

  #end() {
    this.running = false;
    this.done();
  }
}
