import { formatCount, formatNumber, formatPercent } from "../runtime/text/number-format.js";
import { shortText } from "../table/column-content.js";
import type { ColumnSchema } from "../table/schema.js";
import type { LevelTally, NumberTally } from "./column-tally.js";
import type { DataShift } from "./data-shift.js";

/** Describes rows without any value. */
export function emptyShift(rows: number, first: number): DataShift {
  const which = `${formatCount(rows, "row has", "rows have")} no value in any column that the model uses`;
  const text = `${which}${rows === 1 ? `: row ${formatNumber(first + 1)}` : `, the first in row ${formatNumber(first + 1)}`}. No training row is like that.`;
  return { kind: "empty", columns: [], rows, text };
}

/** Describes columns that look swapped; `rows` have values in them. */
export function swappedShift(column: string, like: string, mutual: boolean, rows: number): DataShift {
  const [a, b] = [shortText(column), shortText(like)];
  const text = mutual
    ? `Columns "${a}" and "${b}" look swapped: each has the values that the other had in training.`
    : `Column "${a}" has the values that column "${b}" had in training: are headers mixed up?`;
  return { kind: "swapped", columns: mutual ? [column, like] : [column], rows, text };
}

/** Describes numbers that look multiplied. */
export function scaleShift(column: string, factor: number, rows: number): DataShift {
  const times =
    factor > 1 ? `multiplied by ${formatNumber(factor)}` : `divided by ${formatNumber(1 / factor)}`;
  const text = `Column "${shortText(column)}": the numbers look ${times}. Is the unit the one of the training rows?`;
  return { kind: "scale", columns: [column], rows, text };
}

/** Describes numbers outside the training range: a few that are far outside, or many. */
export function rangeShift(column: ColumnSchema, tally: NumberTally, rows: number): DataShift {
  const { cuts } = tally.profile;
  const [min, max] = [cuts[0], cuts[cuts.length - 1]].map((value) => cellText(column, value));
  const range = `the training range, ${min} to ${max}`;
  const { far, extreme } = tally;
  const affected = extreme ? far : tally.outside[0] + tally.outside[1];
  const which = `${formatNumber(affected)} of ${formatCount(rows, "row")} ${affected === 1 ? "is" : "are"}`;
  const text = extreme
    ? `Column "${shortText(column.name)}": ${which} far outside ${range}. ` +
      `The most extreme is ${cellText(column, extreme.value)} in row ${formatNumber(extreme.row + 1)}.`
    : `Column "${shortText(column.name)}": ${which} outside ${range}.`;
  return { kind: "range", columns: [column.name], rows: affected, text };
}

/** Describes missing cells. */
export function missingShift(
  column: string,
  { missing, of }: { readonly missing: number; readonly of: number },
  training: number,
): DataShift {
  const share = training === 0 ? "the training rows have none" : `in training ${formatPercent(training)}`;
  const text = `Column "${shortText(column)}": ${formatNumber(missing)} of ${formatCount(of, "cell")} (${formatPercent(missing / of)}) ${missing === 1 ? "is" : "are"} missing; ${share}.`;
  return { kind: "missing", columns: [column], rows: missing, text };
}

/** Describes numbers with another distribution, by the value at which the cumulative shares differ most. */
export function locationShift(column: ColumnSchema, tally: NumberTally): DataShift | undefined {
  const shift = tally.shift();
  if (!shift) return undefined;
  const { gap, distance } = shift;
  const [what, one] = column.kind === "text" ? ["the texts", " characters"] : ["the values", ""];
  const place = `${gap.inclusive ? "at most" : "below"} ${cellText(column, gap.value)}${one}`;
  const text =
    `Column "${shortText(column.name)}" is distributed differently: ${formatPercent(gap.found)} of ${what} ` +
    `are ${place}, in training ${formatPercent(gap.training)}.`;
  return { kind: "shift", columns: [column.name], rows: Math.ceil(distance * tally.present), text };
}

/**
 * Describes categories with other shares: unknown ones if they are part of the difference, otherwise the one that
 * differs most.
 */
export function levelShift(column: string, tally: LevelTally, distance: number): DataShift {
  const { present, others } = tally;
  const { level, training, found } = tally.widest();
  const unseen = tally.complete ? others : 0;
  const name = shortText(column);
  if (unseen / present >= Math.abs(training - found) / 2) {
    const example = [...tally.unseen].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    const text = `Column "${name}": ${formatNumber(unseen)} of ${formatCount(present, "cell")} (${formatPercent(unseen / present)}) have a category not seen in training, such as "${shortText(example)}".`;
    return { kind: "levels", columns: [column], rows: unseen, text };
  }
  const text = `Column "${name}" is distributed differently: ${formatPercent(found)} of the cells are "${shortText(level)}", in training ${formatPercent(training)}.`;
  return { kind: "shift", columns: [column], rows: Math.ceil(distance * present), text };
}

function cellText({ kind }: ColumnSchema, value: number): string {
  return kind === "date" ? new Date(value).toISOString().split("T")[0] : formatNumber(value);
}
