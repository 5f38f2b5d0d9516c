/** `node scripts/picture.mjs`: draws the picture of the README from models trained on the shipped data sets. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadDataset } from "@vouch/datasets";
import { certificatePicture } from "@vouch/report";
import { createLearner, trainClassifier } from "vouch";
import { root } from "./setup.mjs";

const models = [];
for (const data of ["breastcancer", "ionosphere", "iris"]) {
  const { train } = await loadDataset(data);
  for (const learner of ["stump", "adaboost"]) {
    const training = await trainClassifier(train, await createLearner(learner), {
      holdout: 0.2,
      run: { seed: 1 },
    });
    const [{ value, terms }] = training.certificates;
    models.push({ data, learner, rows: terms.rows, errors: terms.errors, bound: value });
  }
}
writeFileSync(join(root, "docs", "certificates.svg"), certificatePicture(models));
