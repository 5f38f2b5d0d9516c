import { formatNumber, formatPercent, formatRoundPercent } from "../runtime/text/number-format.js";
import { visibleSpaces } from "../runtime/text/suggestions.js";
import { rareClasses } from "../table/rare-classes.js";
import type { ClassFound } from "./warnings.js";

/** A class with few rows. */
export interface RareClass {
  readonly class: string;
  /** Number of its rows in the test, or in all folds. */
  readonly rows: number;
  /** How many of them the model finds; absent if unknown. */
  readonly found?: number | undefined;
  /** Its share of the rows. */
  readonly share: number;
  /** The other one of two classes; absent if there are more. */
  readonly other?: string | undefined;
}

/** What helps with a rare class. The command, reports and the studio name it in their words. */
export interface RareClassAdvice {
  /** Ranks the rows of two classes, or counts several classes alike. */
  readonly metric: "auc" | "balanced-error";
  /** Cost of a row of the rare class that is taken for the other one: with it both classes weigh the same. Absent for several classes. */
  readonly cost?: number;
  /** Largest share of wrong answers to ask for, with abstention; absent in folds, because abstention needs held-out rows. */
  readonly abstain?: number;
}

/** Finds the rarest class by the numbers of rows; undefined if no class is rare. */
export function rarestClass(
  classes: readonly Pick<RareClass, "class" | "rows" | "found">[],
): RareClass | undefined {
  const [rarest] = rareClasses(classes.map(({ rows }) => rows));
  if (rarest === undefined) return undefined;
  const all = classes.reduce((sum, one) => sum + one.rows, 0);
  const { class: name, rows, found } = classes[rarest];
  return {
    class: name,
    rows,
    ...(found !== undefined && { found }),
    share: rows / all,
    ...(classes.length === 2 && { other: classes[1 - rarest].class }),
  };
}

/** Finds the rarest class of a model that minimises the number of errors; undefined if no class is rare. */
export function findRareClass({
  classes = [],
  rare,
  objective,
}: {
  readonly classes?: readonly ClassFound[] | undefined;
  readonly rare?: RareClass | undefined;
  readonly objective?: unknown;
}): RareClass | undefined {
  return objective ? undefined : (rare ?? rarestClass(classes));
}

/** Lists what helps with a rare class. */
export function adviseOnRareClass(
  { share, other }: RareClass,
  { measuredOn }: { readonly measuredOn: string },
): RareClassAdvice {
  return {
    metric: other === undefined ? "balanced-error" : "auc",
    ...(other !== undefined && { cost: Number(((1 - share) / share).toPrecision(2)) }),
    // Constant answers are wrong in a share of the rows as large as the class: half of it asks for more.
    ...(measuredOn !== "folds" && { abstain: Number((share / 2).toPrecision(1)) }),
  };
}

/** Describes how rare a class is, and how many of its rows are found. */
export function describeRareClass({ class: name, share, rows, found }: RareClass): string {
  const start = `Class "${visibleSpaces(name)}" has only ${formatPercent(share)} of the rows`;
  return found === undefined
    ? `${start}.`
    : `${start}: the model finds ${formatNumber(found)} of ${formatNumber(rows)}.`;
}

/** Writes what helps with a rare class without the words of a program or a page. */
export function describeRareClassAdvice(
  { class: name, other }: RareClass,
  { cost, abstain }: RareClassAdvice,
): string {
  const first =
    other === undefined || cost === undefined
      ? "To count every class alike, train for the balanced error"
      : `To rank rows, train for the AUC; to find more of "${visibleSpaces(name)}", give a missed one the cost ${formatNumber(cost)}`;
  const target =
    abstain === undefined
      ? ""
      : `; to answer only where at most ${formatRoundPercent(abstain)} are wrong, let the model abstain`;
  return `${first}${target}.`;
}
