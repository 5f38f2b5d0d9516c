import { numberAt } from "@vouch/core/internal/table/column";
import { Table } from "@vouch/core/internal/table/table";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import type { HeldOut } from "@vouch/core/internal/theory/held-out/held-out";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import { conditionedOnNew, withClassShares } from "../laws.js";
import type { Population } from "../populations.js";
import type { Case } from "./source.js";

/** Stands for all classes that a classifier lacks. */
const UNKNOWN = "(unknown)";

/** Fresh cases as a population with them as support, and the law of a draw. */
export interface FreshCases extends Pick<Population, "classes" | "support"> {
  readonly law: Float64Array;
}

/** Makes a population of fresh cases; if there are groups, each has the same weight. */
export function freshCases(cases: readonly Case[], { classes }: Classifier, group?: string): FreshCases {
  const support = Table.fromRecords("fresh cases", cases);
  const sizes = new Map<unknown, number>();
  const groupOf = (one: Case, row: number) => (group === undefined ? row : one[group]);
  cases.forEach((one, row) => {
    const name = groupOf(one, row);
    sizes.set(name, (sizes.get(name) ?? 0) + 1);
  });
  const places = new Map(classes.map((name, k) => [name, k]));
  const law = new Float64Array(cases.length * (classes.length + 1));
  cases.forEach((one, row) => {
    const label = places.get(String(one.label)) ?? classes.length;
    const share = 1 / (sizes.size * (sizes.get(groupOf(one, row)) ?? 1));
    law[row * (classes.length + 1) + label] = share;
  });
  return { classes: [...classes, UNKNOWN], support, law };
}

/** Parts of the fresh cases. */
const PARTS = 8;

/** What certificates of a training may be about. */
export interface CertifiedFile {
  readonly fresh: FreshCases;
  /** The columns of the training rows. */
  readonly training: Table;
  /** How the test rows were drawn, and their number. */
  readonly evidence: Pick<HeldOut, "drawn" | "rows"> | undefined;
  /** The classes of all rows of the file. */
  readonly labels: readonly string[];
}

/** The parts of a certificate that determine what it is about. */
type CertifiedClaim = Pick<Certificate, "statement" | "measure" | "terms">;

/**
 * Determines the law that a certificate is about from its sentence: fresh cases, only cases that equal no training row,
 * or each kind of case once in a file as long as the test file. After a stratified hold-out, classes have the
 * proportions of the file. Undefined if there are no such cases.
 */
export class CertifiedLaws {
  readonly #file: CertifiedFile;
  readonly #laws = new Map<string, Float64Array | undefined>();
  readonly #parts = new WeakMap<Float64Array, readonly Float64Array[]>();

  constructor(file: CertifiedFile) {
    this.#file = file;
  }

  of({ statement, measure, terms }: CertifiedClaim): Float64Array | undefined {
    // The number of test rows is not part of the claim.
    const claim = statement.replace(/, from [^,]*\.$/, "");
    const isNew = /no training row|new rows/.test(claim);
    const isOnce = /once|different (rows|cases)/.test(claim);
    // A class that occurs neither in training nor in test rows is not among the averaged classes.
    const isKnown = measure === "balanced-error" && terms.classes < this.#file.fresh.classes.length;
    const key = `${isNew} ${isOnce} ${isKnown}`;
    if (!this.#laws.has(key)) this.#laws.set(key, this.#law({ isNew, isOnce, isKnown }));
    return this.#laws.get(key);
  }

  /** Divides a law into laws of successive cases; the standard error of a measure follows from their differences. */
  partsOf(law: Float64Array): readonly Float64Array[] {
    const known = this.#parts.get(law);
    if (known) return known;
    const { classes, support } = this.#file.fresh;
    const cells = Math.ceil(support.rows / PARTS) * classes.length;
    const parts = Array.from({ length: PARTS }, (_, part) => {
      const own = law.subarray(part * cells, (part + 1) * cells);
      const total = own.reduce((sum, p) => sum + p, 0);
      const divided = new Float64Array(law.length);
      if (total > 0)
        divided.set(
          own.map((p) => p / total),
          part * cells,
        );
      return divided;
    });
    this.#parts.set(law, parts);
    return parts;
  }

  #law({ isNew, isOnce, isKnown }: Readonly<Record<"isNew" | "isOnce" | "isKnown", boolean>>) {
    const { fresh, training, evidence, labels } = this.#file;
    const { classes, support } = fresh;
    let { law } = fresh;
    if (isKnown) law = law.map((p, i) => (i % classes.length === classes.length - 1 ? 0 : p));
    if (evidence?.drawn === "stratified") {
      const shares = classes.map((name) => labels.filter((label) => label === name).length / labels.length);
      law = withClassShares(law, shares);
    }
    if (!isNew && !isOnce) return law;
    const names = training.columns.map(({ name }) => name);
    const keys = rowKeys(support, names);
    const known = new Set(isNew ? rowKeys(training, names) : []);
    const left = new Set<number>();
    let seen = new Set<string>();
    keys.forEach((key, row) => {
      if (row % (evidence?.rows ?? keys.length) === 0) seen = new Set();
      if (known.has(key) || (isOnce && seen.has(key))) left.add(row);
      seen.add(key);
    });
    return conditionedOnNew(law, left, classes.length);
  }
}

/** Formats the cells of each row as a string; equal rows have equal strings. */
function rowKeys(table: Table, names: readonly string[]): string[] {
  const columns = names.map((name) => table.column(name));
  return Array.from({ length: table.rows }, (_, row) =>
    columns
      .map((column) =>
        column.kind === "numeric"
          ? numberAt(column.values, row)
          : (column.levels[column.codes[row]] ?? "missing"),
      )
      .join("\n"),
  );
}
