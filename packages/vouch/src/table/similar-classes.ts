import { shortList } from "../runtime/number-format.js";
import type { Column } from "./column.js";

/** At most this many sets of classes are named. */
const MOST_NAMED = 3;

/**
 * Warns about classes that readers take for one: their names differ only in spaces, in upper and lower case, or in how a letter with
 * an accent is encoded. Single letters may differ in case: there are data sets of letters.
 */
export function similarClasses(target: Column): string[] {
  if (target.kind !== "categorical") return [];
  const alike = new Map<string, string[]>();
  for (const level of target.levels) {
    const read = level.normalize("NFKC").trim().replace(/\s+/g, " ");
    const key = read.length > 1 ? read.toLowerCase() : read;
    const own = alike.get(key);
    if (own) own.push(level);
    else alike.set(key, [level]);
  }
  const sets = [...alike.values()].filter(({ length }) => length > 1);
  if (sets.length === 0) return [];
  const named = shortList(sets, MOST_NAMED, (levels) => levels.map((level) => `"${level}"`).join(" and "));
  return [
    `Classes whose names differ only in spaces, case or encoding are different classes: ${named}. Write them alike if they mean the same.`,
  ];
}
