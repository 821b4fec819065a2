// A running mean: what many small figures come to. A pure function.

const WITHIN = 0.2; // the share of all that each mean is over, on either side
const LEAST = 3;

/** Each value with those around it, evenly; at the ends, with those there are. */
export function running(values) {
  const reach = Math.max(LEAST, Math.round(WITHIN * values.length));
  return values.map((_, place) => {
    const near = values.slice(Math.max(0, place - reach), place + reach + 1);
    return near.reduce((sum, value) => sum + value, 0) / near.length;
  });
}
