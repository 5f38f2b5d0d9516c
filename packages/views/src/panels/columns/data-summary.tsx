import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import type { TrainedCard } from "@vouch/core/internal/train/card";
import { BarList } from "../../charts/bars.js";
import type { ClassCount, DataFacts } from "../../facts/columns/data-facts.js";
import { FactList } from "../../page/tables.js";
import { ColumnTable } from "./column-table.js";

/** With more classes than this, only the largest are listed. */
const mostClassesListed = 30;
const largestListed = 10;
/** Number of bars that fit in one column. */
const mostInOneColumn = 8;

function ClassBars({ classes }: { readonly classes: readonly ClassCount[] }) {
  const rows = classes.reduce((sum, { count }) => sum + count, 0);
  const byCount = [...classes].sort((a, b) => b.count - a.count);
  const shown = classes.length > mostClassesListed ? byCount.slice(0, largestListed) : classes;
  const hidden = classes.length - shown.length;
  const bars = shown.map(({ name, count }) => ({
    name,
    shown: `${formatNumber(count)} · ${formatPercent(rows > 0 ? count / rows : 0)}`,
    value: count,
  }));
  return (
    <>
      <h3>Training rows per class</h3>
      <BarList
        label="Training rows per class"
        bars={bars}
        layout={bars.length > mostInOneColumn ? "double" : "single"}
      />
      {hidden > 0 && (
        <p class="note">
          The {shown.length} largest; {formatNumber(hidden)} more.
        </p>
      )}
    </>
  );
}

/** Counts columns by kind: `14: 6 numeric, 8 categorical`, or `24, all numeric`. */
export function describeColumns(columns: DataFacts["columns"]): string {
  const kinds = Object.entries(columns).filter(([, count]) => count > 0);
  const all = kinds.reduce((sum, [, count]) => sum + count, 0);
  if (kinds.length === 1) return `${formatNumber(all)}, all ${kinds[0][0]}`;
  return [formatNumber(all), kinds.map(([kind, count]) => `${formatNumber(count)} ${kind}`).join(", ")]
    .filter((part) => part !== "")
    .join(": ");
}

/** Formats missing cells: "4,262, 0.9% of all". */
function describeMissing({ missingCells, table }: DataFacts): string {
  const cells = table ? table.rows * table.columns.length : 0;
  if (missingCells === 0 || cells === 0) return formatNumber(missingCells);
  return `${formatNumber(missingCells)}, ${formatPercent(missingCells / cells)} of all`;
}

/** Says how the held-out rows were separated from the training rows. */
export function describeHoldout({
  split,
  heldOut,
  error,
}: Pick<TrainedCard, "split" | "heldOut"> & Partial<Pick<TrainedCard, "error">>): string {
  if (error?.folds) {
    return `The learner was tested by cross-validation in ${error.folds.length} folds. The model was then trained on all rows.`;
  }
  if (!split?.drawn || !heldOut) return "No rows were held out for testing.";
  const { drawn, group = "", time = "" } = split;
  const rows = formatCount(heldOut.rows, "row was", "rows were");
  switch (drawn) {
    case "random":
      return `${rows} held out for testing, drawn at random.`;
    case "stratified":
      return `${rows} held out for testing, drawn at random by class (stratified).`;
    case "groups": {
      const groups = heldOut.groups?.reduce((sum, one) => sum + one.groups, 0) ?? 0;
      return `${rows} held out for testing: all rows of ${formatCount(groups, "group")}, drawn at random. Rows with the same “${group}” are a group and stay together.`;
    }
    case "time":
      return `${rows} held out for testing: the latest ones by “${time}”.`;
    case "separate":
      return `The model was tested on ${formatCount(heldOut.rows, "separate row")}.`;
  }
}

interface DataSummaryProps {
  readonly data: DataFacts;
  readonly card: Pick<TrainedCard, "split" | "heldOut" | "error">;
}

/** Shows the numbers of rows, columns and missing cells, and the distribution of classes and columns. */
export function DataSummary({ data, card }: DataSummaryProps) {
  const { table, classes } = data;
  const facts = [
    ...(table ? [{ label: "Rows read", value: formatNumber(table.rows) }] : []),
    { label: "Training rows", value: formatNumber(data.rows) },
    { label: "Columns", value: describeColumns(data.columns) },
    { label: "Encoded features", value: formatNumber(data.features) },
    { label: "Missing cells", value: describeMissing(data) },
    { label: "Classes", value: formatNumber(classes.length) },
  ];
  return (
    <>
      <p>{describeHoldout(card)}</p>
      <FactList facts={facts} />
      {classes.length > 0 && <ClassBars classes={classes} />}
      {table && <ColumnTable columns={table.columns} rows={table.rows} />}
    </>
  );
}
