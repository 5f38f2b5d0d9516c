import { binLike, binMatrix } from "#core/encode/bin-matrix.js";
import type { BinnedColumns } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import type { Learner } from "#core/learners/learner.js";
import type { Model } from "#core/learners/model.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { mean, standardDeviation } from "#core/runtime/maths/statistics.js";

/** A model that takes features as they are before they are encoded. */
export type Fitted = Pick<Model<Matrix>, "predict" | "certificates">;

/** A learner with the encoding that it needs. */
export interface Trainer {
  fit(sample: Sample<Matrix>, run?: { readonly seed: number }): Promise<Fitted>;
}

/** Trains on features that are scaled by the sample, as the encoder before a kernel does. */
export function standardised(learner: Learner<Model<Matrix>, Matrix>): Trainer {
  return {
    async fit({ features, labels, classes, featureNames }, run) {
      const scales = featureNames.map((_, feature) => {
        const column = Float64Array.from({ length: features.rows }, (_, i) => features.row(i)[feature]);
        return { offset: mean(column), scale: standardDeviation(column) };
      });
      const scaled = ({ rows, columns, values }: Matrix) =>
        new Matrix(
          rows,
          columns,
          Float64Array.from(
            values,
            (value, k) => (value - scales[k % columns].offset) / scales[k % columns].scale,
          ),
        );
      const model = await learner.fit(
        new Sample({ features: scaled(features), labels, classes, featureNames }),
        run,
      );
      return {
        predict: (given) => model.predict(scaled(given)),
        certificates: (options) => model.certificates?.(options) ?? [],
      };
    },
  };
}

/** Trains on bins between the values of the sample, as the encoder before a forest does. */
export function binned(learner: Learner<Model<BinnedColumns>, BinnedColumns>): Trainer {
  return {
    async fit({ features, ...rest }, run) {
      const bins = binMatrix(features);
      const model = await learner.fit(new Sample({ ...rest, features: bins }), run);
      return {
        predict: (given) => model.predict(binLike(given, bins.features)),
        certificates: (options) => model.certificates?.(options) ?? [],
      };
    },
  };
}
