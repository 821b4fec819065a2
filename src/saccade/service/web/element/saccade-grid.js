/* <saccade-grid>: search, a grid and marks, on any page, in three lines:

   <script type="module" src="SERVER/saccade-grid.js"></script>
   <saccade-grid token="…" text="red shoes"></saccade-grid>

   server   where Saccade is; where this file came from unless given
   token    of the store, with the role teacher (viewer: without marks); none for visitors
   text     what to look for at first
   k        how many pictures, 24 unless given

   Events: `saccade-page` (detail: the page) and `saccade-pick` (detail: the picture clicked). */

const HOME = new URL(import.meta.url).origin;
const STYLE = `
  :host { display: block; font: 15px/1.5 system-ui, sans-serif; color: inherit; }
  form { display: flex; gap: 8px; margin-bottom: 8px; }
  input { flex: 1; min-width: 0; min-height: 40px; padding: 0 12px; border: 1px solid #80868c; border-radius: 8px; font: inherit; color: inherit; background: transparent; }
  button { min-width: 40px; min-height: 40px; padding: 0 12px; border: 1px solid #80868c; border-radius: 8px; font: inherit; color: inherit; background: transparent; cursor: pointer; }
  button[aria-pressed="true"] { border-color: #0b6b70; background: #0b6b70; color: #fff; }
  :focus-visible { outline: 3px solid #0b6b70; outline-offset: 1px; }
  ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(160px, 1fr)); gap: 12px; margin: 0; padding: 0; list-style: none; }
  img { display: block; width: 100%; height: 140px; object-fit: contain; }
  .picture { display: block; width: 100%; padding: 0; border: 0; }
  .marks { display: flex; gap: 4px; justify-content: center; margin-top: 4px; }
  p { margin: 0 0 8px; min-height: 1.5em; }
`;

class SaccadeGrid extends HTMLElement {
  #page = null;
  #thumbs = new Map();
  #asked = 0;

  connectedCallback() {
    if (this.shadowRoot) return;
    const root = this.attachShadow({ mode: "open" });
    // Built and not written as HTML: what a store calls its pictures is text, whoever wrote it.
    this.form = made("form", { role: "search" });
    this.box = made("input", { type: "search", name: "text", "aria-label": "What to look for" });
    this.form.append(this.box, made("button", {}, "Search"));
    this.said = made("p", { role: "status", "aria-live": "polite" });
    this.list = made("ul");
    root.append(made("style", {}, STYLE), this.form, this.said, this.list);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.search(this.box.value.trim());
    });
    const text = this.getAttribute("text");
    if (text) {
      this.box.value = text;
      this.search(text);
    }
  }

  disconnectedCallback() {
    for (const address of this.#thumbs.values()) URL.revokeObjectURL(address);
    this.#thumbs.clear();
  }

  /** Look for words, and show what is found. */
  async search(text) {
    if (text) await this.#show("/api/v1/search", { text, k: Number(this.getAttribute("k")) || 24 });
  }

  /** Say that a picture of the page is right or wrong, or take that back. */
  async mark(imageId, verdict) {
    const marks = { liked: [], disliked: [], cleared: [] };
    marks[verdict].push(imageId);
    const body = { page_id: this.#page.page_id, ...marks };
    await this.#show("/api/v1/feedback", body, { "Idempotency-Key": crypto.randomUUID() });
  }

  get #server() {
    return (this.getAttribute("server") || HOME).replace(/\/$/, "");
  }

  get #headers() {
    const token = this.getAttribute("token");
    return token ? { Authorization: `Bearer ${token}` } : { "Saccade-Visitor": visitor() };
  }

  async #show(path, body, more = {}) {
    const turn = ++this.#asked;
    this.said.textContent = "Looking …";
    try {
      const answer = await fetch(`${this.#server}${path}?explain=false`, {
        method: "POST",
        headers: { ...this.#headers, ...more, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      const found = await answer.json();
      if (turn !== this.#asked) return;
      if (!answer.ok) {
        this.said.textContent = found.message;
        return;
      }
      this.#page = found;
      this.#draw(found);
      this.dispatchEvent(new CustomEvent("saccade-page", { detail: found, bubbles: true }));
    } catch {
      if (turn === this.#asked) this.said.textContent = "The pictures cannot be reached just now.";
    }
  }

  #draw(page) {
    this.said.textContent = page.hits.length ? "" : "Nothing was found.";
    const liked = new Set(page.liked), disliked = new Set(page.disliked);
    this.list.replaceChildren(...page.hits.map((hit) => {
      const name = hit.path.split(/[\\/]/).pop() || "picture";
      const image = made("img", { alt: name, width: hit.width, height: hit.height });
      this.#thumb(hit.image_id).then((address) => { image.src = address; }, () => {});
      const picture = made("button", { class: "picture", type: "button" });
      picture.append(image);
      picture.addEventListener("click", () => this.dispatchEvent(new CustomEvent("saccade-pick", { detail: hit, bubbles: true })));
      const marks = made("div", { class: "marks" });
      for (const [verdict, sign, label, stands] of [
        ["liked", "✓", `${name} is right`, liked.has(hit.image_id)],
        ["disliked", "✕", `${name} is wrong`, disliked.has(hit.image_id)],
      ]) {
        const button = made("button", { type: "button", "aria-pressed": String(stands), "aria-label": label }, sign);
        button.addEventListener("click", () => this.mark(hit.image_id, stands ? "cleared" : verdict));
        marks.append(button);
      }
      const item = made("li");
      item.append(picture, marks);
      return item;
    }));
  }

  async #thumb(imageId) {
    if (!this.#thumbs.has(imageId)) {
      // Fetched and not linked: an image of a page carries no token.
      const answer = await fetch(`${this.#server}/api/v1/images/${imageId}/thumb`, { headers: this.#headers });
      if (!answer.ok) throw new Error(String(answer.status));
      this.#thumbs.set(imageId, URL.createObjectURL(await answer.blob()));
    }
    return this.#thumbs.get(imageId);
  }
}

function made(name, attributes = {}, text = "") {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

/** A name that nobody else has, kept in this browser: what a visitor teaches is theirs. */
function visitor() {
  const kept = localStorage.getItem("saccade-visitor");
  if (kept) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const fresh = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  localStorage.setItem("saccade-visitor", fresh);
  return fresh;
}

customElements.define("saccade-grid", SaccadeGrid);
