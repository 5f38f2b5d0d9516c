// A classifier behind your own TypeScript types: a row that lacks a column does not compile.
//
//     npx tsc -p examples && node examples/build/typed.js
import { loadDataset } from "@vouch/datasets";
import { type Classifier, forest, type Learner, Table, trainClassifier } from "vouch";

const species = ["setosa", "versicolor", "virginica"] as const;
type Species = (typeof species)[number];

interface Flower {
  readonly sepal_length: number;
  readonly sepal_width: number;
  readonly petal_length: number;
  readonly petal_width: number;
}

/** Returns a typed predictor that throws if the model predicts a class that is not a `Species`. */
function speciesOf(classifier: Classifier): (flowers: readonly Flower[]) => Species[] {
  const known = new Map<string, Species>(species.map((name) => [name, name]));
  return (flowers) =>
    classifier
      .predict(
        Table.fromRecords(
          "flowers",
          flowers.map((flower) => ({ ...flower })),
        ),
      )
      .map((name) => {
        const found = known.get(name);
        if (found === undefined) throw new Error(`The model predicts "${name}".`);
        return found;
      });
}

const learner: Learner = forest({ trees: 50 });
const { train } = await loadDataset("iris");
const { classifier, certificates } = await trainClassifier(train, learner, {
  holdout: 0.3,
  run: { seed: 7 },
});
const predict = speciesOf(classifier);
console.log(predict([{ sepal_length: 5, sepal_width: 3.4, petal_length: 1.5, petal_width: 0.2 }]));
console.log(certificates[0].statement);
