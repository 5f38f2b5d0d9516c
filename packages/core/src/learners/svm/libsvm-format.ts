import { Matrix } from "../../runtime/maths/matrix.js";
import { SparseRows } from "../../runtime/maths/sparse-rows.js";
import { formatNumber } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Kernel } from "../kernel/kernel.js";
import { chooseLayout, columnAt, type KernelFeatures, rowStart } from "../kernel/kernel-features.js";
import { MOST_DEGREE } from "../kernel/kernel-options.js";
import type { OneVsOneParts } from "./pair-machines.js";

/** The contents of a LIBSVM model file. */
export interface LibsvmModel extends OneVsOneParts {
  /** The label of each class. */
  readonly labels: readonly number[];
}

/** LIBSVM's names of the kernels that vouch has too. */
const KERNEL_NAMES = { linear: "linear", polynomial: "polynomial", rbf: "rbf" } as const;

/** Types of machine that are classifiers; both predict in the same way. */
const CLASSIFIERS = ["c_svc", "nu_svc"];

/** A file may have fewer characters than features, each of which is a column with a name, but only up to this many. */
const MOST_SPARSE_FEATURES = 2 ** 16;

/**
 * Writes a model as the text of a LIBSVM model file. Reading the numbers gives the same bits; features count from 1, and
 * zeros are left out.
 */
