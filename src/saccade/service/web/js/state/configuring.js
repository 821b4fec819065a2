// What searches of this browser are ranked by: the usual way, or a retrieval configuration.

const KEY = "saccade.configuration";
const USUAL = { configuration: null, trying: true };

const REFUSED = ["unknown-name", "not-found"];

let chosen = null;

/** {configuration, trying}: null is the usual ranking; `trying` lets auto try others now and then. */
export function configured() {
  if (chosen) return chosen;
  try {
    const { configuration = null, trying = true } = JSON.parse(localStorage.getItem(KEY)) ?? {};
    chosen = { configuration: typeof configuration === "string" ? configuration : null, trying: trying !== false };
  } catch {
    chosen = USUAL; // storage is switched off, or holds something else
  }
  return chosen;
}

export function configure(change) {
  chosen = { ...configured(), ...change };
  try { localStorage.setItem(KEY, JSON.stringify(chosen)); } catch { /* kept for this visit only */ }
}

/** Send a search with the fields that say so. Another collection may not have what was chosen: then as usual, from now on. */
export async function searching(send) {
  const fields = asked();
  try {
    return await send(fields);
  } catch (problem) {
    if (!fields.configuration || !REFUSED.includes(problem.code)) throw problem;
    const page = await send({});
    configure({ configuration: null });
    return page;
  }
}

function asked() {
  const { configuration, trying } = configured();
  if (!configuration) return {};
  return trying ? { configuration } : { configuration, exploring: 0 };
}
