/** Trains as one shard of a run: the options come as JSON, and the hash of the model file goes to standard output. */
import { createHash } from "node:crypto";
import { joinShards } from "@vouch/cluster/sharded";
import { readTableShard } from "@vouch/formats";
import { serialise } from "vouch";
import { trainShard } from "vouch/sharded";

const { file, learner, ...options } = JSON.parse(process.argv[2]);
try {
  const { classifier, certificates } = await joinShards(options, async (group) => {
    const table = await readTableShard(file, group, { name: "rows" });
    return trainShard(table, group, {
      holdout: 0.2,
      learner,
      run: { seed: 1, progress: ({ done }) => process.send?.({ done }) },
    });
  });
  const sha256 = createHash("sha256")
    .update(await serialise(classifier))
    .digest("hex");
  console.log(JSON.stringify({ sha256, bound: certificates[0].value }));
} catch (error) {
  console.log(JSON.stringify({ code: error.code, message: error.message }));
  process.exitCode = 1;
}
