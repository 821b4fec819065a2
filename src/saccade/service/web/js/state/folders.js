// Folders as a tree. A pure function: what the server counts in, rows to draw out.

/**
 * [{folder, count}] → [{folder, name, within, depth, count}], each folder behind the one it lies in. `name` is what it is
 * called below the folder `within`. One whose pictures all lie in a single folder below it says nothing of its own.
 */
export function tree(folders) {
  const sorted = folders.map((one) => ({ ...one, parts: one.folder.split("/") })).sort(({ parts: a }, { parts: b }) => byParts(a, b));
  const below = (one, other) => other.parts.length > one.parts.length && one.parts.every((part, i) => part === other.parts[i]);
  const own = sorted.filter((one, place) => {
    const next = sorted[place + 1]; // where one folder holds them all, it or a folder above it comes next
    return !next || !below(one, next) || next.count !== one.count;
  });
  const above = []; // the folders that the row at hand lies in
  return own.map((one) => {
    while (above.length && !below(above.at(-1), one)) above.pop();
    const within = above.at(-1)?.folder ?? "";
    const row = { folder: one.folder, name: within ? one.folder.slice(within.length + 1) : one.folder, within, depth: above.length, count: one.count };
    above.push(one);
    return row;
  });
}

function byParts(a, b) {
  const at = a.findIndex((part, i) => part !== b[i]);
  if (at < 0 || at >= b.length) return a.length - b.length;
  return a[at].localeCompare(b[at], "en", { numeric: true });
}
