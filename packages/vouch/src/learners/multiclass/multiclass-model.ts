import type { Features, Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/matrix.js";
import type { Json, State } from "../../runtime/state.js";
import type { Certificate } from "../../theory/certificate.js";
import { unionOfMachines } from "../../theory/compression/sample-compression.js";
import type { Complexity, Model } from "../model.js";
import { belowAll, type Evaluations, marginsOf, placeScores, predictionsOf } from "../scores.js";
import type { SchemeName } from "./base-learner.js";
import { type BinaryMachines, RowCosts, SvmMachines, supportSets } from "./machines.js";
import { multiclassState } from "./multiclass-state.js";
import { type Scheme, type Sides, schemeNamed } from "./schemes.js";

/** Numbers that are held at a time while rows are scored: 16 MB. */
const BLOCK_NUMBERS = 2 ** 21;

/** What a model consists of. */
export interface MulticlassModelParts {
  readonly learner: SchemeName;
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  /** Index of each class that training rows had, ascending. */
  readonly trained: readonly number[];
  /** Name of the learner of the machines. */
  readonly base: string;
  readonly machines: BinaryMachines;
  /** How many rows there were to train on. */
  readonly rows: number;
  /** Whether machines were trained on some of their rows only. */
  readonly drawn: boolean;
  readonly notices: readonly string[];
}

/** A classifier for many classes made of machines for two. */
export class MulticlassModel implements Model, MulticlassModelParts {
  readonly learner: SchemeName;
  readonly scoring: "probability" | "decision";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly trained: readonly number[];
  readonly base: string;
  readonly machines: BinaryMachines;
  readonly rows: number;
  readonly drawn: boolean;
  readonly notices: readonly string[];
  readonly #scheme: Scheme;

  constructor(parts: MulticlassModelParts) {
    this.learner = parts.learner;
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.trained = parts.trained;
    this.base = parts.base;
    this.machines = parts.machines;
    this.rows = parts.rows;
    this.drawn = parts.drawn;
    this.notices = parts.notices;
    this.#scheme = schemeNamed(parts.learner);
    this.scoring = this.#scheme.scoring(parts.machines, parts.trained.length);
  }

  /** The classes on each side of each machine, by index. */
  get sides(): Sides[] {
    const toClasses = (side: readonly number[]) => side.map((k) => this.trained[k]);
    return this.#scheme
      .sides(this.trained.length)
      .map(({ first, second }) => ({ first: toClasses(first), second: toClasses(second) }));
  }

  /** As the scheme has it; a class without training rows has probability 0, or a score below all others. */
  scores(features: Features): Matrix {
    const scores = new Matrix(features.rows, this.classes.length);
    const ofOthers = this.scoring === "decision" ? belowAll : () => 0;
    this.#forEachBlock(features, (block, from) => {
      const own = this.#scheme.scores(this.machines, this.trained.length, block);
      for (let i = 0; i < block.rows; i++) {
        placeScores(own.row(i), this.trained, scores.row(from + i), ofOthers);
      }
    });
    return scores;
  }

  predict(features: Features): Int32Array {
    return predictionsOf(this.scores(features));
  }

  /**
   * From probabilities: that of the own class minus the largest other one. Otherwise from the margins that the machines
   * give; positive only where the whole is right, and negative only where it is wrong.
   */
  margins({ features, labels }: Sample<Features>): Float64Array {
    if (this.scoring === "probability") return marginsOf(this.scores(features), labels);
    const margins = new Float64Array(labels.length);
    const placeOf = new Map(this.trained.map((k, place) => [k, place]));
    this.#forEachBlock(features, (block, from) => {
      const own = labels.slice(from, from + block.rows).map((label) => placeOf.get(label) ?? -1);
      margins.set(this.#scheme.margins(this.machines, this.trained.length, block, own), from);
    });
    return margins;
  }

  /** What the prediction of one of these rows costs. */
  evaluations(features: Features): Evaluations {
    const sets = supportSets(this.machines);
    const { asked } = this.#scheme;
    if (!asked || features.rows === 0) {
      return { ...(sets && { kernel: sets.total }), nodes: this.machines.count };
    }
    const cost = new RowCosts(sets);
    this.#forEachBlock(features, (block) => {
      const machinesOf: number[][] = Array.from({ length: block.rows }, () => []);
      for (const { machine, rows } of asked(this.machines, this.trained.length, block)) {
        for (const row of rows) machinesOf[row].push(machine);
      }
      for (const machines of machinesOf) cost.add(machines);
    });
    return cost.mean();
  }

  complexity(): Complexity {
    const counts = { machines: this.machines.count, features: this.featureNames.length };
    const sets = supportSets(this.machines);
    const only = this.#onlyMachine?.complexity();
    if (only) return { ...only, counts: { ...only.counts, ...counts } };
    return { counts: { ...counts, ...(sets && { supportVectors: sets.total }) } };
  }

  /**
   * Those of the machine if there is only one. Otherwise those of the machines, joined by a union bound: not where classes
   * win by coupled probabilities, which need not follow the machines, nor where rows were drawn with other shares of
   * the classes than new cases have.
   */
  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    const { machines, trained, classes, rows } = this;
    if (this.drawn || trained.length < classes.length) return [];
    if (this.#onlyMachine) return this.#onlyMachine.certificates?.({ confidence }) ?? [];
    if (this.learner === "one-vs-one" && this.scoring === "probability") return [];
    const joined = unionOfMachines({
      rows,
      confidence,
      machines: machines.models.map((model) => (options) => model.certificates?.(options) ?? []),
      errorBound: (errors) => this.#scheme.errorBound(errors, trained.length),
      reasoning: "a row is misclassified only if a machine misclassifies it",
    });
    return joined ? [joined] : [];
  }

  describe(): Json {
    const { machines, base, trained } = this;
    return {
      base,
      trainedClasses: trained.length,
      machineCount: machines.count,
      scoring: this.scoring,
      machines: this.sides.map(({ first, second }, machine): Json => {
        const other = second.length === 1 ? this.classes[second[0]] : "not";
        return { classes: `${this.classes[first[0]]} or ${other}`, ...machineFacts(machines, machine) };
      }),
    };
  }

  toState(): State {
    return multiclassState(this);
  }

  /** The machine of a classifier that has no other, and is what it is. */
  get #onlyMachine(): Model | undefined {
    const { machines } = this;
    return machines.count > 1 || this.trained.length < this.classes.length ? undefined : machines.models[0];
  }

  #forEachBlock(features: Features, visit: (block: Features, from: number) => void): void {
    const rowsAtOnce = Math.max(1, Math.floor(BLOCK_NUMBERS / this.#scheme.width(this.trained.length)));
    if (features.rows <= rowsAtOnce) {
      visit(features, 0);
      return;
    }
    for (let from = 0; from < features.rows; from += rowsAtOnce) {
      const length = Math.min(rowsAtOnce, features.rows - from);
      visit(features.select(Int32Array.from({ length }, (_, i) => from + i)), from);
    }
  }
}

/** The size of one machine. */
function machineFacts(machines: BinaryMachines, machine: number): { readonly [name: string]: Json } {
  if (machines instanceof SvmMachines) {
    const { pairs, biases } = machines.model.machines;
    const { coefficients } = machines.model.machines.partsOf(pairs[machine]);
    return { supportVectors: coefficients.length, bias: biases[machine] };
  }
  const { features: _, ...counts } = machines.models[machine].complexity().counts;
  return counts;
}
