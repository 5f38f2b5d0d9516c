/**
 * Trains random classifiers, exports them, and compares labels, sets, scores and probabilities of the installed runtimes with
 * vouch's own:
 *
 *     node packages/onnx/check-random-models.mjs [--models 2000] [--seed 1] [--learner NAME]
 */
import { parseArgs } from "node:util";
import { exportOnnx } from "@vouch/onnx";
import fc from "fast-check";
import { compareWith } from "./test/engines/compare.mjs";
import { INSTALLATION, installedEngines } from "./test/engines/engines.mjs";
import { modelSpecs, randomClassifier } from "./test/engines/random-models.mjs";

const { values } = parseArgs({
  options: { models: { type: "string" }, seed: { type: "string" }, learner: { type: "string" } },
});
const engines = installedEngines();
if (engines.length === 0) {
  console.error(`The runtimes are not installed: ${INSTALLATION}.`);
  process.exit(1);
}

const numRuns = Number(values.models ?? 2000);
const seed = Number(values.seed ?? 1);
const totals = new Map();
let refused = 0;
let differing = 0;
let compared = 0;
for (const [m, drawn] of fc.sample(modelSpecs, { numRuns, seed }).entries()) {
  const spec = values.learner ? { ...drawn, learner: values.learner } : drawn;
  let made;
  try {
    made = await randomClassifier(spec);
  } catch (error) {
    // Some draws cannot be trained, for example because no column varies or only one class is left.
    if (error.name !== "VouchError") throw error;
    refused++;
    continue;
  }
  const { bytes } = exportOnnx(made.classifier);
  for (const engine of engines) {
    const found = await compareWith(engine, made.classifier, made.rows, { bytes });
    compared += found.rows;
    const key = spec.learner;
    const before = totals.get(key) ?? {
      models: 0,
      rows: 0,
      different: 0,
      tied: 0,
      sets: 0,
      scores: 0,
      probabilities: 0,
    };
    totals.set(key, {
      models: before.models + 1 / engines.length,
      rows: before.rows + found.rows,
      different: before.different + found.different,
      tied: before.tied + found.tied,
      sets: before.sets + found.sets,
      scores: Math.max(before.scores, found.scores),
      probabilities: Math.max(before.probabilities, found.probabilities),
    });
    if (found.different > 0 || found.sets > 0 || found.scores > made.tolerance) {
      differing++;
      console.log(`model ${m + 1}, ${engine.name}: ${JSON.stringify(found)} ${JSON.stringify(spec)}`);
    }
  }
  if ((m + 1) % 100 === 0)
    console.log(`${m + 1} models, ${compared} predictions, ${differing} models differ`);
}

console.log(
  `\n${"learner".padEnd(26)} models    rows  differ  tied  sets  largest difference of scores, probabilities`,
);
for (const [name, of] of [...totals].sort(([a], [b]) => a.localeCompare(b))) {
  const counts = [of.models, of.rows, of.different, of.tied, of.sets].map((count) =>
    String(Math.round(count)).padStart(7),
  );
  console.log(
    `${name.padEnd(24)} ${counts.join("")}  ${of.scores.toExponential(1)}  ${of.probabilities.toExponential(1)}`,
  );
}
console.log(
  `\n${refused} of ${numRuns} could not be trained; ${compared} predictions compared; ${differing} comparisons differ.`,
);
process.exit(differing > 0 ? 1 : 0);
