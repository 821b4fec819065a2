// What narrows a search, in the three forms it has: as a page tells it (a list of clauses), as chips show it (one object),
// as an address keeps it (parameters). Pure functions.

const PLAIN = ["folder", "after", "before", "name", "camera", "shape", "tag"];
const SCALES = ["more", "less"];

/** The one object of a page's clauses: {folder, after, …, more: {scale: place or picture}, less}. */
export function ofPage(page) {
  const found = {};
  for (const clause of page?.where ?? []) {
    for (const word of PLAIN) if (word in clause) found[word] = clause[word];
    for (const way of SCALES) if (way in clause) found[way] = { ...found[way], ...clause[way] };
  }
  return found;
}

/** Without what says nothing: an empty one narrows nothing. */
export function tidied(where) {
  const filled = (value) => value !== undefined && value !== null && value !== "" && !(typeof value === "object" && !Object.keys(value).length);
  return Object.fromEntries(Object.entries(where).filter(([, value]) => filled(value)));
}

/** Of a scale, more or less than a place or a picture; than null takes it off. */
export function scaled(where, name, way, than) {
  const without = (asked = {}) => Object.fromEntries(Object.entries(asked).filter(([other]) => other !== name));
  const changed = { ...where, more: without(where.more), less: without(where.less) };
  if (than !== null) changed[way][name] = than;
  return tidied(changed);
}

/** As parameters of an address. */
export function toParams(where = {}) {
  const plain = PLAIN.filter((word) => where[word]).map((word) => [word, where[word]]);
  const scales = SCALES.filter((way) => Object.keys(where[way] ?? {}).length).map((way) => [way, JSON.stringify(where[way])]);
  return Object.fromEntries([...plain, ...scales]);
}

/** From the parameters of an address; what cannot be read is left out. */
export function ofParams(params) {
  const found = Object.fromEntries(PLAIN.filter((word) => params.get(word)).map((word) => [word, params.get(word)]));
  for (const way of SCALES) {
    try {
      const asked = JSON.parse(params.get(way) ?? "null");
      if (asked && typeof asked === "object" && !Array.isArray(asked)) found[way] = asked;
    } catch { /* somebody typed it */ }
  }
  return tidied(found);
}

/** A stretch of time as people say it: "2019", "May 2019", or its two ends. */
export function named({ after, before }) {
  const year = (text) => Number(text.slice(0, 4));
  if (after && before) {
    const months = 12 * (year(before) - year(after)) + Number(before.slice(5, 7)) - Number(after.slice(5, 7));
    if (months === 12 && after.slice(5) === "01-01") return after.slice(0, 4);
    if (months === 1 && after.slice(8) === "01") return month(after);
    return `${after} to ${before}`;
  }
  return after ? `from ${after}` : `before ${before}`;
}

/** "2019-05" → "May 2019". */
export const month = (text) => new Date(`${text.slice(0, 7)}-15`).toLocaleDateString("en", { month: "long", year: "numeric" });

/** From the first day of a year or month to the first after it. */
export function stretch(text) {
  const [y, m] = text.split("-").map(Number);
  const day = (at) => `${String(at.getUTCFullYear()).padStart(4, "0")}-${String(at.getUTCMonth() + 1).padStart(2, "0")}-01`;
  const from = new Date(Date.UTC(y, (m ?? 1) - 1, 1));
  return { after: day(from), before: day(m ? new Date(Date.UTC(y, m, 1)) : new Date(Date.UTC(y + 1, 0, 1))) };
}
