// Why a picture is where it is, as numbers and as words. Pure functions: hits in, reasons out.

/** How people group schemes: the kind, what it is called beside a bar, and in a sentence. */
export const KINDS = [
  { kind: "colour", label: "colour", words: "its colours" },
  { kind: "texture", label: "texture", words: "its texture" },
  { kind: "shape", label: "shape", words: "its shapes" },
  { kind: "words", label: "words", words: "matching details" },
  { kind: "embedding", label: "what it shows", words: "what it shows" },
];
const MARKS = { kind: "marks", label: "what you marked", words: "what you marked" };
const PART = { kind: "part", label: "a like part", words: "a part like the one you pointed at" };
const OTHER = { kind: "other", label: "other", words: "other things" };

const rowOf = (kind) => [...KINDS, MARKS, PART].find((row) => row.kind === kind) ?? OTHER;

/** What marks add to a score has a sentence for a name; schemes are "descriptor:similarity". */
const kindOf = (part, kindOfScheme) => kindOfScheme.get(part) ?? (part === "regions:match" ? "part" : CONFIGURATION.test(part) ? "words" : part.includes(":") ? "other" : "marks");
const CONFIGURATION = /^[ah]km-/; // a vocabulary of visual words and a way to compare

/** The schemes of a hit grouped by kind, strongest first, with sums. */
export function grouped(why, kindOfScheme) {
  const groups = new Map();
  for (const [scheme, value] of Object.entries(why)) {
    const row = rowOf(kindOf(scheme, kindOfScheme));
    if (!groups.has(row.kind)) groups.set(row.kind, { ...row, total: 0, schemes: [] });
    const group = groups.get(row.kind);
    group.total += value;
    group.schemes.push({ scheme, value });
  }
  for (const group of groups.values()) group.schemes.sort((a, b) => b.value - a.value);
  const rank = ({ kind }) => (KINDS.findIndex((row) => row.kind === kind) + 1 || KINDS.length + 1);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b));
}

/** Mean and spread of each kind's part over the hits of a page: Map kind → {mean, spread}. */
export function onAverage(hits, kindOfScheme) {
  const sums = new Map();
  for (const { why } of hits) {
    for (const { kind, total } of grouped(why, kindOfScheme)) {
      const sum = sums.get(kind) ?? { total: 0, squares: 0 };
      sums.set(kind, { total: sum.total + total, squares: sum.squares + total * total });
    }
  }
  const n = hits.length;
  return new Map([...sums].map(([kind, { total, squares }]) =>
    [kind, { mean: total / n, spread: Math.sqrt(Math.max(0, squares / n - (total / n) ** 2)) }]));
}

/**
 * The reasons in words: what counts most, then where the picture is ahead of or behind its page by more than the
 * page's own spread.
 */
export function inWords(groups, average) {
  const most = groups.reduce((a, b) => (b.total > a.total ? b : a));
  const reach = groups.reduce((sum, { total }) => sum + Math.abs(total), 0);
  const start = reach === 0 ? "Nothing speaks for it or against it." : most.total > reach / 2 ? `Here mostly for ${most.words}.` : `Here for a bit of everything, most of all ${most.words}.`;
  const gap = ({ kind, total }) => (total - average.get(kind).mean) / (average.get(kind).spread || Infinity);
  const ahead = groups.filter((group) => gap(group) > 1).map(({ words }) => words);
  const behind = groups.filter((group) => gap(group) < -1).map(({ words }) => words);
  const others = "than most on this page";
  if (ahead.length && behind.length) return `${start} Closer ${others} by ${listed(ahead)}; less close by ${listed(behind)}.`;
  if (ahead.length) return `${start} Closer ${others} by ${listed(ahead)}.`;
  return behind.length ? `${start} Less close ${others} by ${listed(behind)}.` : start;
}

/** Which expert leads, as people would say it. */
export const LEADS = {
  plain: "by how it looks",
  uniform: "by how it looks",
  learned: "by what you taught",
  shared: "by what everybody taught",
  "best-scheme": "by the one best way to compare",
  spread: "by look-alikes of what you liked",
  contrast: "by look-alikes of what you liked, away from what you called wrong",
  rocchio: "by the middle of what you liked",
  margin: "by what tells right from wrong",
};

const listed = (words) => (words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

/**
 * Values as whole thousandths that add up to the whole thousandths of their sum, as people will check:
 * all are rounded down, and the largest remainders are rounded up again.
 */
export function thousandths(values, sum) {
  const parts = values.map((value) => Math.floor(1000 * value));
  const missing = sum - parts.reduce((a, b) => a + b, 0);
  const remainder = (place) => 1000 * values[place] - parts[place];
  const order = values.map((_, place) => place).sort((a, b) => remainder(b) - remainder(a));
  for (const place of order.slice(0, Math.max(0, missing))) parts[place] += 1;
  return parts;
}
