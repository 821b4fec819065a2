// Settings: ranking is automatic; under Advanced stands what it chooses from, what it found best, and what finding out cost.
// Here, and only here, words of the papers are used.

import * as api from "../api.js";
import { count, h } from "../dom.js";
import { colour, line, stacked } from "../parts/areas.js";
import { Blank } from "../parts/notice.js";
import { configure, configured } from "../state/configuring.js";

const SERVES = {
  auto: "The usual ranking, unless another has done better by what was marked; a few searches try another in one place of ten.",
  vote: "All configurations answer and vote by score; each is charged with its own place.",
};

export class Settings {
  static label = "Settings";

  constructor(shell) {
    this.shell = shell;
  }

  keys = {};

  mount(place) {
    this.blank = new Blank(h("section", { class: "state", hidden: true }));
    this.body = h("div", { id: "choosers" });
    place.replaceChildren(h("div", { class: "stage wide" }, h("div", { class: "choosers" },
      h("header", {}, h("h1", { tabindex: "-1" }, "Settings"), h("p", { class: "muted" }, "There is nothing to set: pictures are ranked by what your marks have shown to work best. Below is what that is chosen from.")),
      h("h2", {}, "Advanced"), this.blank.place, this.body)));
  }

  unmount() {
    this.gone = true;
  }

  async open() {
    this.shell.title("Settings");
    this.shell.busy(true);
    try {
      const report = await api.choosers();
      if (!this.gone) this.#draw(report);
    } catch (problem) {
      this.blank.show(problem.sentence ?? String(problem), { label: "Try again", act: () => this.open() });
    } finally {
      this.shell.busy(false);
    }
  }

  /** What is chosen is everybody's. */
  userChanged() {}

  #draw(report) {
    this.blank.hide();
    if (!report.configurations.length) {
      this.body.replaceChildren();
      return this.blank.show("This collection has no visual words, so there are no configurations to choose from. Index it with words in the recipe.", { label: "Look again", act: () => this.open() });
    }
    const ways = (report.configurations.length - 1) / Object.keys(report.vocabularies).length;
    const words = Object.entries(report.vocabularies).map(([name, size]) => `${name} ${size.toLocaleString("en")} words`);
    return this.body.replaceChildren(
      h("header", {},
        h("p", { class: "muted" }, `${count(report.configurations.length, "configuration")}: the usual ranking, and ${words.join(", ")}, each compared ${ways} ways. Those rank by visual words alone: to find the same thing again, not things of a kind.`)),
      this.#switches(report),
      ...report.choosers.map((chooser) => drawn(chooser, ways)),
      ...failed(report.dropped));
  }

  /** What searches of this browser are ranked by. */
  #switches({ configurations, exploring }) {
    const { configuration, trying } = configured();
    const known = ["auto", "vote", ...configurations];
    const option = (value, text) => h("option", { value, selected: (known.includes(configuration) ? configuration : "") === value }, text);
    const select = h("select", { id: "ranked-by", onchange: () => { configure({ configuration: select.value || null }); tried.disabled = select.value !== "auto"; } },
      option("", "as usual: the guard’s mixture"), option("auto", "auto: what feedback has found best"), option("vote", "vote: all of them together"),
      h("optgroup", { label: "one configuration" }, ...configurations.map((name) => option(name, name))));
    const tried = h("input", { type: "checkbox", id: "trying", checked: trying, disabled: configuration !== "auto", onchange: () => configure({ trying: tried.checked }) });
    return h("form", { class: "switches", onsubmit: (event) => event.preventDefault() },
      h("label", { for: "ranked-by" }, "My searches are ranked"), select,
      h("label", { for: "trying" }, tried, `may try a different configuration, in one place of ten of ${Math.round(100 * exploring)}% of searches`));
  }
}

/** One chooser: a sentence, its areas, its regret, its configurations. */
function drawn(chooser, ways) {
  const { serves, rounds, configurations, history } = chooser;
  const names = configurations.map(({ name }) => name);
  const regret = `regret against the best single one: ${chooser.regret.toFixed(2)}`;
  return h("section", { class: "chooser", "data-serves": serves, "aria-label": serves },
    h("h2", {}, `${serves} `, h("span", { class: "muted" }, chooser.chooser)),
    h("p", { class: "muted" }, SERVES[serves]),
    h("p", { class: "verdict" }, rounds ? `${count(rounds, "reaction")}, mean loss ${chooser.loss.toFixed(3)}; ${chooser.best} lost least; ${regret}, the bound is ${chooser.bound.toFixed(1)}.` : "Nothing learned yet: search this way and mark a picture."),
    h("figure", {}, stacked(history, names, ways, `weights over ${count(rounds, "reaction")}`), scale(rounds, "weights, 0 to 100%")),
    h("figure", {}, line(history, regret), scale(rounds, regret)),
    table(configurations, ways));
}

const scale = (rounds, what) => h("figcaption", { class: "muted" }, h("span", {}, "0"), h("span", {}, what), h("span", {}, count(rounds, "reaction")));

/** Every configuration, the heaviest first, with the colour of its area. */
function table(configurations, ways) {
  const rows = configurations.map((one, place) => ({ ...one, place })).sort((a, b) => b.weight - a.weight || a.place - b.place);
  const swatch = (place) => h("i", { class: "swatch", vars: { "--shade": colour(place, ways) } });
  return h("table", {},
    h("thead", {}, h("tr", {}, ...["configuration", "weight", "mean loss", "reactions"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...rows.map(({ name, weight, loss, rounds, place }) => h("tr", { "data-name": name },
      h("th", { scope: "row" }, swatch(place), name), h("td", {}, `${(100 * weight).toFixed(1)}%`),
      h("td", {}, loss === null ? "–" : loss.toFixed(3)), h("td", {}, rounds.toLocaleString("en"))))));
}

/** Who failed since the server was started. */
function failed(dropped) {
  const names = Object.entries(dropped).map(([name, times]) => `${name} (${times})`);
  return names.length ? [h("p", { class: "failed" }, `Failed and left out: ${names.join(", ")}.`)] : [];
}
