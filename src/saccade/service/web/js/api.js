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

const GONE = { code: "server-gone", message: "the server does not answer", hint: "start it again with saccade serve" };

async function ask(method, path, { json, form, key } = {}) {
  const options = { method, headers: {} };
  if (json !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(json);
  }
  if (form) options.body = form;
  if (key) options.headers["Idempotency-Key"] = key;
  let response;
  try {
    response = await fetch(ROOT + path, options);
  } catch {
    throw new Problem(GONE);
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  // Whoever stands before the server answers in its place where it is gone.
  if (!answer?.message && [502, 503, 504].includes(response.status)) throw new Problem(GONE);
  throw new Problem(answer?.message ? answer : { code: "unreadable", message: `the server answered ${response.status} without a reason` });
}

const user = (name) => `/profiles/${encodeURIComponent(name)}`;
const part = (offset, limit) => `?offset=${offset}&limit=${limit}`;

export const thumb = (id) => `${ROOT}/images/${id}/thumb`;
export const original = (id) => `${ROOT}/images/${id}/file`;

export const collection = (limit = 1, offset = 0) => ask("GET", `/collection${part(offset, limit)}`);
export const duplicates = (offset, limit) => ask("GET", `/collection/duplicates${part(offset, limit)}`);
export const gone = (offset, limit) => ask("GET", `/collection/gone${part(offset, limit)}`);
export const size = () => ask("GET", "/collection/size");
export const sample = (limit, seed) => ask("GET", `/images/sample?limit=${limit}&seed=${seed}`);
export const images = (offset, limit) => ask("GET", `/images${part(offset, limit)}`);
export const image = (id) => ask("GET", `/images/${encodeURIComponent(id)}`);
/** What a picture shows, in words. */
export const words = (id) => ask("GET", `/images/${encodeURIComponent(id)}/words`);
export const neighbours = (id, limit, person = null) => ask("GET", `/images/${encodeURIComponent(id)}/neighbours?${query({ limit, taught: person ? true : null, user: person })}`);
/** A small map around a picture, with what a person marked. */
export const around = (id, person) => ask("GET", `/images/${encodeURIComponent(id)}/around?${query({ user: person })}`);
/** What a person marked right together with a picture. */
export const together = (id, person) => ask("GET", `/images/${encodeURIComponent(id)}/together?${query({ user: person })}`);
export const choosers = () => ask("GET", "/choosers");
export const schemes = () => ask("GET", "/schemes");
export const people = () => ask("GET", `/profiles${part(0, 200)}`);
export const profile = (name) => ask("GET", user(name));
/** The searches of a person whose marks are remembered. */
export const taught = (name, limit) => ask("GET", `${user(name)}/taught${part(0, limit)}`);
/** What learning was worth each time it could be told, the newest first. */
export const worth = (name, limit) => ask("GET", `${user(name)}/worth${part(0, limit)}`);
/** Take back what one of them taught. */
export const drop = (name, session) => ask("DELETE", `${user(name)}/taught/${encodeURIComponent(session)}`);
/** The words that a person taught, with the pictures marked for each. */
export const taughtWords = (name) => ask("GET", `${user(name)}/words${part(0, 200)}`);
/** Where everything that a person said can be had as a file. */
export const exported = (name) => `${ROOT}${user(name)}/export`;
/** Everything a person said goes, for good. */
export const forget = (name) => ask("DELETE", user(name));
/** The tags that a person sees. */
export const tags = (name) => ask("GET", `/tags?${query({ user: name })}`);
/** Give pictures a tag. */
export const tag = (called, images, name) => ask("POST", `/tags/${encodeURIComponent(called)}`, { json: { images, user: name } });
/** Take a tag off all pictures that a person gave it to. */
export const untag = (called, name) => ask("DELETE", `/tags/${encodeURIComponent(called)}?${query({ user: name })}`);
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
/** What counts in a picture for {page}, {concept} or {attribute}, to lay over it; nothing where that is no better than chance. */
export const map = (id, about, person) => `${ROOT}/images/${id}/map.png?${query({ ...about, user: person })}`;

const kept = (name, called = "") => `${user(name)}/saved${called && `/${encodeURIComponent(called)}`}`;
export const saved = (name) => ask("GET", kept(name) + part(0, 200));
export const save = (name, page, called) => ask("POST", kept(name), { json: { page_id: page, name: called } });
export const openSaved = (name, called, k) => ask("POST", `${kept(name, called)}/open?k=${k}`);
export const giveUp = (name, called) => ask("DELETE", kept(name, called));

/** What somebody may be about to type. */
export const suggest = (typed, name, k) => ask("GET", `/suggest?${query({ q: typed, user: name, k })}`);

/** Search with words ({text}), a picture of the collection ({id}, or a part of it: {id, box} or {id, spot}), both, or a picture of the person's own ({file}). */
export function search(query, { user: name, k, ...more }) {
  if (!query.file) return ask("POST", "/search", { json: { text: query.text, image_id: query.id, part: pointed(query), user: name, k, ...more } });
  const form = new FormData();
  form.append("user", name);
  form.append("k", String(k));
  for (const [field, value] of Object.entries(more)) {
    form.append(field, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  form.append("image", query.file);
  return ask("POST", "/search", { form });
}

/** Keep a picture of a person's own to search with: {image_id}. */
export function keep(file, name) {
  const form = new FormData();
  form.append("image", file);
  return ask("POST", `/uploads?${query({ user: name })}`, { form });
}

/** The originals of some pictures in one file. */
export async function zip(images) {
  let response;
  try {
    response = await fetch(`${ROOT}/originals.zip`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ images }) });
    if (response.ok) return await response.blob();
  } catch {
    throw new Problem(GONE);
  }
  throw new Problem(await response.json());
}

