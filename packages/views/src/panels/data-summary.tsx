import { formatCount, formatNumber, formatPercent, type TrainedCard } from "vouch/train";
import { type ColumnFacts, columnTable } from "./column-table.js";
import { html, type Markup } from "./markup.js";
import { barList, factTable } from "./page.js";

/** A class and its number of rows. */
interface ClassCount {
  readonly name: string;
  readonly count: number;
}

/** The rows that a model was trained on. */
export interface DataSummary {
  readonly rows: number;
  /** Encoded features, as the learner sees them. */
  readonly features: number;
  readonly classes: readonly ClassCount[];
  /** Number of raw columns of each kind: `numeric`, `categorical`, … */
  readonly columns: Readonly<Record<string, number>>;
  readonly missingCells: number;
  /** All rows that were read, and facts on each column. */
  readonly table?: { readonly rows: number; readonly columns: readonly ColumnFacts[] };
}

/** With more classes than this, only the largest are listed. */
const mostClassesListed = 30;
const largestListed = 10;
/** More bars than this are in two columns. */
const mostInOneColumn = 8;

function classBars(classes: readonly ClassCount[]): Markup {
  const rows = classes.reduce((sum, { count }) => sum + count, 0);
  const byCount = [...classes].sort((a, b) => b.count - a.count);
  const shown = classes.length > mostClassesListed ? byCount.slice(0, largestListed) : classes;
  const hidden = classes.length - shown.length;
  const bars = shown.map(({ name, count }) => ({
    name,
    shown: `${formatNumber(count)} · ${formatPercent(rows > 0 ? count / rows : 0)}`,
    value: count,
  }));
  return html`<h3>Training rows per class</h3>
${barList("Training rows per class", bars, bars.length > mostInOneColumn ? "double" : "single")}${hidden > 0 && html`<p class="note">The ${shown.length} largest; ${formatNumber(hidden)} more.</p>`}
`;
}

/** Counts columns by kind: `14: 6 numeric, 8 categorical`, or `24, all numeric`. */
export function columnsInWords(columns: DataSummary["columns"]): string {
  const kinds = Object.entries(columns).filter(([, count]) => count > 0);
  const all = kinds.reduce((sum, [, count]) => sum + count, 0);
  if (kinds.length === 1) return `${formatNumber(all)}, all ${kinds[0][0]}`;
  return [formatNumber(all), kinds.map(([kind, count]) => `${formatNumber(count)} ${kind}`).join(", ")]
    .filter((part) => part !== "")
    .join(": ");
}

/** Formats missing cells: "4,262, 0.9 % of all". */
function missingInWords({ missingCells, table }: DataSummary): string {
  const cells = table ? table.rows * table.columns.length : 0;
  if (missingCells === 0 || cells === 0) return formatNumber(missingCells);
  return `${formatNumber(missingCells)}, ${formatPercent(missingCells / cells)} of all`;
}

/** Says how the held-out rows were separated from the training rows. */
export function splitInWords({ split, heldOut }: Pick<TrainedCard, "split" | "heldOut">): string {
  if (!split || !heldOut) return "No rows were held out for testing.";
  const { drawn, group = "", time = "" } = split;
  const rows = formatCount(heldOut.rows, "row was", "rows were");
  switch (drawn) {
    case "random":
      return `${rows} held out for testing, by a simple random draw.`;
    case "stratified":
      return `${rows} held out for testing, by a random draw that took the same share of each class (stratified).`;
    case "groups": {
      const groups = heldOut.groups?.reduce((sum, one) => sum + one.groups, 0) ?? 0;
      return `${rows} held out for testing: all rows of ${formatCount(groups, "group")}, drawn at random. Rows with the same “${group}” are a group and stay together.`;
    }
    case "time":
      return `${rows} held out for testing: the latest ones by “${time}”. The model was trained on the earlier ones.`;
    case "separate":
      return `The model was tested on ${formatCount(heldOut.rows, "separate row")}, which are not counted here.`;
  }
}

/** Shows the numbers of rows, columns and missing cells, and the distribution of classes and columns. */
export function dataSummary(data: DataSummary, card: Pick<TrainedCard, "split" | "heldOut">): Markup {
  const { table, classes } = data;
  const facts = [
    ...(table ? [{ label: "Rows read", value: formatNumber(table.rows) }] : []),
    { label: "Training rows", value: formatNumber(data.rows) },
    { label: "Columns", value: columnsInWords(data.columns) },
    { label: "Encoded features", value: formatNumber(data.features) },
    { label: "Missing cells", value: missingInWords(data) },
    { label: "Classes", value: formatNumber(classes.length) },
  ];
  return html`<p>${splitInWords(card)}</p>
${factTable(facts)}${classes.length > 0 && classBars(classes)}${table && columnTable(table.columns, table.rows)}`;
}
