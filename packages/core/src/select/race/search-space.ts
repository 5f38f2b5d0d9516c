import { createLearner } from "../../learners/index.js";
import type { Learner } from "../../learners/learner.js";
import * as real from "../../runtime/maths/portable-math.js";
import type { Random } from "../../runtime/maths/random.js";
import {
  type CandidateCounts,
  type DataShape,
  isShiftable,
  isWorthSteadyNetworks,
  roundedSetting,
  STEADY_NETWORK,
} from "../candidates.js";

/** An option of a learner with the values to search, in ascending order of effect. */
export interface SearchAxis {
  readonly option: string;
  readonly values: readonly (number | string | readonly number[])[];
}

/** A point of a search space: an index into the values of each axis. */
export type SearchPoint = readonly number[];

/**
 * The options of a learner that are worth searching, as a finite lattice that depends only on the shape of the data.
 * The lattice is fixed before any label is seen. So bounds at confidence 1 − δ/k, where k counts its points that have
 * one, hold for whichever point the search ends at.
 */
export interface SearchSpace {
  readonly learner: string;
  readonly axes: readonly SearchAxis[];
  /** Options that stay as they are. */
  readonly fixed: Readonly<Record<string, unknown>>;
}

/** Lists the search spaces of learners that are worth a search. */
export function searchSpaces(shape: DataShape): readonly SearchSpace[] {
  const inverse = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];
  return [
    { learner: "logistic", fixed: {}, axes: [{ option: "C", values: [0.001, 0.003, ...inverse] }] },
    {
      learner: "forest",
      fixed: { trees: 200 },
      axes: [
        { option: "featuresPerSplit", values: shares(shape.features) },
        { option: "minLeafRows", values: [1, 2, 3, 5, 8, 12, 20] },
      ],
    },
    {
      learner: "random-trees",
      fixed: { trees: 200 },
      axes: [{ option: "minLeafRows", values: [1, 2, 3, 5, 8, 12] }],
    },
    {
      learner: "svm",
      fixed: {},
      axes: [
        { option: "C", values: [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000] },
        { option: "gamma", values: kernelWidths(shape) },
        { option: "scaling", values: ["standard", "common"] },
      ],
    },
    {
      learner: "boosted-trees",
      fixed: {},
      axes: [
        { option: "rounds", values: [50, 100, 200, 400, 800] },
        { option: "learningRate", values: [0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3] },
        { option: "maxDepth", values: [2, 3, 4, 5, 6, 7, 8, 10] },
        { option: "minChildWeight", values: [0.3, 1, 3, 10, 30] },
        { option: "rowsPerTree", values: [0.5, 0.65, 0.8, 1] },
        { option: "columnsPerTree", values: [0.3, 0.5, 0.7, 1] },
        { option: "lambda", values: [0.3, 1, 3, 10] },
      ],
    },
    ...(isWorthSteadyNetworks(shape) ? [networkSpace(shape)] : []),
  ];
}

/** Lists the options of networks with a fixed number of steps. */
function networkSpace(shape: DataShape): SearchSpace {
  return {
    learner: "mlp",
    fixed: { ...STEADY_NETWORK, ...(isShiftable(shape) && { scaling: "common", shift: 1 }) },
    axes: [
      { option: "layers", values: networkLayers(shape) },
      { option: "learningRate", values: [0.001, 0.003, 0.01] },
      { option: "dropout", values: [0, 0.1, 0.2, 0.3, 0.5] },
      { option: "weightDecay", values: [0.01, 0.1, 1, 3] },
      ...(isShiftable(shape) ? [] : [{ option: "scaling", values: ["standard", "common"] }]),
    ],
  };
}

/** Lists hidden layers; large ones only if there are enough rows to justify their time. */
function networkLayers({ rows }: Pick<DataShape, "rows">): (readonly number[])[] {
  return [[64], [128, 64], ...(rows >= 1000 ? [[256, 128]] : []), ...(rows >= 5000 ? [[512, 256]] : [])];
}

/** Widths of the kernel around the svm's default, which is 1 / features for standardised features. */
function kernelWidths({ features }: Pick<DataShape, "features">): number[] {
  return [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8].map((factor) => roundedSetting(factor / features));
}

/** Shares of the features per split; with few features several shares give the same number. */
function shares(features: number): (number | string)[] {
  const distinct = new Map<number, number>();
  for (const share of [0.05, 0.1, 0.2, 0.33, 0.5, 0.7, 1]) {
    const count = Math.max(1, Math.round(share * features));
    if (!distinct.has(count)) distinct.set(count, share);
  }
  return [...distinct.values()];
}

/** Counts the points of a search space. */
export function pointsIn({ axes }: SearchSpace): number {
  return axes.reduce((product, { values }) => product * values.length, 1);
}

/**
 * Counts the points of search spaces. No axis decides whether the models of a learner may have a certificate, so one
 * point represents its space.
 */
