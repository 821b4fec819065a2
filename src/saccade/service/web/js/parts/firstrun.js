// The first run: where the pictures are. Indexing begins behind, and the grid fills as they arrive.

import { h, icon } from "../dom.js";

/** In `place`, the middle of a page without pictures; `begin(folder)` promises that it has begun. */
export function askFolder(place, begin) {
  const field = h("input", { id: "first-folder", autocomplete: "off", spellcheck: "false", required: true, placeholder: "/home/ana/Pictures", "aria-label": "Folder of pictures" });
  const said = h("p", { class: "muted", role: "alert" });
  const button = h("button", { class: "primary", type: "submit" }, "Begin");
  const form = h("form", { class: "first", id: "first-run", onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    said.textContent = "";
    try {
      await begin(field.value.trim());
      said.textContent = "Looking at your pictures: they appear here as they arrive.";
    } catch (problem) {
      said.textContent = problem.sentence ?? String(problem);
      button.disabled = false;
    }
  } }, field, button);
  place.replaceChildren(icon("eye"), h("h2", {}, "Where are your pictures?"), form, h("p", { class: "muted" }, "A folder on this machine. Nothing in it is changed, and nothing leaves the machine."), said);
  place.hidden = false;
  field.focus();
}
