import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import { completeRun, type Run } from "../../runtime/run.js";
import type { Learner } from "../learner.js";
import type { Model } from "../model.js";
import { checkFinite, trainingSample } from "../training-sample.js";
import { checkAmounts, takesAmounts } from "./kernel.js";
import { chooseKernel, type KernelOptions } from "./kernel-options.js";
import { type KernelRows, kernelRows } from "./kernel-rows.js";

/**
 * A learner whose options choose one kernel. `plan` checks the sample and says how a model is made from the kernel's
 * values, which are computed after that and released in the end.
 */
export function kernelLearner<M extends Model<Matrix>>(
  name: string,
  options: KernelOptions & { readonly cacheMegabytes: number } & Readonly<Record<string, unknown>>,
  plan: (sample: Sample, run: Run) => (values: KernelRows) => Promise<M>,
): Learner<M, Matrix> {
  return {
    name,
    options,
    encoding: { kind: "numeric", standardise: !takesAmounts(options.kernel) },
    async fit(given: Sample<Matrix>, partialRun?: Partial<Run>) {
      const run = completeRun(partialRun);
      checkFinite(given.features, given.featureNames);
      checkAmounts(options.kernel, given.features, given.featureNames);
      const { sample } = trainingSample(name, given);
      const train = plan(sample, run);
      const kernel = chooseKernel(options, sample.features);
      const values = await kernelRows(sample.features, kernel, options.cacheMegabytes, run);
      try {
        return await train(values);
      } finally {
        values.release();
      }
    },
  };
}