/** The part of a picture that a query points at, if any. */
function pointed({ box, spot }) {
  if (box) return { box };
  return spot ? { spot } : undefined;
}

/** The same page with another number of pictures, perhaps narrowed otherwise, or without so many of the first. */
export const show = (page, k, where, skip = 0) => ask("POST", `/show${skip ? `?${query({ skip })}` : ""}`, { json: { page_id: page, k, where } });

/** What narrows, as the query of an address takes it. */
const narrowing = ({ more, less, ...plain }) => ({ ...plain, more: scales(more), less: scales(less) });
const scales = (asked) => (asked && Object.keys(asked).length ? Object.entries(asked)[0].join("=") : null); // an address takes one of each

/** What could narrow it further, with counts: {images, folders, months, cameras, shapes, tags}. */
export const facets = (where, person) => ask("GET", `/facets?${query({ ...narrowing(where), user: person })}`);
/** The pictures that fit, the newest first, and which of them are nearly the same. */
export const browse = (where, person, offset, limit) => ask("GET", `/images?${query({ ...narrowing(where), user: person, order: "newest", stacked: true, offset, limit })}`);

const attributeAt = (name) => `/attributes/${encodeURIComponent(name)}`;
const whose = (name) => `?user=${encodeURIComponent(name)}`;

export const attributes = (name) => ask("GET", `/attributes${whose(name)}&limit=200`);
export const attribute = (name, person) => ask("GET", attributeAt(name) + whose(person));
export const createAttribute = (name) => ask("POST", "/attributes", { json: { name } });
export const putAway = (person) => ask("GET", `/attributes${whose(person)}&put_away=true&limit=200`);
export const deleteAttribute = (name, person) => ask("DELETE", attributeAt(name) + whose(person));
export const restoreAttribute = (name, person) => ask("POST", `${attributeAt(name)}/restore${whose(person)}`);
export const label = (name, said) => ask("POST", `${attributeAt(name)}/labels`, { json: said });
export const compare = (name, said) => ask("POST", `${attributeAt(name)}/comparisons`, { json: said });
export const undoAnswer = (name, person) => ask("POST", `${attributeAt(name)}/undo${whose(person)}`);
/** What to ask next; not about pictures that were skipped. */
export const attributeQuestion = (name, person, skipped) =>
  ask("GET", `${attributeAt(name)}/question${whose(person)}${skipped.map((id) => `&without=${id}`).join("")}`);
/** Pictures at even distances in the order of an attribute, from least to most. */
export const order = (name, person, k) => ask("GET", `${attributeAt(name)}/order${whose(person)}&k=${k}&end=both`);
/** The whole collection in the order of an attribute, a part of it: from least to most. */
export const orderFrom = (name, person, offset, k) => ask("GET", `${attributeAt(name)}/order${whose(person)}&k=${k}&end=least&offset=${offset}`);

/** Who asks, as the server knows them: {user, role, named}. */
export const me = () => ask("GET", "/me");

export const jobs = () => ask("GET", `/jobs${part(0, 10)}`);
export const beginJob = (spec) => ask("POST", "/jobs", { json: spec });
export const cancelJob = (id) => ask("DELETE", `/jobs/${encodeURIComponent(id)}`);
export const jobStream = (id) => `${ROOT}/jobs/${encodeURIComponent(id)}/stream`;

/** Send something that a person said, to "/feedback" or "/preferences"; under one key it counts once. */
export const say = (path, body, key) => ask("POST", path, { json: body, key });
