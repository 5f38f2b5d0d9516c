/**
 * SHA-256 of the model file of every learner, and of its predictions after saving and loading, on small shipped data. The same seed
 * gives the same bits on every runtime and for any number of threads: `scripts/runtimes.mjs` compares runtimes, and the golden test
 * compares with the record in the repository. Runs on Node, Bun and Deno.
 *
 * `node scripts/model-digests.mjs '{"learners": ["tree"], "seeds": [1], "threads": [1, 3]}'` prints the digests as JSON.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { completeOutput } from "@vouch/core/internal/runtime/files/complete-output";
import { readTable } from "@vouch/formats";
import { learnerNamed, learnerNames, threadExecutor, trainClassifier } from "vouch";
import { loadModel, saveModel } from "vouch/node";
import { sendingAll, shortOptions } from "../packages/core/test/learners/short-fits.mjs";

const data = new URL("../packages/datasets/data/", import.meta.url);

/** Returns the SHA-256 of bytes or text in hexadecimal. */
export function sha256(content) {
  return createHash("sha256").update(content).digest("hex");
}

/** Reads a shipped data set as bytes: a model file contains the path of a table that was read from a file. */
function shippedTable(name) {
  return readTable(readFileSync(new URL(`${name}.csv`, data)), { format: "csv", target: "label" });
}

/**
 * Trains every learner with each seed and each number of threads; the first seed also calibrates probabilities, which takes several
 * fits. Returns the digests by "learner, seed"; throws if they depend on the number of threads.
 */
export async function modelDigests({ learners = learnerNames(), seeds = [1, 2], threads = [1, 3] } = {}) {
  const [iris, ionosphere] = await Promise.all([shippedTable("iris"), shippedTable("ionosphere")]);
  const pools = threads.map((count) => sendingAll(threadExecutor({ threads: count })));
  const folder = mkdtempSync(join(tmpdir(), "vouch-digests-"));
  const digests = {};
  try {
    for (const name of learners) {
      const kind = await learnerNamed(name);
      const table = kind.multiclass ? iris : ionosphere;
      for (const seed of seeds) {
        const found = [];
        const options = { holdout: 0.2, calibrate: seed === seeds[0] };
        for (const executor of pools) {
          found.push(await digestsOf(kind, table, { ...options, run: { seed, executor } }, folder));
        }
        const different = found.findIndex((one) => JSON.stringify(one) !== JSON.stringify(found[0]));
        if (different > 0) {
          throw new Error(
            `${name} with seed ${seed} gives other bytes on ${threads[different]} threads than on ${threads[0]}.`,
          );
        }
        digests[`${name}, seed ${seed}`] = found[0];
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await Promise.all(pools.map((pool) => pool.close()));
  }
  return digests;
}

/** Trains, saves, loads and predicts. */
async function digestsOf(kind, table, options, folder) {
  const { classifier } = await trainClassifier(table, kind.create(shortOptions(kind.name)), options);
  const path = join(folder, "model.safetensors");
  await saveModel(path, classifier);
  const loaded = await loadModel(path);
  const { predictions, scores, probabilities } = loaded.classify(table);
  const hash = createHash("sha256").update(JSON.stringify(predictions));
  for (const matrix of [scores, probabilities]) if (matrix) hash.update(matrix.values);
  return { model: sha256(readFileSync(path)), predictions: hash.digest("hex") };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  completeOutput();
  const options = process.argv[2] === undefined ? {} : JSON.parse(process.argv[2]);
  console.log(JSON.stringify(await modelDigests(options)));
}
