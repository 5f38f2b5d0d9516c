import { formatNumber } from "./number-format.js";

/**
 * The number of single-character insertions, deletions, replacements and swaps of neighbours that turn one
 * text into the other (optimal string alignment); any number above `limit` stands for "more than limit".
 */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (a === b) return 0;
  if (limit === 0 || Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast = new Array<number>(b.length + 1).fill(0);
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  let smallestOfLast = 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let distance = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) distance = Math.min(distance, beforeLast[j - 2] + 1);
      row.push(distance);
      if (distance < smallest) smallest = distance;
    }
    // The next row builds on both of the last two, because of swaps.
    if (smallest > limit && smallestOfLast > limit) return limit + 1;
    smallestOfLast = smallest;
    beforeLast = last;
    last = row;
  }
  return last[b.length];
}

/** Nobody types longer names by hand; they are only compared up to case, which takes no time. */
const LONGEST_TYPED = 200;

/**
 * The candidate that someone who wrote `name` most likely meant: upper and lower case count as equal, about
 * one character in three may be wrong. Undefined when nothing is that near; the first one wins a tie.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let nearest: string | undefined;
  let limit = wanted.length > LONGEST_TYPED ? 0 : Math.max(1, Math.floor(wanted.length / 3));
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), limit);
    if (distance > limit) continue;
    nearest = candidate;
    if (distance === 0) break;
    limit = distance - 1;
  }
  return nearest;
}

/** `Did you mean "…"?` for the nearest candidate, or undefined when nothing is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? undefined : `Did you mean "${nearest}"?`;
}

/** At most so many names are listed. */
const MOST_NAMES = 20;

/** What to tell someone who named a column that there is not: the nearest one, else which there are. */
export function columnHint(name: string, columns: Iterable<string>): string {
  const names = [...columns];
  const near = didYouMean(name, names);
  if (near !== undefined) return near;
  const more = names.length > MOST_NAMES ? ` and ${formatNumber(names.length - MOST_NAMES)} more` : "";
  return `The columns are ${names.slice(0, MOST_NAMES).join(", ")}${more}.`;
}

const SHOWN = 5;

/** Names for a message: the first five, and how many more there are. */
export function fewNames(names: readonly string[]): string {
  const shown = names
    .slice(0, SHOWN)
    .map((name) => `"${name}"`)
    .join(", ");
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}
