// The veil over a picture: dark where nothing counts, clear where it does. Where a map is no better than chance the
// server sends none, and none is shown.

import { h } from "../dom.js";

/** An image to lay over another one; `shown(is)` hears whether there is anything to see. */
export function makeVeil(shown = () => {}) {
  const veil = h("img", { class: "veil", alt: "", "aria-hidden": "true", hidden: true, draggable: "false" });
  const set = (there) => { veil.hidden = !there; shown(there); };
  veil.addEventListener("load", () => set(true));
  veil.addEventListener("error", () => set(false));
  return veil;
}

/** Look for the map at an address; none for null. */
export function lay(veil, source) {
  if (source && veil.getAttribute("src") === source) return void (veil.hidden = veil.naturalWidth === 0);
  veil.hidden = true;
  if (source) veil.src = source;
  else veil.removeAttribute("src");
}