export async function countPoints(spaces: readonly SearchSpace[]): Promise<CandidateCounts> {
  let among = 0;
  let certifiable = 0;
  for (const space of spaces) {
    const points = pointsIn(space);
    const { uncertified } = await learnerAt(
      space,
      space.axes.map(() => 0),
    );
    among += points;
    if (!uncertified) certifiable += points;
  }
  return { among, certifiable };
}

/** Makes the learner at a point. */
export function learnerAt(space: SearchSpace, point: SearchPoint): Promise<Learner> {
  const chosen = space.axes.map(({ option, values }, axis) => [option, values[point[axis]]]);
  return createLearner(space.learner, { ...space.fixed, ...Object.fromEntries(chosen) });
}

/** Finds the point nearest to a learner's options; undefined if the learner differs in an option that is not searched. */
export function findPoint(space: SearchSpace, { name, options }: Learner): SearchPoint | undefined {
  if (name !== space.learner) return undefined;
  return space.axes.map(({ option, values }) => nearest(values, options[option]));
}

function nearest(values: SearchAxis["values"], value: unknown): number {
  const text = JSON.stringify(value);
  const exact = values.findIndex((own) => JSON.stringify(own) === text);
  if (exact >= 0) return exact;
  if (typeof value !== "number") return Math.floor(values.length / 2);
  const distances = values.map((own) =>
    typeof own === "number" ? Math.abs(real.log(own / value)) : Number.POSITIVE_INFINITY,
  );
  return distances.indexOf(Math.min(...distances));
}

/** First step in lattice points, and the factor by which steps shrink. */
const FIRST_STEP = 2;
const SHRINKING = 0.7;

/** Smaller steps round to nothing, so the search restarts with large steps, up to this many times. */
const LEAST_STEP = 0.6;
const MOST_RESTARTS = 2;

/** Maximum number of draws of an untried point per proposal. */
const DRAWS = 40;

/**
 * Searches the lattice of one learner by randomised direct search (FLOW2, Wu, Wang and Huang 2021): from the best point
 * so far it steps in a random direction, and in the opposite one if that was not better. Steps shrink after several
 * failures. It never proposes a point twice.
 */
export class LocalSearch {
  readonly space: SearchSpace;
  readonly #random: Random;
  readonly #tried = new Set<string>();
  #best: { readonly point: SearchPoint; readonly loss: number } | undefined;
  #step = FIRST_STEP;
  #failures = 0;
  #restarts = 0;
  /** The opposite of the last direction, to be tried next. */
  #opposite: readonly number[] | undefined;

  constructor(space: SearchSpace, random: Random) {
    this.space = space;
    this.#random = random;
  }

  /** The smallest loss so far. */
  get loss(): number {
    return this.#best?.loss ?? Number.POSITIVE_INFINITY;
  }

  /** Whether there is nothing left to propose. */
  get isExhausted(): boolean {
    return this.#restarts > MOST_RESTARTS || this.#tried.size >= pointsIn(this.space);
  }

  /** Proposes a point near the best one; undefined if all near ones have been tried. */
  propose(): SearchPoint | undefined {
    if (!this.#best) return undefined;
    for (let draw = 0; draw < DRAWS && !this.isExhausted; draw++) {
      const direction = this.#opposite ?? this.#direction();
      this.#opposite = undefined;
      const point = this.#moved(this.#best.point, direction);
      const key = point.join(" ");
      if (this.#tried.has(key)) {
        if (draw % 8 === 7) this.#shrink();
        continue;
      }
      this.#tried.add(key);
      this.#opposite = direction.map((part) => -part);
      return point;
    }
    return undefined;
  }

  /** Records the loss at a point, which may come from elsewhere. */
  note(point: SearchPoint, loss: number): void {
    this.#tried.add(point.join(" "));
    if (loss < this.loss) {
      this.#best = { point, loss };
      this.#failures = 0;
      this.#opposite = undefined;
      return;
    }
    this.#failures++;
    if (this.#failures >= Math.max(3, 2 * this.space.axes.length)) this.#shrink();
  }

  #shrink(): void {
    this.#failures = 0;
    this.#step *= SHRINKING;
    if (this.#step >= LEAST_STEP) return;
    this.#step = FIRST_STEP;
    this.#restarts++;
  }

  /** Draws a direction of length 1 evenly from all directions. */
  #direction(): number[] {
    const drawn = this.space.axes.map(() => this.#random.normal());
    const length = Math.sqrt(drawn.reduce((sum, part) => sum + part * part, 0)) || 1;
    return drawn.map((part) => part / length);
  }

  #moved(from: SearchPoint, direction: readonly number[]): SearchPoint {
    // In many dimensions each component of a unit vector is small, so the step grows with their number, and some axis
    // moves.
    const size = this.#step * Math.sqrt(Math.max(1, this.space.axes.length / 2));
    return from.map((index, axis) => {
      const last = this.space.axes[axis].values.length - 1;
      return Math.max(0, Math.min(last, index + Math.round(size * direction[axis])));
    });
  }
}
