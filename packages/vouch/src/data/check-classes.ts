import { VouchError } from "../error.js";
import { formatCount, formatNumber } from "../number-format.js";
import { numberOf } from "./natural-order.js";
import type { Column, Table } from "./table.js";

/** Learners take time and memory in proportion to the classes. */
const MOST_CLASSES = 10_000;
/** So many different numbers in one target column, or more, are a quantity. */
const MANY_NUMBERS = 1000;
/** More different numbers than this are a quantity if some of them are fractions: ratings such as 3.5 are few. */
const MOST_FRACTIONS = 50;
/** Below this many rows, every row may well have a class of its own. */
const FEW_ROWS = 20;

/** Refuses target columns that do not name classes, given the classes that occur in so many labelled rows. */
export function checkClasses(table: Table, column: Column, classes: readonly string[], rows: number): void {
  if (classes.length === 1) {
    throw new VouchError(
      "data/one-class",
      `${table.name}: all rows have the same class "${classes[0]}" in column "${column.name}".`,
      { hint: "A classifier needs at least two classes; choose another column with --target." },
    );
  }
  const evidence = `${formatNumber(classes.length)} different values in ${formatCount(rows, "row")}`;
  const nearlyUnique = rows > FEW_ROWS && classes.length > rows / 2;
  const allNumbers = classes.every((name) => !Number.isNaN(numberOf(name)));
  const fraction = allNumbers ? classes.find((name) => !Number.isInteger(numberOf(name))) : undefined;
  if (fraction !== undefined && (nearlyUnique || classes.length > MOST_FRACTIONS)) {
    throw quantity(table, column, `${evidence}, such as ${fraction}`);
  }
  if (allNumbers && (nearlyUnique || classes.length >= MANY_NUMBERS)) {
    throw quantity(table, column, evidence);
  }
  if (nearlyUnique || classes.length > MOST_CLASSES) {
    throw new VouchError(
      "data/not-classes",
      `${table.name}: column "${column.name}" has ${evidence}, too many to be classes.`,
      {
        hint: `Choose another column with --target, or group its values: ${formatNumber(MOST_CLASSES)} classes are possible.`,
      },
    );
  }
}

/** The error of a target column whose values are amounts. */
export function quantity(table: Table, column: Column, evidence: string): VouchError {
  const other =
    column.kind === "numeric" ? "make it categorical if its numbers name classes" : "group its values";
  return new VouchError(
    "data/not-classes",
    `${table.name}: column "${column.name}" looks like a quantity (${evidence}), but vouch predicts classes.`,
    { hint: `Choose another column with --target, or ${other}.` },
  );
}
