import { describe, expect, it } from "vitest";
import { type Run, threadExecutor } from "vouch";
import { completeRun, Random } from "vouch/extend";
import { layeredParameters } from "vouch/theory";
import {
  divisionNames,
  networkCriteria,
  networkTrial,
  networkTruth,
  tryArchitectures,
} from "#experiments/model-selection/network-trial.js";
import { oracleNetworks } from "#experiments/model-selection/networks.js";
import { ARCHITECTURES, digitPair, trueNetwork } from "#experiments/model-selection/oracle-network.js";
import { modifiedVcDimension, TABLE_5_2, vapnikPenalty } from "#experiments/model-selection/table-5-2.js";
import { madeUpTrial } from "./made-up-trial.js";
import { smallImages } from "./small-images.js";

const training = smallImages(150, 1);
const test = smallImages(90, 2);
const sizes = { rows: 60, folds: 2, pretrainEpochs: 1, epochs: 5 };

describe("a pair of digits", () => {
  it("has rows of both digits only, and a limit of training rows", () => {
    const pair = digitPair(training, test, [0, 2], 40, new Random(3));
    expect(pair.training.labels).toHaveLength(40);
    expect(pair.test.labels).toHaveLength(60);
    expect(pair.test.classes).toEqual(["0", "2"]);
    expect(Array.from(pair.test.labels.slice(0, 4))).toEqual([0, 1, 0, 1]);
    expect(new Set(pair.training.labels)).toEqual(new Set([0, 1]));
  });
});

describe("an oracle network", () => {
  it("is one of the twelve and labels both parts", async () => {
    const pair = digitPair(training, test, [0, 1], 100, new Random(3));
    const found = new Set<number>();
    for (let seed = 0; seed < 6; seed++) {
      const how = { rows: 100, pretrainEpochs: 1, epochs: 1 };
      const { truth, realError, training, test } = await trueNetwork(
        pair,
        how,
        new Random(seed),
        completeRun(),
      );
      found.add(truth);
      expect(ARCHITECTURES[truth]).toBeDefined();
      expect(training).toHaveLength(100);
      const wrong = test.filter((label, i) => label !== pair.test.labels[i]).length;
      expect(realError).toBe(wrong / 60);
    }
    expect(found.size).toBeGreaterThan(2);
  });

  it("has twelve candidates, those with fewer units first", () => {
    expect(ARCHITECTURES).toHaveLength(12);
    expect(ARCHITECTURES.slice(0, 5)).toEqual([[80], [80, 8], [80, 10], [80, 12], [100]]);
  });
});

describe("a trial", () => {
  it("is the same on any number of threads", async () => {
    const pair = digitPair(training, test, [1, 2], 60, new Random(3));
    const executor = threadExecutor({ threads: 2 });
    try {
      const trialOn = async (run: Run) => {
        const truth = await networkTruth(pair, sizes, new Random(4), run);
        const divisions = [];
        for (const division of divisionNames(sizes.folds).keys())
          divisions.push(await tryArchitectures(pair, truth, division, sizes, run));
        return { trial: networkTrial(pair, truth, divisions), divisions };
      };
      const { trial: inline, divisions } = await trialOn(completeRun({ seed: 5 }));
      expect((await trialOn(completeRun({ seed: 5, executor }))).trial).toEqual(inline);
      // Test rows, held-out rows, and each row in one fold.
      expect(divisions.map(([{ rows }]) => rows)).toEqual([60, 12, 30, 30]);
      const errorOf = (k: number) => (divisions[2][k].errors + divisions[3][k].errors) / 60;
      const chosenByCv = inline.choices[networkCriteria.findIndex(({ name }) => name === "CV")];
      expect(errorOf(chosenByCv)).toBe(Math.min(...ARCHITECTURES.map((_, k) => errorOf(k))));
      expect(inline.errors).toHaveLength(12);
      // The bound itself prefers the smallest network, whatever the errors.
      expect(inline.choices[networkCriteria.findIndex(({ name }) => name === "SRM")]).toBe(0);
    } finally {
      await executor.close();
    }
  });
});

describe("Table 5.2", () => {
  it("follows from the modified estimate and Vapnik's bound to four decimals", () => {
    [80, 100, 120].forEach((neurons, i) => {
      [6000, 12_000, 24_000, 48_000].forEach((rows, j) => {
        const V = modifiedVcDimension(layeredParameters([784, neurons, 1]));
        expect(vapnikPenalty(V, rows, 0.05).toFixed(4)).toBe(TABLE_5_2[i][j].toFixed(4));
      });
    });
  });
});

it("the experiment takes the problems of an earlier result as they are", async () => {
  const trial = madeUpTrial(5, 4);
  const partial = {
    get: (part: string) => (/^digits \d and \d$/.test(part) ? trial : undefined),
    add: () => Promise.reject(new Error("computed again")),
    commits: () => [],
  };
  const run = { ...completeRun({ seed: 1 }), scale: "quick", partial } as const;
  const result = await oracleNetworks.run(run);
  expect(result.data).toMatchObject({ trials: [trial, trial, trial, trial] });
  expect([...oracleNetworks.partsIn(result)]).toEqual([["digits 3 and 8", trial]]);
  const none = { ...partial, get: () => undefined };
  await expect(oracleNetworks.run({ ...run, partial: none, finishedOnly: true })).rejects.toMatchObject({
    code: "file/format",
  });
});

it("the experiment renders the figure and the tables", () => {
  const page = oracleNetworks.render({
    experiment: oracleNetworks.name,
    scale: "quick",
    seed: 1,
    vouch: "0.1.0",
    data: {
      sizes: { problems: 3, rows: 12_000, folds: 10, pretrainEpochs: 30, epochs: 30 },
      trials: [madeUpTrial(5, 0), madeUpTrial(5, 5), madeUpTrial(3, 6)],
    },
  });
  const numbers = (line: RegExp) => page.match(line)?.[0].match(/\d+(\.\d+)?/g);
  // Figure 5.2: 100 for the worst, 0 for the best, 25 for 0.02 between 0.01 and 0.05.
  expect(numbers(/^\| CV .*$/m)?.slice(0, 6)).toEqual(["0.0", "12.5", "25.0", "62.5", "100.0", "41.7"]);
  // Table 5.3: the first choice is smaller than the truth, the second the same, the third larger.
  // One of three: p with P(Binomial(3, p) ≥ 1) = 2.5% is 0.8%, that with P(Binomial(3, p) ≤ 1) = 2.5% is 90.6%.
  const single = page.replace(/ +/g, " ");
  expect(single).toMatch(/^\| CV \|( 1 \(1% to 91%\) \|){3} 52\.5% \|/m);
  expect(single).toMatch(/^\| best \| 0 \(0% to 71%\) \| 2 [^|]* \| 1 [^|]* \| 47\.5% \|/m);
  expect(page).toMatch(/^\| truth +\| +0 \| +0 \| +0 \| +1 \| +0 \| +2 \|/m);
  expect(page).toContain("C by holdout is 2^−9");
  expect(numbers(/^\| 80 .*$/m)?.slice(0, 3)).toEqual(["80", "1.2723", "1.2723"]);
});
