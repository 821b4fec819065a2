// Do marks help? Measured on what the person said in so many words, never decorative.
//
// A picture marked right and one marked wrong are a comparison. Before anything was learned from it, it was ordered by
// the ranking served and by the ranking without learning; both shares that were right are told. That marks help is said
// on Search only where the engine finds the margin beyond doubt; all that was measured stands under Taught, You.

/** "Your marks help: 8 of 10 in the right order, 6 without" once that is beyond doubt; else nothing. */
export function help(profile) {
  if (!profile?.guard.pays || !profile.guard.trusted) return "";
  const { served, plain } = profile.guard;
  const of = (scale) => [served, plain].map((wrong) => Math.round(scale * (1 - wrong)));
  const scale = of(10)[0] > of(10)[1] ? 10 : 100; // as coarse as still shows it
  const [learned, without] = of(scale);
  return `Your marks help: ${learned} of ${scale} in the right order, ${without} without`;
}

/** All that was measured: {text, detail, shares}; `shares` of 100 is null while there is nothing to go by. */
export function verdict({ events, guard }) {
  const unknown = (text, detail) => ({ text, detail, shares: null });
  if (!events && !guard.events) return unknown("Nothing was marked so far.", "Mark pictures right and wrong: the order follows.");
  if (!guard.events) return unknown("Not measured yet.", "Mark both right and wrong in one search: each pair of them tells whether marks help.");
  const [learned, plain] = [guard.served, guard.plain].map((wrong) => Math.round(100 * (1 - wrong)));
  const points = (share) => (100 * Math.abs(share)).toFixed(1);
  const times = guard.events === 1 ? "once so far" : `${guard.events.toLocaleString("en")} times`;
  const gain = guard.deviation ? `: ${points(guard.margin)} ± ${points(guard.deviation)} ${guard.margin < 0 ? "fewer" : "more"}` : "";
  const detail = `Measured ${times}, before anything was learned from it: of pairs that you called one right and the other wrong, ${learned} of 100 were in the right order, and without your marks ${plain} would have been${gain}.`;
  return { text: sentence(guard), detail, shares: { learned, plain } };
}

function sentence({ pays, margin, deviation, trusted }) {
  if (!trusted) return "Your marks did not help: pictures are ordered without them for now.";
  if (pays) return "Your marks help.";
  if (margin < -2 * deviation) return "Your marks have not helped so far.";
  return "Too early to tell whether your marks help.";
}
