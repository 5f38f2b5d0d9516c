import { describe, expect, it } from "vitest";
import { forest } from "#core/learners/forest/forest.js";
import type { Learner } from "#core/learners/learner.js";
import { logistic } from "#core/learners/logistic/logistic.js";
import { majority } from "#core/learners/majority/majority.js";
import { stump } from "#core/learners/stump/stump.js";
import { svm } from "#core/learners/svm/svm.js";
import { tree } from "#core/learners/tree/tree.js";
import { ERROR } from "#core/metrics/objective-metric.js";
import { Random } from "#core/runtime/maths/random.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { byRacing, byReplaying } from "#core/select/choose-learner.js";
import { Candidate } from "#core/select/race/candidate.js";
import { clearlyBehind, ensembleCandidates } from "#core/select/race/drop-candidates.js";
import { formEnsemble } from "#core/select/race/ensemble.js";
import { dropSpareMembers, testedProbabilities } from "#core/select/race/ensemble-members.js";
import { raceLearners } from "#core/select/race/race.js";
import { rankCandidates } from "#core/select/race/ranking.js";
import { readRaceRecord } from "#core/select/race/record.js";
import { replayRace } from "#core/select/race/replay.js";
import { Table } from "#core/table/table.js";
import { type Labelled, labelled } from "#core/table/target.js";
import { trainClassifier } from "#core/train/train.js";

/** A line decides for half of the rows and a circle for the others: a linear and a local model make different mistakes. */
function table(rows: number, seed: number): Table {
  const random = new Random(seed);
  const column = () => Float64Array.from({ length: rows }, () => random.normal());
  const [x, y, z] = [column(), column(), column()];
  const label = Array.from(x, (_, i) => {
    const inside = z[i] > 0 ? x[i] + y[i] > 0 : x[i] ** 2 + y[i] ** 2 < 1.4;
    return inside !== random.uniform() < 0.1 ? "in" : "out";
  });
  return Table.fromColumns("t", { x, y, z, label });
}

const data = (rows: number): Labelled => labelled(table(rows, 3), "label");

/** A clock that stands still: nothing is ever too slow. */
const stopped = { seconds: 100, clock: () => 0 };

const candidates = (): Learner[] => [
  majority(),
  stump(),
  logistic(),
  tree(),
  svm({ C: 1 }),
  forest({ trees: 30 }),
];

describe("after a round on a subsample", () => {
  const rows = 2000;
  const labels = Int32Array.from({ length: rows }, (_, i) => i % 2);

  /** A candidate that is wrong where `isWrong` says so, and 80% sure of every answer. */
  function candidate(learner: Learner, place: number, isWrong: (row: number) => boolean): Candidate {
    const scores = new Float64Array(2 * rows);
    const predictions = labels.map((label, i) => (isWrong(i) ? 1 - label : label));
    predictions.forEach((predicted, i) => {
      scores[2 * i + predicted] = 0.8;
      scores[2 * i + 1 - predicted] = 0.2;
    });
    const one = new Candidate(learner.name, learner, place, ERROR);
    one.results.push({
      ...{ round: 0, stage: 0, full: false, rows, tested: Int32Array.from(labels.keys()), modelBytes: 1 },
      mistakes: Uint8Array.from(labels, (label, i) => Number(predictions[i] !== label)),
      classified: { labels, predictions, scores, scoring: "probability" },
    });
    return one;
  }

  it("a candidate that is behind stays if it makes other mistakes, not if it makes the same and more", () => {
    const best = candidate(svm(), 0, (row) => row % 10 === 0);
    const different = candidate(forest(), 1, (row) => row % 10 > 7);
    const same = candidate(tree(), 2, (row) => row % 10 < 2);
    const poor = candidate(stump(), 3, (row) => row % 10 > 5);
    const ranking = rankCandidates([best, different, same, poor]);
    expect(clearlyBehind(ranking, false)).toEqual([different, same, poor]);
    expect(ensembleCandidates(ranking, { objective: ERROR, classes: 2, hasRareClass: false })).toEqual([
      best,
      different,
    ]);
  });
});

