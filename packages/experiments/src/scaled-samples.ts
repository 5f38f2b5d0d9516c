import { fitEncoder } from "@vouch/core/internal/encode/fit-encoder";
import { Sample } from "@vouch/core/internal/encode/sample";
import { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { type Labelled, selectRows } from "@vouch/core/internal/table/target";

/** The scalings of features, fitted to the training rows: to mean 0 and standard deviation 1, or to the range from −1 to 1. */
export const featureScalings = ["standardised", "[−1, 1]"] as const;

/** One of `featureScalings`. */
export type FeatureScaling = (typeof featureScalings)[number];

/** Makes samples of parts of the rows; the scaling is fitted to the first part alone. */
export function scaledSamples(
  all: Labelled,
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

/** Scales features to their ranges; a feature that is constant in the training rows becomes 0. */
function toUnitRange({ rows, columns, values }: Matrix, ranges: readonly Range[]): Matrix {
  const scaled = Float64Array.from(values, (value, i) => {
    const { least, most } = ranges[i % columns];
    return most > least ? (2 * (value - least)) / (most - least) - 1 : 0;
  });
  return new Matrix(rows, columns, scaled);
}
