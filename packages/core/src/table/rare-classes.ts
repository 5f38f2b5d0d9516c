/** A class is rare if it has less than this share of the rows… */
const RARE = 0.05;

/**
 * …and less than this part of an even share. Up to five classes that is the same limit; with ten classes, of which an even one has
 * 10%, it is 2.5%: a class of 4% is not far from the others there.
 */
const PART_OF_EVEN_SHARE = 1 / 4;

/** Finds the rare classes, rarest first, without those that have no rows. */
export function rareClasses(counts: ArrayLike<number>): number[] {
  const all = Array.from(counts);
  const rows = all.reduce((sum, count) => sum + count, 0);
  const most = Math.min(RARE, PART_OF_EVEN_SHARE / all.filter((count) => count > 0).length) * rows;
  return [...all.keys()].filter((k) => all[k] > 0 && all[k] < most).sort((a, b) => all[a] - all[b] || a - b);
}