export function writeLibsvmModel(model: LibsvmModel): string {
  const { labels, counts, biases, sigmoids, supportVectors, coefficients } = model;
  const lines = [
    "svm_type c_svc",
    ...kernelLines(model.kernel),
    `nr_class ${labels.length}`,
    `total_sv ${supportVectors.rows}`,
    // f(x) = Σ … − rho
    `rho ${Array.from(biases, (bias) => 0 - bias).join(" ")}`,
    `label ${labels.join(" ")}`,
    ...(sigmoids
      ? [`probA ${sigmoids.map(({ A }) => A).join(" ")}`, `probB ${sigmoids.map(({ B }) => B).join(" ")}`]
      : []),
    `nr_sv ${counts.join(" ")}`,
    "SV",
  ];
  for (let s = 0; s < supportVectors.rows; s++) {
    lines.push(`${coefficients.row(s).join(" ")} ${sparseText(supportVectors, s)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Writes a row of data as a line of a LIBSVM file. */
export function libsvmLine(label: number, features: KernelFeatures, row: number): string {
  return `${label} ${sparseText(features, row)}`.trimEnd();
}

/**
 * Reads the text of a LIBSVM model file. `file` names it in errors. `features` is the number of features of the training
 * rows, of which the last may be 0 in all support vectors; the default is the largest index.
 */
export function readLibsvmModel(text: string, file: string, features = 0): LibsvmModel {
  return new ModelFile(text, file).read(features);
}

function kernelLines(kernel: Kernel): string[] {
  switch (kernel.kind) {
    case "linear":
      return [`kernel_type ${KERNEL_NAMES.linear}`];
    case "polynomial": {
      const { degree, scale, offset = 1 } = kernel;
      const name = `kernel_type ${KERNEL_NAMES.polynomial}`;
      return [name, `degree ${degree}`, `gamma ${scale}`, `coef0 ${offset}`];
    }
    case "rbf":
      return [`kernel_type ${KERNEL_NAMES.rbf}`, `gamma ${kernel.gamma}`];
    default:
      throw new VouchError("learner/unsupported", `LIBSVM has no ${kernel.kind} kernel.`, {
        hint: "Export a model with a linear, polynomial or rbf kernel.",
      });
  }
}

function sparseText(features: KernelFeatures, row: number): string {
  const { values } = features;
  const pairs: string[] = [];
  for (let k = rowStart(features, row); k < rowStart(features, row + 1); k++) {
    if (values[k] !== 0) pairs.push(`${columnAt(features, row, k) + 1}:${values[k]}`);
  }
  return pairs.join(" ");
}

type Cell = readonly [index: number, value: number];

/** A model file being read: its lines, and where the support vectors begin. */
class ModelFile {
  readonly #file: string;
  readonly #length: number;
  readonly #lines: readonly string[];
  /** Line number, from 1, and words of each entry before the support vectors. */
  readonly #entries = new Map<string, { readonly line: number; readonly words: readonly string[] }>();
  /** Index of the line after "SV". */
  readonly #body: number;

  constructor(text: string, file: string) {
    this.#file = file;
    this.#length = text.length;
    this.#lines = text.split("\n");
    this.#body = this.#readEntries();
  }

  read(features: number): LibsvmModel {
    this.#checkType();
    const kernel = this.#kernel();
    const [classes] = this.#integers("nr_class", 1, 2);
    const [total] = this.#integers("total_sv", 1, 1);
    const pairs = (classes * (classes - 1)) / 2;
    const biases = Float64Array.from(this.#numbers("rho", pairs), (rho) => 0 - rho);
    const labels = this.#integers("label", classes, -(2 ** 31));
    if (new Set(labels).size < classes) throw this.#fault("label", "has the same label twice");
    const counts = Int32Array.from(this.#integers("nr_sv", classes, 0));
    if (counts.reduce((sum, count) => sum + count, 0) !== total) {
      throw this.#fault("nr_sv", `does not add up to total_sv ${total}`);
    }
    const sigmoids = this.#sigmoids(pairs);
    const { supportVectors, coefficients } = this.#vectors(total, classes - 1, features);
    return {
      kernel,
      labels,
      supportVectors,
      counts,
      coefficients,
      biases,
      ...(sigmoids && { sigmoids }),
    };
  }

  #readEntries(): number {
    for (let index = 0; index < this.#lines.length; index++) {
      const [name, ...words] = this.#lines[index].trim().split(/\s+/);
      if (name === "SV") return index + 1;
      if (name !== "") this.#entries.set(name, { line: index + 1, words });
      if (index === 0 && name !== "svm_type") break;
    }
    throw new VouchError("file/format", `${this.#file} is not a LIBSVM model file.`, {
      hint: 'A LIBSVM model file begins with a line "svm_type …" and has a line "SV".',
    });
  }

  #checkType(): void {
    const { words } = this.#entry("svm_type");
    if (CLASSIFIERS.includes(words[0])) return;
    throw new VouchError(
      "learner/unsupported",
      `${this.#file} holds a machine of type ${words[0]}, which is not a classifier.`,
      { hint: `Supported types are ${CLASSIFIERS.join(" and ")}.` },
    );
  }

  #kernel(): Kernel {
    const { words } = this.#entry("kernel_type");
    switch (words[0]) {
      case KERNEL_NAMES.linear:
        return { kind: "linear" };
      case KERNEL_NAMES.polynomial: {
        const [degree] = this.#integers("degree", 1, 0);
        if (degree > MOST_DEGREE) throw this.#fault("degree", `is ${degree}`);
        const scale = this.#gamma();
        const [offset] = this.#numbers("coef0", 1);
        return { kind: "polynomial", degree, scale, ...(offset !== 1 && { offset }) };
      }
      case KERNEL_NAMES.rbf:
        return { kind: "rbf", gamma: this.#gamma() };
      default:
        throw new VouchError(
          "learner/unsupported",
          `${this.#file} uses the kernel ${words[0]}, which vouch does not have.`,
          { hint: "Supported kernels are linear, polynomial and rbf." },
        );
    }
  }

  #gamma(): number {
    const [gamma] = this.#numbers("gamma", 1);
    if (gamma < 0) throw this.#fault("gamma", `is negative: ${gamma}`);
    return gamma;
  }

  #sigmoids(pairs: number): LibsvmModel["sigmoids"] {
    if (!this.#entries.has("probA") && !this.#entries.has("probB")) return undefined;
    const probB = this.#numbers("probB", pairs);
    return this.#numbers("probA", pairs).map((A, p) => ({ A, B: probB[p] }));
  }

  #vectors(total: number, opponents: number, features: number) {
    const lines = this.#lines.slice(this.#body).map((line) => line.trim());
    while (lines.at(-1) === "") lines.pop();
    if (lines.length !== total) {
      throw new VouchError(
        "file/format",
        `${this.#file} has ${lines.length} support vectors, but total_sv is ${total}.`,
        { hint: "The file is cut off or damaged." },
      );
    }
    const coefficients = new Float64Array(total * opponents);
    let columns = features;
    const rows = lines.map((line, s) => {
      const words = line.split(/\s+/);
      for (let c = 0; c < opponents; c++) coefficients[s * opponents + c] = this.#number(words[c], s);
      const cells = words.slice(opponents).map((word) => this.#cell(word, s));
      for (const [index] of cells) if (index > columns) columns = index;
      return cells;
    });
    const mostFeatures = Math.max(MOST_SPARSE_FEATURES, this.#length);
    if (columns > mostFeatures) {
      throw new VouchError("data/too-large", `${this.#file}: the support vectors have ${columns} features.`, {
        hint: `A file of this size may have ${formatNumber(mostFeatures)} features.`,
      });
    }
    return {
      supportVectors: chooseLayout(sparseRows(rows, columns)),
      coefficients: new Matrix(total, opponents, coefficients),
    };
  }

  #cell(word: string, s: number): Cell {
    const [index, value, ...rest] = word.split(":");
    if (!/^[1-9]\d{0,9}$/.test(index) || value === undefined || rest.length > 0) {
      throw this.#damaged(this.#body + s + 1, `"${word}" is not index:value`);
    }
    return [Number(index), this.#number(value, s)];
  }

  #number(word: string | undefined, s: number): number {
    const value = word === undefined ? Number.NaN : finite(word);
    if (!Number.isNaN(value)) return value;
    throw this.#damaged(this.#body + s + 1, word === undefined ? "numbers are missing" : notANumber(word));
  }

  #numbers(name: string, count: number): number[] {
    const { line, words } = this.#entry(name);
    if (words.length !== count) {
      throw this.#fault(name, `has ${words.length} numbers, expected ${count}`);
    }
    return words.map((word) => {
      const value = finite(word);
      if (Number.isNaN(value)) throw this.#damaged(line, notANumber(word));
      return value;
    });
  }

  #integers(name: string, count: number, least: number): number[] {
    const values = this.#numbers(name, count);
    const odd = values.find((value) => !Number.isInteger(value) || value < least || value >= 2 ** 31);
    if (odd !== undefined) throw this.#fault(name, `is ${odd}`);
    return values;
  }

  #entry(name: string): { readonly line: number; readonly words: readonly string[] } {
    const entry = this.#entries.get(name);
    if (entry && entry.words.length > 0) return entry;
    throw new VouchError("file/format", `${this.#file} has no ${name}.`, {
      hint: "The file is cut off or damaged.",
    });
  }

  #fault(name: string, what: string): VouchError {
    return this.#damaged(this.#entry(name).line, `${name} ${what}`);
  }

  #damaged(line: number, what: string): VouchError {
    return new VouchError("file/format", `${this.#file}, line ${line}: ${what}.`, {
      hint: "The file is damaged or not a LIBSVM model file.",
    });
  }
}

/** Makes sparse rows of cells; of several with the same index, the last one counts. */
function sparseRows(rows: readonly (readonly Cell[])[], columns: number): SparseRows {
  const distinct = rows.map((cells) => [...new Map(cells)].sort(([a], [b]) => a - b));
  const starts = new Int32Array(rows.length + 1);
  distinct.forEach(({ length }, s) => {
    starts[s + 1] = starts[s] + length;
  });
  const cells = distinct.flat();
  const indices = Int32Array.from(cells, ([index]) => index - 1);
  return new SparseRows(rows.length, columns, {
    ...{ starts, indices },
    values: Float64Array.from(cells, ([, value]) => value),
  });
}

/** Parses a finite number as C prints it, dropping the sign of −0; NaN for anything else. */
function finite(word: string): number {
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(word)) return Number.NaN;
  const value = Number(word) + 0;
  return Number.isFinite(value) ? value : Number.NaN;
}

function notANumber(word: string): string {
  return `"${word}" is not a finite number`;
}
