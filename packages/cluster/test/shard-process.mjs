/** Trains as one shard of a run: the options come as JSON, and the hash of the model file goes to standard output. */
import { createHash } from "node:crypto";
import { joinShards } from "@vouch/cluster";
import { readTableShard } from "@vouch/formats";
import { boostedTrees, serialise, threadExecutor } from "vouch";
import { trainShard } from "vouch/extend";

const { file, learner, threads = 1, ...options } = JSON.parse(process.argv[2]);
const executor = threadExecutor({ threads });
try {
  const { classifier, certificates } = await joinShards(options, async (group) => {
    const table = await readTableShard(file, group, { name: "rows" });
    return trainShard(table, group, {
      holdout: 0.2,
      learner: boostedTrees(learner),
      run: { seed: 1, executor, progress: ({ done }) => process.send?.({ done }) },
    });
  });
  const sha256 = createHash("sha256")
    .update(await serialise(classifier))
    .digest("hex");
  console.log(JSON.stringify({ sha256, bound: certificates[0].value }));
} catch (error) {
  console.log(JSON.stringify({ code: error.code, message: error.message }));
  process.exitCode = 1;
} finally {
  await executor.close();
}
