import { fitEncoder, Matrix, Sample } from "vouch/learning";
import { selectRows, type TrainingRows } from "./labelled-rows.js";

/** How features are made comparable, by what the training rows are like: mean 0 and deviation 1, or from −1 to 1. */
export const featureScalings = ["standardised", "[−1, 1]"] as const;

/** One of `featureScalings`. */
export type FeatureScaling = (typeof featureScalings)[number];

/** Samples of parts of the rows, all of them scaled by the first part and nothing else. */
export function scaledSamples(
  all: TrainingRows,
  [training, ...others]: readonly [Int32Array, ...Int32Array[]],
  scaling: FeatureScaling,
): Sample[] {
  const first = selectRows(all, training);
  const encoder = fitEncoder(first.features, first, {
    kind: "numeric",
    standardise: scaling === "standardised",
  });
  const parts = [first, ...others.map((rows) => selectRows(all, rows))];
  const encoded = parts.map(({ features }) => encoder.encode(features));
  const ranges = scaling === "standardised" ? undefined : rangesOf(encoded[0]);
  return parts.map(({ labels, classes }, i) => {
    const features = ranges ? toUnitRange(encoded[i], ranges) : encoded[i];
    return new Sample({ features, labels, classes, featureNames: encoder.featureNames });
  });
}

interface Range {
  readonly least: number;
  readonly most: number;
}

function rangesOf({ rows, columns, values }: Matrix): Range[] {
  return Array.from({ length: columns }, (_, j) => {
    let least = Infinity;
    let most = -Infinity;
    for (let i = 0; i < rows; i++) {
      least = Math.min(least, values[i * columns + j]);
      most = Math.max(most, values[i * columns + j]);
    }
    return { least, most };
  });
}

/** A feature that is the same for all training rows tells nothing and becomes 0. */
function toUnitRange({ rows, columns, values }: Matrix, ranges: readonly Range[]): Matrix {
  const scaled = Float64Array.from(values, (value, i) => {
    const { least, most } = ranges[i % columns];
    return most > least ? (2 * (value - least)) / (most - least) - 1 : 0;
  });
  return new Matrix(rows, columns, scaled);
}
