import { Sample } from "#core/encode/sample.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import type { Random } from "#core/runtime/maths/random.js";
import type { Fitted } from "./trainers.js";

/** A population of a few points, so that the error of a classifier is a finite sum. */
export interface TinyPopulation {
  /** The points. */
  readonly points: Matrix;
  /** P(x) of each point. */
  readonly mass: readonly number[];
  /** P(y | x) of each point and class. */
  readonly labels: readonly (readonly number[])[];
}

/** Points 0, 1, … on a line: `classOf` gives the class of each point, and `noise` is the probability of each other class. */
export function onALine(
  mass: readonly number[],
  classes: number,
  classOf: (point: number) => number,
  noise: number,
): TinyPopulation {
  const total = mass.reduce((sum, share) => sum + share, 0);
  return {
    points: Matrix.from(mass.map((_, point) => [point])),
    mass: mass.map((share) => share / total),
    labels: mass.map((_, point) =>
      Array.from({ length: classes }, (_, k) => (k === classOf(point) ? 1 - noise * (classes - 1) : noise)),
    ),
  };
}

/** Draws independent rows until at least two classes occur, which learners need. */
export function drawRows(population: TinyPopulation, rows: number, random: Random): Sample<Matrix> {
  const { points, mass, labels } = population;
  const drawn = Int32Array.from({ length: rows }, () => drawIndex(mass, random));
  const classes = Int32Array.from(drawn, (point) => drawIndex(labels[point], random));
  if (classes.every((label) => label === classes[0])) return drawRows(population, rows, random);
  return new Sample({
    features: points.select(drawn),
    labels: classes,
    classes: labels[0].map((_, k) => `class ${k + 1}`),
  });
}

function drawIndex(shares: readonly number[], random: Random): number {
  let left = random.uniform();
  const drawn = shares.findIndex((share) => {
    left -= share;
    return left < 0;
  });
  return drawn < 0 ? shares.length - 1 : drawn;
}

/** Computes the probability that a model misclassifies a row: Σ P(x) (1 − P(h(x) | x)). */
export function exactError({ points, mass, labels }: TinyPopulation, model: Fitted): number {
  const predicted = model.predict(points);
  return mass.reduce((sum, share, point) => sum + share * (1 - labels[point][predicted[point]]), 0);
}