describe("an ensemble of tested candidates", () => {
  const rows = 2000;
  const random = new Random(7);
  const noise = () => Float64Array.from({ length: rows }, () => random.normal());
  const [x, y, own] = [noise(), noise(), noise()];
  const labels = Int32Array.from(x, (_, i) => (x[i] + y[i] + own[i] > 0 ? 1 : 0));

  /** A candidate with a model of some size that sees part of what decides. */
  function sees(place: number, modelBytes: number, seen: (row: number) => number): Candidate {
    const scores = new Float64Array(2 * rows);
    for (let i = 0; i < rows; i++) {
      scores[2 * i + 1] = 1 / (1 + Math.exp(-seen(i)));
      scores[2 * i] = 1 - scores[2 * i + 1];
    }
    const predictions = labels.map((_, i) => (seen(i) > 0 ? 1 : 0));
    const one = new Candidate(`candidate ${place}`, tree({ maxDepth: place + 1 }), place, ERROR);
    one.results.push({
      ...{ round: 0, stage: 0, full: true, rows, tested: Int32Array.from(labels.keys()), modelBytes },
      mistakes: Uint8Array.from(labels, (label, i) => Number(predictions[i] !== label)),
      classified: { labels, predictions, scores, scoring: "probability" },
    });
    return one;
  }

  const combine = (candidates: readonly Candidate[]) =>
    formEnsemble(candidates, {
      ...{ objective: ERROR, classes: 2, hasRareClass: false },
      ...{ leader: candidates[0], place: candidates.length, affords: () => true, run: completeRun({}) },
    });

  it("has no member that adds nothing, and the smaller of two that add the same", async () => {
    for (const [first, second] of [
      [1000, 10],
      [10, 1000],
    ]) {
      const [a, b] = [noise(), noise()];
      const pool = [
        sees(0, 100, (i) => x[i] + 0.2 * y[i]),
        sees(1, first, (i) => y[i] + 0.03 * a[i]),
        sees(2, second, (i) => y[i] + 0.03 * b[i]),
      ];
      const { members } = (await combine(pool)) ?? expect.fail();
      expect(members.map(({ place }) => place)).toEqual([0, first < second ? 1 : 2]);
    }
  });

  it("is spare if the best candidate alone does as well", async () => {
    const other = noise();
    const spareIn = async (others: number) => {
      const pool = [
        sees(0, 10, (i) => 1.2 * x[i]),
        sees(1, 10, (i) => 1.2 * x[i] + 0.5 * other[i] + others * y[i]),
      ];
      const settings = { objective: ERROR, classes: 2, hasRareClass: false };
      const [tests, leader] = [pool, [pool[0]]].map(
        (some) => testedProbabilities(some, 0, 1, settings) ?? expect.fail(),
      );
      return dropSpareMembers(pool, tests, { leader, groups: undefined, run: completeRun({}) });
    };
    expect(await spareIn(0)).toMatchObject({ isSpare: true });
    expect(await spareIn(1)).toMatchObject({ isSpare: false });
  });
});

describe("an ensemble at the end of a race", () => {
  it("is tested on the rows of its members, by weights that other rows have fitted", async () => {
    const {
      combined,
      candidates: [best],
      classifiedFolds,
    } = await raceLearners(candidates(), data(500), {
      ...stopped,
      ensemble: true,
    });
    if (!combined) throw new Error("There is no ensemble.");
    expect(combined.members.length).toBeGreaterThan(1);
    expect(combined.pool).toEqual(expect.arrayContaining([...combined.members]));
    const { results, learner } = combined.candidate;
    const [{ results: tests }] = combined.pool;
    expect(results.map(({ tested }) => tested)).toEqual(tests.map(({ tested }) => tested));
    for (const { classified, mistakes } of results) {
      const { labels, predictions, scores } = classified ?? expect.fail();
      expect([...mistakes]).toEqual(Array.from(labels, (y, i) => Number(y !== predictions[i])));
      for (let i = 0; i < labels.length; i++) expect(scores[2 * i] + scores[2 * i + 1]).toBeCloseTo(1, 6);
    }
    expect(learner.name).toBe("ensemble");
    expect(learner.options.members).toHaveLength(combined.members.length);
    expect(best === combined.candidate).toBe(combined.wins);
    if (combined.wins)
      expect(classifiedFolds.map(({ labels }) => labels.length)).toEqual(
        tests.map(({ tested }) => tested.length),
      );
  });

  it("is not formed of one candidate, nor without permission, nor of members that there is no time for", async () => {
    const alone = await raceLearners([svm()], data(300), { ...stopped, ensemble: true });
    expect(alone.combined).toBeUndefined();
    const single = await raceLearners(candidates(), data(300), stopped);
    expect(single.combined).toBeUndefined();
    // Each fit takes a millisecond per row: a fold of both fits into the time, two final fits after it do not.
    let now = 0;
    const slow = (name: string, learner: Learner): Learner => ({
      ...learner,
      name,
      fit: async (sample, run) => {
        now += sample.rows / 1000;
        return learner.fit(sample, run);
      },
    });
    const learners = [slow("one", logistic()), slow("two", svm())];
    const { combined } = await raceLearners(learners, data(300), {
      seconds: 1.1,
      clock: () => now,
      ensemble: true,
    });
    expect(combined).toBeUndefined();
  });

  it("wins where it is better, is refitted, saved, and trained again with its options to the same scores", async () => {
    const options = { target: "label", holdout: 0.3, run: { seed: 2 } };
    const choice = byRacing(candidates(), { ...stopped, ensemble: true });
    const { classifier, choice: made, samples } = await trainClassifier(table(700, 5), choice, options);
    expect(made?.ensemble?.members.length).toBeGreaterThan(1);
    const best = made?.candidates[0].learner ?? expect.fail();
    const again = await trainClassifier(table(700, 5), best, options);
    const rows = (samples.heldOut ?? expect.fail()).features;
    expect(again.classifier.model.scores(rows).values).toEqual(classifier.model.scores(rows).values);
    expect(again.classifier.decision).toEqual(classifier.decision);
  });
});

