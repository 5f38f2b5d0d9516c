import { describe, expect, it } from "vitest";
import {
  adaboost,
  boostedTrees,
  byRacing,
  byReplaying,
  forest,
  type LearnerChoice,
  logistic,
  majority,
  selectRows,
  stump,
  Table,
  trainClassifier,
  tree,
} from "vouch";
import { availableSets, labelledRows, loadRows } from "#experiments/datasets.js";

/** A class against the rest, thinned to a share of the rows. */
interface RareClass {
  readonly dataset: string;
  readonly class: string;
  readonly share: number;
  readonly rows: number;
}

const WANTED: readonly RareClass[] = [
  { dataset: "letter", class: "Z", share: 0.015, rows: 2500 },
  { dataset: "yeast", class: "ME2", share: 0.04, rows: 1484 },
  { dataset: "satimage", class: "4", share: 0.03, rows: 1500 },
];

/** For where only the data sets of the package are. */
const SHIPPED: readonly RareClass[] = [
  { dataset: "breastcancer", class: "malignant", share: 0.04, rows: 699 },
  { dataset: "ionosphere", class: "b", share: 0.05, rows: 351 },
  { dataset: "iris", class: "virginica", share: 0.05, rows: 150 },
];

const { absent } = await availableSets(
  WANTED.map(({ dataset }) => dataset),
  "paper",
);
const sets = absent.length === 0 ? WANTED : SHIPPED;

/** Loads the rows of a set; every k-th row of the class stays, so that it has its share. */
async function rareRows({ dataset, class: name, share, rows }: RareClass): Promise<Table> {
  const all = labelledRows(await loadRows(dataset, { most: rows }));
  const rare = all.classes.indexOf(name);
  expect(rare).toBeGreaterThanOrEqual(0);
  const own = Array.from(all.labels.keys()).filter((row) => all.labels[row] === rare);
  const others = Array.from(all.labels.keys()).filter((row) => all.labels[row] !== rare);
  const wanted = Math.min(own.length, Math.round((share * others.length) / (1 - share)));
  const kept = own.filter(
    (_, i) => Math.floor((i * wanted) / own.length) < Math.floor(((i + 1) * wanted) / own.length),
  );
  const { features, labels } = selectRows(all, Int32Array.from([...others, ...kept].sort((a, b) => a - b)));
  const classes = Array.from(labels, (label) => (label === rare ? "yes" : "no"));
  const target = Table.fromColumns(dataset, { isRare: classes });
  return new Table(dataset, features.rows, [...features.columns, ...target.columns]);
}

const candidates = () => [
  majority(),
  stump(),
  tree(),
  adaboost({ rounds: 50 }),
  logistic(),
  forest({ trees: 30 }),
  boostedTrees({ rounds: 30, maxDepth: 3 }),
];

/** Standard error of an AUC (Hanley and McNeil 1982). */
function standardError(auc: number, positives: number, negatives: number): number {
  const [q1, q2] = [auc / (2 - auc), (2 * auc ** 2) / (1 + auc)];
  const variance = auc * (1 - auc) + (positives - 1) * (q1 - auc ** 2) + (negatives - 1) * (q2 - auc ** 2);
  return Math.sqrt(variance / (positives * negatives));
}

const train = (table: Table, learner: LearnerChoice | ReturnType<typeof logistic>) =>
  trainClassifier(table, learner, { target: "isRare", holdout: 0.4, stratify: true, run: { seed: 2 } });

describe.each(sets)("a race on $dataset with $share of class $class", (set) => {
  it("chooses a model that ranks as logistic regression does, and never a constant", async () => {
    const table = await rareRows(set);
    const race = await train(table, byRacing(candidates(), { seconds: 600, ensemble: true }));
    const alone = await train(table, logistic());
    const [best] = race.candidates;
    expect(best.learner.name).not.toBe("majority");
    expect(JSON.stringify(best.learner.options.members ?? [])).not.toContain("majority");
    const [chosen, plain] = [race, alone].map(({ verdict }) => verdict?.auc?.model ?? 0);
    const found = race.verdict?.classes ?? [];
    const { rows: positives = 0 } = found.find(({ class: name }) => name === "yes") ?? {};
    const { rows: negatives = 0 } = found.find(({ class: name }) => name === "no") ?? {};
    expect(chosen).toBeGreaterThan(0.6);
    expect(chosen).toBeGreaterThanOrEqual(plain - standardError(plain, positives, negatives));
  });
});

describe("a race with a rare class", () => {
  it("gives the same model by its record", async () => {
    const table = await rareRows(SHIPPED[0]);
    const few = [majority(), stump(), logistic()];
    const race = await train(table, byRacing(few, { seconds: 600, ensemble: true }));
    const replayed = await train(table, byReplaying(race.choice?.record ?? expect.fail()));
    expect(replayed.candidates[0].name).toBe(race.candidates[0].name);
    expect(replayed.verdict).toEqual(race.verdict);
  });

  it("prefers a model that ranks to the most frequent class even if there is no time for all its tests", async () => {
    const table = await rareRows(SHIPPED[0]);
    let tests = 0;
    // Each test takes a seventh of the time.
    const clock = () => tests;
    const race = byRacing([majority(), logistic()], {
      seconds: 600,
      clock,
      onLeaderboard: () => {
        tests += 90;
      },
    });
    const { candidates: tried } = await train(table, race);
    expect(tried[0].learner.name).toBe("logistic");
  });
});
