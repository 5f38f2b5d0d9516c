import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { type Column, numberAt } from "@vouch/core/internal/table/column";
import type { LabelledRows } from "@vouch/core/internal/table/target";
import { loadDataset } from "@vouch/datasets";
import { type ChoiceDivision, choiceDivision } from "./choice-divisions.js";

const compress = promisify(gzip);

/** The splits to write: `divisions` of each set without official test rows, from `seed` on. */
export interface DivisionsWanted {
  readonly datasets: readonly string[];
  readonly divisions: number;
  readonly seed: number;
}

/**
 * Writes the splits of data sets for other programs, which then use the same rows as `automatic/choice`. A split
 * consists of three files: NAME.json with the kinds of columns and the classes, NAME.train.csv.gz and NAME.test.csv.gz.
 * All cells are numbers. A category is its index in training, or −1 if it is missing or new; a missing number is nan;
 * the last column is the class index, or −1 for a class without training rows.
 */
export async function exportDivisions(
  folder: string,
  { datasets, divisions, seed }: DivisionsWanted,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const dataset of datasets) {
    const data = await loadDataset(dataset);
    for (let division = 0; division < (data.test ? 1 : divisions); division++) {
      await writeDivision(folder, dataset, division, choiceDivision(data, seed + division));
    }
  }
}

async function writeDivision(
  folder: string,
  dataset: string,
  division: number,
  { training, test }: ChoiceDivision,
): Promise<void> {
  const { columns } = training.features;
  const name = join(folder, `${dataset}-${division}`);
  const facts = { dataset, division, kinds: columns.map(({ kind }) => kind), classes: training.classes };
  await writeFile(`${name}.json`, `${JSON.stringify(facts)}\n`);
  await writeFile(`${name}.train.csv.gz`, await compress(csvText(training, columns, training.target)));
  await writeFile(`${name}.test.csv.gz`, await compress(csvText(test, columns, training.target)));
}

/** Writes rows as CSV text of numbers, with the columns of the training rows. */
export function csvText(
  { features, labels }: Pick<LabelledRows, "features" | "labels">,
  trained: readonly Column[],
  target: string,
): string {
  const cells = trained.map((column) => cellWriter(features.column(column.name), column));
  const lines = Array.from(labels, (label, row) => [...cells.map((cell) => cell(row)), label].join(","));
  return `${[[...trained.map(({ name }) => name), target].join(","), ...lines].join("\n")}\n`;
}

function cellWriter(column: Column, trained: Column): (row: number) => string {
  if (column.kind === "numeric" && trained.kind === "numeric") {
    return (row) => String(numberAt(column.values, row)).replace("NaN", "nan");
  }
  if (column.kind === "categorical" && trained.kind === "categorical") {
    const codes = column.levels.map((level) => trained.levels.indexOf(level));
    return (row) => String(codes[column.codes[row]] ?? -1);
  }
  throw new VouchError(
    "data/wrong-kind",
    `Column "${column.name}" is ${trained.kind} in the training rows and ${column.kind} in the test rows.`,
  );
}