describe("a search", () => {
  it("finds options that were not listed, and counts all that it could have found", async () => {
    const listed = [majority(), svm({ C: 0.1 })];
    const { candidates, among } = await raceLearners(listed, data(400), { ...stopped, search: true });
    const tried = candidates.filter(({ learner }) => learner.name === "svm");
    expect(tried.length).toBeGreaterThan(3);
    expect(candidates[0].learner.options.C).toBeGreaterThan(0.1);
    expect(among).toBeGreaterThan(1000);
    const without = await raceLearners(listed, data(400), stopped);
    expect(without.among).toBe(2);
  });
});

describe("a race with time for everything", () => {
  it("has the same outcome on one thread and on several", async () => {
    const learners = () => [majority(), logistic(), svm({ C: 1 })];
    const executor = threadExecutor({ threads: 3 });
    try {
      const options = { seconds: 1000, search: true, ensemble: true };
      const one = await raceLearners(learners(), data(150), options);
      const three = await raceLearners(learners(), data(150), { ...options, run: { executor } });
      expect(three.candidates.map(({ name }) => name)).toEqual(one.candidates.map(({ name }) => name));
      expect(three.record).toEqual(one.record);
      expect(three.candidates[0].learner.options).toEqual(one.candidates[0].learner.options);
    } finally {
      await executor.close();
    }
  });
});

describe("the record of a race", () => {
  it("gives the same choice again, without a clock", async () => {
    let calls = 0;
    // Time runs out in the middle of the search.
    const clock = () => {
      calls++;
      return calls / 40;
    };
    const options = { target: "label", holdout: 0.3, run: { seed: 4 } };
    const racing = byRacing(candidates(), { seconds: 12, clock, search: true, ensemble: true });
    const first = await trainClassifier(table(500, 6), racing, options);
    const record = readRaceRecord(JSON.parse(JSON.stringify(first.choice?.record)));
    const second = await trainClassifier(table(500, 6), byReplaying(record), options);
    expect(second.choice?.candidates.map(({ name }) => name)).toEqual(
      first.choice?.candidates.map(({ name }) => name),
    );
    expect(second.choice?.record).toEqual(first.choice?.record);
    expect(second.classifier.card).toEqual(first.classifier.card);
    expect(second.assessment?.scores.values).toEqual(first.assessment?.scores.values);
  });

  it("is refused for another seed, other rows, and if it is not a record", async () => {
    const { record } = await raceLearners([majority(), stump()], data(100), { ...stopped, run: { seed: 1 } });
    const with_ = (run: { seed: number }, rows: number) =>
      trainClassifier(table(rows, 3), byReplaying(record), { target: "label", run });
    await expect(with_({ seed: 2 }, 100)).rejects.toThrow(/seed 1, but the seed is 2/);
    await expect(with_({ seed: 1 }, 90)).rejects.toThrow(/100 training rows, but there are 90/);
    expect(() => readRaceRecord({ seed: 1 })).toThrow(/not the record of a race/);
    expect(() => readRaceRecord({ ...record, pool: [7] })).toThrow(/contenders are missing/);
  });
});

describe("an ensemble that a record repeats", () => {
  const rows = 6000;
  /** Learners that make different mistakes, which take part in some of the rounds: 0 is on a subsample, 1 to 5 are folds of all. */
  const record = (rounds: readonly number[], learners: readonly Learner[] = [logistic(), tree()]) =>
    readRaceRecord({
      ...{ seed: 1, folds: 5, dataRows: rows, among: learners.length, ended: "by time" },
      contenders: learners.map(({ name, options }) => ({
        ...{ learner: name, options, rounds, fate: "finished", reason: "", rows },
      })),
      pool: learners.map((_, place) => place),
    });
  const repeat = (given: ReturnType<typeof record>) => replayRace(given, data(rows), { run: { seed: 1 } });

  it("is calibrated by its folds of all rows", async () => {
    const { combined, classifiedFolds } = await repeat(record([1, 2, 3, 4, 5]));
    expect(combined?.wins).toBe(true);
    expect(classifiedFolds.map(({ labels }) => labels.length)).toEqual(Array(5).fill(rows / 5));
  });

  it("is not calibrated by its tests on a subsample", async () => {
    const { combined, classifiedFolds } = await repeat(record([0]));
    expect(combined?.wins).toBe(true);
    expect(combined?.classified).toHaveLength(1);
    expect(classifiedFolds).toEqual([]);
  });

  it("has one member of two that answer the same", async () => {
    // No tree of so few rows is as deep as that.
    const { combined } = await repeat(record([0], [logistic(), tree(), tree({ maxDepth: 500 })]));
    expect(combined?.pool.map(({ place }) => place).sort()).toEqual([0, 1]);
  });

  it("has members among at most 32 candidates", async () => {
    const trees = Array.from({ length: 40 }, (_, k) => tree({ minLeafRows: k + 1 }));
    const { combined, record: repeated } = await repeat(record([0], [logistic(), ...trees]));
    expect(combined?.pool).toHaveLength(32);
    expect(repeated.pool).toEqual(combined?.pool.map(({ place }) => place));
  });
});
