import { formatNumber, formatPercent } from "../runtime/text/number-format.js";
import { visibleSpaces } from "../runtime/text/suggestions.js";
import { rareClasses } from "../table/rare-classes.js";
import type { ClassFound } from "./warnings.js";

/** A class with few rows, and what helps to find them. */
export interface RareClass {
  readonly class: string;
  /** Its test rows, and how many of them the model finds. */
  readonly rows: number;
  readonly found: number;
  /** Its share of the test rows. */
  readonly share: number;
  /** The other one of two classes; absent if there are more. */
  readonly other?: string;
  /** Number of other rows to each of its rows: with this cost of a missed row both kinds weigh the same. */
  readonly cost: number;
}

/** Finds the rarest class of a model that minimises the number of errors; undefined if no class is rare. */
export function findRareClass({
  classes = [],
  objective,
}: {
  readonly classes?: readonly ClassFound[] | undefined;
  readonly objective?: unknown;
}): RareClass | undefined {
  if (objective) return undefined;
  const [rarest] = rareClasses(classes.map(({ rows }) => rows));
  if (rarest === undefined) return undefined;
  const rows = classes.reduce((sum, one) => sum + one.rows, 0);
  const { class: name, rows: own, found } = classes[rarest];
  return {
    class: name,
    rows: own,
    found,
    share: own / rows,
    ...(classes.length === 2 && { other: classes[1 - rarest].class }),
    cost: Number(((rows - own) / own).toPrecision(2)),
  };
}

/** Describes how rare a class is, and what is found of it. */
export function describeRareClass({ class: name, share, rows, found }: RareClass): string {
  return `Class "${visibleSpaces(name)}" has only ${formatPercent(share)} of the rows: the model finds ${formatNumber(found)} of ${formatNumber(rows)}.`;
}
