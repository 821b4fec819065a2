// The service's addresses as functions. Every failure is a Problem with a sentence for a person.

const ROOT = "/api/v1";

/** What went wrong, as the service says it; `code` "server-gone" when there was no answer at all. */
export class Problem extends Error {
  constructor({ code, message, hint = "" }) {
    super(message);
    this.code = code;
    this.hint = hint;
  }

  /** Message and hint as sentences. */
  get sentence() {
    return [this.message, this.hint].filter(Boolean).map(asSentence).join(" ");
  }
}

function asSentence(text) {
  const start = text[0].toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(start) ? start : `${start}.`;
}

async function ask(method, path, { json, form } = {}) {
  const options = { method };
  if (json !== undefined) {
    options.headers = { "Content-Type": "application/json" };
    options.body = JSON.stringify(json);
  }
  if (form) options.body = form;
  let response;
  try {
    response = await fetch(ROOT + path, options);
  } catch {
    throw new Problem({ code: "server-gone", message: "the server does not answer", hint: "start it again with saccade serve" });
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  throw new Problem(answer?.message ? answer : { code: "unreadable", message: `the server answered ${response.status} without a reason` });
}

const user = (name) => `/profiles/${encodeURIComponent(name)}`;
const part = (offset, limit) => `?offset=${offset}&limit=${limit}`;

export const thumb = (id) => `${ROOT}/images/${id}/thumb`;
export const original = (id) => `${ROOT}/images/${id}/file`;

export const collection = () => ask("GET", "/collection?limit=1");
export const sample = (limit, seed) => ask("GET", `/images/sample?limit=${limit}&seed=${seed}`);
export const images = (offset, limit) => ask("GET", `/images${part(offset, limit)}`);
export const image = (id) => ask("GET", `/images/${encodeURIComponent(id)}`);
export const neighbours = (id, limit) => ask("GET", `/images/${encodeURIComponent(id)}/neighbours?limit=${limit}`);
export const choosers = () => ask("GET", "/choosers");
export const schemes = () => ask("GET", "/schemes");
export const people = () => ask("GET", `/profiles${part(0, 200)}`);
export const profile = (name) => ask("GET", user(name));
export const events = (name, limit) => ask("GET", `${user(name)}/events${part(0, limit)}`);
/** Take back the last judgement in the session of a page. */
export const undo = (name, page) => ask("POST", `${user(name)}/undo?page=${encodeURIComponent(page)}`);

/** Take back whatever a person said last. */
export const undoLast = (name) => ask("POST", `${user(name)}/undo`);

const query = (values) => new URLSearchParams(Object.entries(values).filter(([, value]) => value != null));
const concept = (name, rest = "") => `/concepts/${encodeURIComponent(name)}${rest}`;

export const concepts = (name) => ask("GET", `/concepts?${query({ user: name, limit: 500 })}`);
/** A concept's pictures in the order a person taught, the first so many; the server tells some hundreds at once. */
export async function ranked(name, person, most) {
  const part = (offset) => ask("GET", `${concept(name)}?${query({ user: person, offset, limit: Math.min(most - offset, 500) })}`);
  const found = await part(0);
  const { items, total } = found.images;
  while (items.length < Math.min(most, total)) {
    const { images } = await part(items.length);
    if (!images.items.length) break; // the collection has shrunk
    items.push(...images.items);
  }
  return found;
}
export const question = (name, person, turn) => ask("GET", `${concept(name, "/question")}?${query({ user: person, turn })}`);
export const preferConcept = (name, said) => ask("POST", concept(name, "/preferences"), { json: said });
export const gradeConcept = (name, said) => ask("POST", concept(name, "/grades"), { json: said });
export const regionsKnown = (name, person) => ask("GET", `/regions?${query({ concept: name, user: person })}`);
export const cutRegions = (name, person, limit) => ask("POST", "/regions", { json: { concept: name, user: person, limit } });
export const regions = (id, name, person) => ask("GET", `/images/${encodeURIComponent(id)}/regions?${query({ concept: name, user: person })}`);
/** What counts in a picture, to lay over it; `state` changes when what was said does. */
export const relevance = (id, name, person, state, side = 480) => `${ROOT}/images/${id}/relevance?${query({ concept: name, user: person, side, state })}`;

const kept = (name, called = "") => `${user(name)}/saved${called && `/${encodeURIComponent(called)}`}`;
export const saved = (name) => ask("GET", kept(name) + part(0, 200));
export const save = (name, page, called) => ask("POST", kept(name), { json: { page_id: page, name: called } });
export const openSaved = (name, called, k) => ask("POST", `${kept(name, called)}/open?k=${k}`);
export const giveUp = (name, called) => ask("DELETE", kept(name, called));

/** Search with a picture of the collection ({id}, or a part of it: {id, box} or {id, region}), or with one of the person's own ({file}). */
export function search(query, { user: name, k, ...more }) {
  if (query.id) return ask("POST", "/search", { json: { image_id: query.id, box: query.box, region: query.region, user: name, k, ...more } });
  const form = new FormData();
  form.append("user", name);
  form.append("k", String(k));
  for (const [field, value] of Object.entries(more)) {
    if (typeof value !== "object") form.append(field, String(value));
    else for (const [key, than] of Object.entries(value)) form.append(field, `${key}=${than}`);
  }
  form.append("image", query.file);
  return ask("POST", "/search", { form });
}

/** The same page with another number of pictures, perhaps with other wishes {more, less} about attributes. */
export const show = (page, k, wishes = {}) => ask("POST", "/show", { json: { page_id: page, k, ...wishes } });

const attributeAt = (name) => `/attributes/${encodeURIComponent(name)}`;
const whose = (name) => `?user=${encodeURIComponent(name)}`;

export const attributes = (name) => ask("GET", `/attributes${whose(name)}&limit=200`);
export const attribute = (name, person) => ask("GET", attributeAt(name) + whose(person));
export const createAttribute = (name) => ask("POST", "/attributes", { json: { name } });
export const deleteAttribute = (name) => ask("DELETE", attributeAt(name));
export const label = (name, said) => ask("POST", `${attributeAt(name)}/labels`, { json: said });
export const compare = (name, said) => ask("POST", `${attributeAt(name)}/comparisons`, { json: said });
export const undoAnswer = (name, person) => ask("POST", `${attributeAt(name)}/undo${whose(person)}`);
/** What to ask next; not about pictures that were skipped. */
export const attributeQuestion = (name, person, skipped) =>
  ask("GET", `${attributeAt(name)}/question${whose(person)}${skipped.map((id) => `&without=${id}`).join("")}`);
/** Pictures at even distances in the order of an attribute, from least to most. */
export const order = (name, person, k) => ask("GET", `${attributeAt(name)}/order${whose(person)}&k=${k}&end=both`);

/** Say that one picture comes before another. */
export const prefer = (page, better, worse, k) => ask("POST", "/preferences", { json: { page_id: page, better, worse, k } });

export const feedback = (page, { liked = [], disliked = [], cleared = [], k }) =>
  ask("POST", "/feedback", { json: { page_id: page, liked, disliked, cleared, k } });
