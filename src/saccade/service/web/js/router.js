// Addresses: #/board?name=value. The part before "?" names the board, the rest is the board's own.

export const HOME = "search";

/** What an address says: {name, params}; one from before there were boards, /?image=…, still works. */
export function parse({ hash, search }) {
  const [, name, query] = /^#\/([\w-]*)\??(.*)$/.exec(hash) ?? [null, HOME, search];
  return { name: name || HOME, params: new URLSearchParams(query) };
}

/** The address of a board with these parameters, below this page's own. */
export function format(name, params = {}) {
  const query = new URLSearchParams(params).toString();
  return `${location.pathname}#/${name}${query && `?${query}`}`;
}
