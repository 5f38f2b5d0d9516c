// Model selection with a custom criterion beside the built-in ones: the one-standard-error rule, which takes the simplest
// candidate whose error is within one standard error of the smallest (Breiman et al. 1984).
//
//     node examples/select-by-your-criterion.mjs
import { loadDataset } from "@vouch/datasets";
import { adaboost, findChoice, findCriterion, labelled, select, stump } from "vouch";
import { mean, standardDeviation } from "vouch/extend";

/** Candidates are listed simplest first, so those within the limit are scored by their position and the rest come after. */
const oneStandardError = {
  name: "one-standard-error",
  summary: "the first candidate within one standard error of the best",
  measures: "order",
  needs: ["folds"],
  score(candidates) {
    const errors = candidates.map(({ folds }) => folds.map(({ errors, rows }) => errors / rows));
    const means = errors.map(mean);
    const best = means.indexOf(Math.min(...means));
    const limit = means[best] + standardDeviation(errors[best]) / Math.sqrt(errors[best].length);
    const scores = means.map((error, i) => ({
      value: error <= limit ? i : candidates.length + error,
      terms: { error, limit },
    }));
    return { scores, facts: { limit } };
  },
};

const { train: table } = await loadDataset("breastcancer");
const candidates = [stump(), ...[3, 5, 10, 20, 40].map((rounds) => adaboost({ rounds }))];
const by = [findCriterion("cv"), oneStandardError];
const selection = await select(candidates, labelled(table, "label"), by, { folds: 10, run: { seed: 1 } });

for (const ranking of selection.rankings) {
  console.log(`${ranking.criterion.name} chooses ${selection.candidates[findChoice(ranking)].name}`);
  for (const { candidate, rank, terms } of ranking.scores) {
    console.log(`  ${rank}. ${selection.candidates[candidate].name}  ${JSON.stringify(terms)}`);
  }
}
