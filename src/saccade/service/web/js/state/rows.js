// Justified rows by arithmetic: sizes in, places out. Nothing is measured on the page, so that what is out of sight need
// not be there, and a new order is known before anything moves.

const [NARROW, WIDE] = [0.4, 8]; // a picture taller or wider than this gets margins instead

const LOW = 0.7; // no row of several is lower than this share of the height wished for

/** The shape of a card: its picture's, within limits. */
export const ratioOf = ({ width, height }) => Math.min(WIDE, Math.max(NARROW, width / height)) || 1;

/**
 * Where each of `items` goes in `width` pixels: rows about `row` high with `gap` between, none higher than `most` times that.
 * The last row is not stretched.
 */
export function rows(items, { width, row, gap, most }) {
  const n = items.length;
  const [left, wide] = [new Float64Array(n), new Float64Array(n)];
  const ratios = Float64Array.from(items, ratioOf);
  const found = { n, left, wide, first: [], top: [], high: [], of: new Int32Array(n), height: 0 };
  let [begin, sum, top] = [0, 0, 0];

  const close = (end, last) => {
    const space = width - gap * (end - begin - 1);
    const full = space / sum;
    const high = Math.min(full, last ? row : row * most);
    let x = 0;
    for (let i = begin; i < end; i += 1) {
      left[i] = x;
      wide[i] = ratios[i] * high;
      found.of[i] = found.first.length;
      x += wide[i] + gap;
    }
    found.first.push(begin);
    found.top.push(top);
    found.high.push(high);
    top += high + gap;
    [begin, sum] = [end, 0];
  };

  for (let i = 0; i < n; i += 1) {
    const without = i > begin ? (width - gap * (i - begin - 1)) / sum : Infinity;
    const within = (width - gap * (i - begin)) / (sum + ratios[i]);
    if (within < row) {
      // The row is full: with this one or without it, whichever comes closer to the height wished for.
      const fits = i === begin || (within >= LOW * row && row - within < without - row);
      if (!fits) close(i, false);
      sum += ratios[i];
      if (fits) close(i + 1, false);
    } else {
      sum += ratios[i];
    }
  }
  if (begin < n) close(n, true);
  found.height = Math.max(0, top - gap);
  return found;
}

/** The box of one picture in its rows. */
export function boxOf(found, place) {
  const line = found.of[place];
  return { left: found.left[place], top: found.top[line], width: found.wide[place], height: found.high[line] };
}

/** The places [first, end) whose rows lie between two heights. */
export function between(found, from, to) {
  const { top, high, first, n } = found;
  let low = 0;
  for (let end = top.length; low < end;) {
    const middle = (low + end) >> 1;
    if (top[middle] + high[middle] <= from) low = middle + 1;
    else end = middle;
  }
  let line = low;
  while (line < top.length && top[line] < to) line += 1;
  return [first[low] ?? n, first[line] ?? n];
}

/** The place one step from here; up and down go to the nearest picture of the next row. */
export function step(found, place, way) {
  if (way === "left" || way === "right") return Math.min(found.n - 1, Math.max(0, place + (way === "left" ? -1 : 1)));
  const line = found.of[place] + (way === "up" ? -1 : 1);
  if (line < 0 || line >= found.first.length) return place;
  const middle = found.left[place] + found.wide[place] / 2;
  const reach = (i) => Math.abs(found.left[i] + found.wide[i] / 2 - middle);
  let best = found.first[line];
  for (let i = best; i < (found.first[line + 1] ?? found.n); i += 1) if (reach(i) < reach(best)) best = i;
  return best;
}
