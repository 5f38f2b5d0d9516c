import { formatCount, inlineExecutor, type Learner, type Model, threadExecutor } from "vouch";
import type { BinnedColumns } from "vouch/learning";
import { accuracyOf } from "./accuracy.js";
import { type ForestWork, trainingSample } from "./forest-work.js";
import { localThen } from "./local.js";
import type { Contestant } from "./race.js";

/** Binning and training by a learner of vouch, on so many threads; the accuracy is found afterwards. */
export function trainForestWork(
  work: ForestWork,
  learner: Learner<Model<BinnedColumns>, BinnedColumns>,
  threads: number,
): Contestant {
  const executor = threads === 1 ? inlineExecutor() : threadExecutor({ threads });
  const contestant = localThen(
    "vouch",
    async () => {
      const binned = work.bin();
      const model = await learner.fit(trainingSample(work, binned), { executor, seed: 1 });
      return { model, binned };
    },
    ({ model, binned }) => ({
      "accuracy %": accuracyOf(model.predict(binned.other("test")), work.labels.test),
    }),
  );
  return { ...contestant, close: () => executor.close() };
}

/** How titles say the number of threads. */
export function onThreads(threads: number): string {
  return threads === 1 ? "one thread" : formatCount(threads, "thread");
}
