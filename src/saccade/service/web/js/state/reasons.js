// Why a picture is where it is, as parts and as words. Pure functions: hits in, reasons out.

/** How people group what is compared: the kind, what it is called beside a bar, and in a sentence. */
const KINDS = [
  { kind: "colour", label: "colour", words: "its colours" },
  { kind: "texture", label: "texture", words: "its texture" },
  { kind: "shape", label: "shape", words: "its shapes" },
  { kind: "words", label: "matching details", words: "details that match" },
  { kind: "embedding", label: "what it shows", words: "what it shows" },
  { kind: "text:kinds", label: "what it shows", words: "what it shows" },
  { kind: "text:near", label: "what goes with the word", words: "things that go with the word" },
  { kind: "text:names", label: "its name", words: "its name" },
  { kind: "text:colour", label: "colour", words: "its colours" },
  { kind: "text:taught", label: "what the word was taught", words: "what the word was taught to mean" },
  { kind: "marks", label: "your marks here", words: "your marks here" },
  { kind: "before", label: "marked before", words: "what was marked together before" },
  { kind: "part", label: "a like part", words: "a part like the one you pointed at" },
];
const OTHER = { kind: "other", label: "other", words: "other things" };
const rowOf = (kind) => KINDS.find((row) => row.kind === kind) ?? OTHER;

const MARK = "your mark"; // puts a judged picture at its place; it says nothing about how it compares
const SHARE = 1 / 10; // of the largest part: less is not worth a bar or a word
const WORTH = 3; // parts that are named

/** What marks add has a sentence for a name; all else is "descriptor:similarity". */
function kindOf(part, known) {
  if (known.has(part)) return known.get(part);
  if (part === "what was marked together before") return "before";
  if (part === "parts:match") return "part";
  if (part.startsWith("text:")) return part;
  if (/^[ah]km-/.test(part)) return "words"; // a vocabulary of visual words and a way to compare
  return part.includes(":") ? OTHER.kind : "marks";
}

/** The parts of a hit by kind: [{kind, label, words, total}], the largest first, whichever way it speaks. */
export function grouped(why, known) {
  const groups = new Map();
  for (const [part, value] of Object.entries(why)) {
    if (part === MARK) continue;
    const row = rowOf(kindOf(part, known));
    if (!groups.has(row.kind)) groups.set(row.kind, { ...row, total: 0 });
    groups.get(row.kind).total += value;
  }
  return [...groups.values()].filter(({ total }) => total).sort((a, b) => Math.abs(b.total) - Math.abs(a.total));
}

/** Those that made a difference: at least a tenth of the largest. */
export const mattering = (groups) => groups.filter(({ total }) => Math.abs(total) >= SHARE * Math.abs(groups[0].total));

/** Mean of each kind's part over the hits of a page: Map kind → mean. */
export function onAverage(hits, known) {
  const sums = new Map();
  for (const { why } of hits) for (const { kind, total } of grouped(why, known)) sums.set(kind, (sums.get(kind) ?? 0) + total);
  return new Map([...sums].map(([kind, total]) => [kind, total / hits.length]));
}

/**
 * At most two sentences. `groups` are the parts that matter, `mark` what people call its mark, `text` the words that were
 * looked for, `shows` what it shows in words and `alike` those that the picture asked with shows, `liked` the pictures
 * called right that it is like, the nearest first.
 */
export function sentences({ groups, mark = null, text = "", shows = [], alike = [], liked = [] }) {
  const first = mark ? `You marked it ${mark}.` : reason({ groups, text, shows, alike });
  const rest = mark ? reason({ groups, text, shows, alike }) : marks(groups, liked);
  return [first, rest].filter(Boolean);
}

function reason({ groups, text, shows, alike }) {
  if (!groups.length) return "Nothing speaks for it or against it.";
  const lead = groups.find(({ total }) => total > 0);
  if (!lead) return `It is here although ${groups[0].words} ${groups[0].words.startsWith("its") && groups[0].words.endsWith("s") ? "speak" : "speaks"} against it.`;
  const shown = shows[0];
  if (lead.kind === "text:kinds") return shown ? `It ${verb(shown)} ${withArticle(shown.word)}.` : `It seems to show “${text}”.`;
  if (lead.kind === "text:names") return `Its name says “${text}”.`;
  if (lead.kind === "text:near") return `It shows things that go with “${text}”.`;
  if (lead.kind === "text:taught") return `“${text}” was taught with pictures like it.`;
  if (lead.kind === "text:colour") return `It has the colours of “${text}”.`;
  if (lead.kind === "marks") return "Your marks in this search brought it here.";
  if (lead.kind === "before") return "It was marked together before with what you look for.";
  const both = alike.length ? shows.find(({ word }) => alike.some((other) => other.word === word)) : null;
  if (lead.kind === "embedding" && both) return `Like your picture, it ${verb(both)} ${withArticle(both.word)}.`;
  const named = groups.filter(({ total, kind }) => total > 0 && !kind.startsWith("text:") && !["marks", "before"].includes(kind)).slice(0, WORTH);
  return `It is like ${text ? `“${text}”` : "your picture"} in ${listed(named.map(({ words }) => words))}.`;
}

function marks(groups, liked) {
  if (liked.length) return liked.length === 1 ? "You liked a picture like it." : `You liked ${number(liked.length)} pictures like it.`;
  const found = groups.find(({ kind }) => kind === "marks");
  if (found) return found.total > 0 ? "Your marks in this search speak for it." : "Your marks in this search speak against it.";
  const before = groups.find(({ kind }) => kind === "before");
  if (before) return before.total > 0 ? "It was marked together with such pictures before." : "It was marked apart from such pictures before.";
  const against = groups.find(({ total }) => total < 0);
  return against ? `Against it: ${against.words}.` : "";
}

const verb = ({ probability }) => (probability >= 0.5 ? "shows" : "may show");
const number = (n) => ["no", "one", "two", "three", "four", "five"][n] ?? String(n);
const withArticle = (word) => (/s$/.test(word) ? word : `${/^[aeiou]/i.test(word) ? "an" : "a"} ${word}`);
const listed = (words) => (words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);
