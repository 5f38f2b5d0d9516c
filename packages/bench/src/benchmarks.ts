import { adaboostBenchmark } from "./adaboost.js";
import { boostedTreesBenchmark } from "./boosted-trees.js";
import { cascadeBenchmark } from "./cascade.js";
import { forestBenchmark } from "./forest.js";
import { gramBenchmark } from "./gram.js";
import { linearBenchmark } from "./linear.js";
import { loadBenchmark } from "./load.js";
import { mddfBenchmark } from "./mddf.js";
import { mlpBenchmark } from "./mlp.js";
import type { RaceResult } from "./race.js";
import { svmBenchmark } from "./svm.js";

/** Every benchmark by name: each yields the results of its races as they are run. */
export const benchmarks: Readonly<Record<string, () => AsyncGenerator<RaceResult>>> = {
  gram: gramBenchmark,
  load: loadBenchmark,
  adaboost: adaboostBenchmark,
  svm: svmBenchmark,
  linear: linearBenchmark,
  cascade: cascadeBenchmark,
  forest: forestBenchmark,
  mddf: mddfBenchmark,
  "boosted-trees": boostedTreesBenchmark,
  mlp: mlpBenchmark,
};
