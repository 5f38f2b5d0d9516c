import type { Random } from "../numeric/random.js";

/** The classes of a node, by their place among them, from one end of the first principal component of their means on. */
export type ClassOrder = Int32Array;

/**
 * Colours that the search at a node begins from: the halves of the classes in the order of their means, the two ends of
 * that order, then random halves. Those that come twice are left out.
 */
export function startColours(
  order: ClassOrder,
  starts: number,
  balance: number,
  random: Random,
): Int8Array[] {
  const found = new Map<string, Int8Array>();
  const add = (colours: Int8Array) => {
    const signed = canonical(colours);
    found.set(signed.join(), signed);
  };
  add(halves(order, balance));
  if (starts > 1) add(ends(order));
  for (let start = 2; start < starts; start++) add(halves(random.shuffle(order.slice()), balance));
  return Array.from(found.values());
}

/** The colours with the sides exchanged if need be, so that the first class that takes part is on the left. */
export function canonical(colours: Int8Array): Int8Array {
  const first = colours.find((colour) => colour !== 0);
  return first === 1 ? colours.map((colour) => -colour) : colours;
}

/** Only the first and the last class take part. */
export function ends(order: ClassOrder): Int8Array {
  const colours = new Int8Array(order.length);
  colours[order[0]] = -1;
  colours[order[order.length - 1]] = 1;
  return colours;
}

/** Half of the classes on each side; of an odd number the middle one is ignored where sides have to be equal. */
function halves(order: ClassOrder, balance: number): Int8Array {
  const colours = new Int8Array(order.length).fill(1);
  const half = order.length >> 1;
  for (let i = 0; i < half; i++) colours[order[i]] = -1;
  if (balance === 0 && order.length % 2 === 1) colours[order[half]] = 0;
  return colours;
}
