import { formatNumber } from "../runtime/text/number-format.js";
import { joined, visibleSpaces } from "../runtime/text/suggestions.js";
import type { CategoricalColumn, Column, MergedClasses } from "./column.js";
import { countLevels } from "./levels.js";

/** Maximum number of sets of classes to name. */
const MOST_NAMED = 3;
/** A typo is at least this many times rarer than the right spelling. */
const TYPO_RARITY = 20;
/** Shorter names may differ in a letter: Mr and Mrs. */
const SHORTEST_WITH_TYPO = 4;
/** With more distinct names, typos are not searched for, because names would be compared pair by pair. */
const MOST_COMPARED = 1000;

/** A spelling of a class, and its number of rows. */
interface Spelling {
  readonly name: string;
  readonly rows: number;
}

/** Classes that readers would consider the same. */
export interface SimilarClasses {
  /** The most frequent spelling, without surrounding spaces. */
  readonly name: string;
  /** All spellings, most frequent first. */
  readonly spellings: readonly Spelling[];
}

/**
 * Finds classes whose names differ only in spaces, in case, in the encoding of accents, as 1 and 1.0 do, or by a typo.
 * Single letters may differ in case, because some data sets are about letters. A typo is one letter more, less,
 * different or two exchanged, in a name of letters that is 20 times rarer than the right one and begins alike; names of
 * fewer than four letters must double a letter.
 */
export function similarClasses(target: Column): SimilarClasses[] {
  if (target.kind !== "categorical") return [];
  const { levels, counts } = countLevels(target);
  const byKey = new Map<string, Spelling[]>();
  levels.forEach((name, k) => {
    const key = spellingKey(name);
    const own = byKey.get(key);
    if (own) own.push({ name, rows: counts[k] });
    else byKey.set(key, [{ name, rows: counts[k] }]);
  });
  return withTypos(byKey)
    .filter(({ length }) => length > 1)
    .map((spellings) => {
      const sorted = spellings.sort((a, b) => b.rows - a.rows);
      return { name: tidy(sorted[0].name), spellings: sorted };
    });
}

/** Returns what all spellings of a class share: its letters, in lower case if there are several; 1.0 is 1. */
export function spellingKey(name: string): string {
  const read = tidy(name).replace(/^([+-]?\d+)\.0+$/, "$1");
  return read.length > 1 ? read.toLowerCase() : read;
}

function tidy(name: string): string {
  return name.normalize("NFKC").trim().replace(/\s+/g, " ");
}

/** Adds misspellings to the right names. */
function withTypos(byKey: ReadonlyMap<string, Spelling[]>): Spelling[][] {
  const sets = [...byKey]
    .map(([key, spellings]) => ({
      key,
      spellings: [...spellings],
      rows: spellings.reduce((sum, { rows }) => sum + rows, 0),
    }))
    .sort((a, b) => b.rows - a.rows);
  if (sets.length > MOST_COMPARED) return sets.map(({ spellings }) => spellings);
  const right: typeof sets = [];
  for (const set of sets) {
    const meant = right.find(({ key, rows }) => rows >= TYPO_RARITY * set.rows && isTypo(set.key, key));
    if (meant) meant.spellings.push(...set.spellings);
    else right.push(set);
  }
  return right.map(({ spellings }) => spellings);
}

const LETTERS = /^[\p{L}\p{M} _-]+$/u;

function isTypo(text: string, meant: string): boolean {
  if (text[0] !== meant[0] || !LETTERS.test(text) || !LETTERS.test(meant)) return false;
  if (text.length === meant.length + 1 && meant.length > 1 && undoubled(text) === undoubled(meant))
    return true;
  if (Math.min(text.length, meant.length) < SHORTEST_WITH_TYPO) return false;
  let from = 0;
  while (from < text.length && text[from] === meant[from]) from++;
  const [rest, other] = [text.slice(from), meant.slice(from)];
  if (rest.length === other.length + 1) return rest.slice(1) === other;
  if (rest.length + 1 === other.length) return rest === other.slice(1);
  if (rest.length !== other.length) return false;
  const exchanged = rest[0] === other[1] && rest[1] === other[0] && rest.slice(2) === other.slice(2);
  return rest.slice(1) === other.slice(1) || exchanged;
}

function undoubled(text: string): string {
  return text.replace(/(\p{L})\1+/gu, "$1");
}

/** Merges spellings of classes into one; the column records them. */
export function mergeClasses(
  column: CategoricalColumn,
  similar: readonly SimilarClasses[],
): CategoricalColumn {
  const merged: MergedClasses = similar.flatMap(({ name, spellings }) =>
    othersOf(name, spellings).map((other) => ({ spelling: other.name, name })),
  );
  if (merged.length === 0) return column;
  const nameOf = new Map(merged.map(({ spelling, name }) => [spelling, name]));
  const levels = [...new Set(column.levels.map((level) => nameOf.get(level) ?? level))];
  const codeOf = new Map(levels.map((level, code) => [level, code]));
  const codes = column.levels.map((level) => codeOf.get(nameOf.get(level) ?? level) ?? -1);
  return { ...column, levels, codes: column.codes.map((code) => (code < 0 ? code : codes[code])), merged };
}

/** Warns about classes that may be one. */
export function similarClassesNotice(similar: readonly SimilarClasses[]): string {
  const sets = similar.map(({ spellings }) => joined(spellings.map(spellingInWords)));
  return `Classes that may be the same: ${listSets(sets)}. They are different classes unless you add --merge-classes.`;
}

/** Names classes were merged. */
export function mergedClassesNotice(similar: readonly SimilarClasses[]): string {
  const sets = similar.map(
    ({ name, spellings }) => `${joined(othersOf(name, spellings).map(spellingInWords))} into "${name}"`,
  );
  return `Classes merged: ${listSets(sets)}.`;
}

function othersOf(name: string, spellings: readonly Spelling[]): Spelling[] {
  return spellings.filter((spelling) => spelling.name !== name);
}

function listSets(sets: readonly string[]): string {
  const more = sets.length - MOST_NAMED;
  return [...sets.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${formatNumber(more)} more`] : [])].join("; ");
}

function spellingInWords({ name, rows }: Spelling): string {
  return `"${visibleSpaces(name)}" (${formatNumber(rows)})`;
}
