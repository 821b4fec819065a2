// Elements, icons and names: the few things every module needs.

/** An element: h("button", {class: "plain", onclick: f}, "text", child). */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** An element in the SVG namespace. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** One of the icons drawn at the top of index.html. */
export const icon = (name) =>
  svg("svg", { class: "icon", "aria-hidden": "true" }, svg("use", { href: `#icon-${name}` }));

/** What a person calls a picture: the name of its file. */
export const fileName = (path) => path.split(/[\\/]/).pop();

/** Whether the person asked for less motion. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** 1 → "1 picture", 2 → "2 pictures". */
export const count = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

/** A dialog's close buttons and its backdrop close it. */
export function closable(dialog) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
  });
}
