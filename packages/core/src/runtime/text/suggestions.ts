import { VouchError } from "../vouch-error.js";
import { shortList } from "./number-format.js";

/**
 * Counts the insertions, deletions, replacements and swaps of neighbouring characters that turn one text into the other (optimal
 * string alignment distance). Any result above `limit` means "more than limit".
 */
function editDistance(a: string, b: string, limit: number): number {
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
    // Because of swaps, the next row depends on the last two.
    if (smallest > limit && smallestOfLast > limit) return limit + 1;
    smallestOfLast = smallest;
    beforeLast = last;
    last = row;
  }
  return last[b.length];
}

/** Nobody types longer names by hand: these only match up to case. */
const MAX_TYPED_LENGTH = 200;

/**
 * Finds the candidate that someone who wrote `name` most likely meant. Case is ignored, and about one character in three may be
 * wrong. Returns undefined if no candidate is that near; the first one wins a tie.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let nearest: string | undefined;
  let limit = wanted.length > MAX_TYPED_LENGTH ? 0 : Math.max(1, Math.floor(wanted.length / 3));
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), limit);
    if (distance > limit) continue;
    nearest = candidate;
    if (distance === 0) break;
    limit = distance - 1;
  }
  return nearest;
}

/** Returns `Did you mean "…"?` with the nearest candidate, or undefined if none is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? undefined : `Did you mean "${nearest}"?`;
}

/** Maximum number of columns that a hint lists. */
const MAX_COLUMNS = 20;

/** Makes the hint for an unknown column: the nearest name, or else the columns that exist. */
export function columnHint(name: string, columns: Iterable<string>): string {
  const names = [...columns];
  const near = didYouMean(name, names);
  if (near !== undefined) return near;
  return `The columns are ${shortList(names, MAX_COLUMNS)}.`;
}

/** Makes the hint for an unknown class: the nearest name, or else the classes that exist. */
export function classHint(name: string, classes: readonly string[]): string {
  return didYouMean(name, classes) ?? `The classes are ${shortList(classes.map(visibleSpaces))}.`;
}

/** Maximum number of names in the text of a message. */
const MAX_LISTED = 5;

/** Lists names for a message: the first five, and how many more there are. */
export function listNames(names: readonly string[]): string {
  return shortList(names, MAX_LISTED, (name) => `"${visibleSpaces(name)}"`);
}

/** Shows spaces around a name, and several in a row, which nobody sees otherwise, as ␣. */
export function visibleSpaces(name: string): string {
  return name.replace(/^\s+|\s+$|\s{2,}/g, (spaces) => "␣".repeat(spaces.length));
}

/** Joins words: "a", "a and b", "a, b and c". */
export function joined(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

/** Throws on unknown options: they would have no effect, and nobody would notice. */
export function checkOptionNames(of: string, given: object, known: Readonly<Record<string, true>>): void {
  if (typeof given !== "object" || given === null) {
    throw new VouchError("option/invalid", `The options of ${of} must be an object, not ${given}.`);
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const names = Object.keys(known);
    const near = didYouMean(name, names);
    const all = `Its options are ${names.join(", ")}.`;
    throw new VouchError("option/unknown", `${of} has no option ${name}.`, {
      hint: near === undefined ? all : `${near} ${all}`,
    });
  }
}
