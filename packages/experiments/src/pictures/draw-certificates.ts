/** `node packages/experiments/dist/pictures/draw-certificates.js`: draws docs/certificates.svg from models trained on the shipped data sets. */
import { writeFileSync } from "node:fs";
import { learnerLabel } from "@vouch/core/internal/learners/index";
import { loadDataset } from "@vouch/datasets";
import { createLearner, trainClassifier } from "vouch";
import { certificatePicture, type PicturedModel } from "./certificate-picture.js";

const models: PicturedModel[] = [];
for (const data of ["breastcancer", "ionosphere", "penguins"]) {
  const { train } = await loadDataset(data);
  for (const name of ["adaboost", "forest"]) {
    const training = await trainClassifier(train, await createLearner(name), {
      holdout: 0.2,
      run: { seed: 1 },
    });
    const [{ value, terms }] = training.certificates;
    const learner = learnerLabel(name).title;
    models.push({ data, learner, rows: terms.rows, errors: terms.errors, bound: value });
  }
}
writeFileSync(new URL("../../../../docs/certificates.svg", import.meta.url), certificatePicture(models));
