import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adaboost } from "#core/learners/adaboost/adaboost.js";
import type { Learner } from "#core/learners/learner.js";
import { majority } from "#core/learners/majority/majority.js";
import { stump } from "#core/learners/stump/stump.js";
import { svm } from "#core/learners/svm/svm.js";
import { Random } from "#core/runtime/maths/random.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { interrupted, VouchError } from "#core/runtime/vouch-error.js";
import { defaultCandidates } from "#core/select/candidates.js";
import { byRacing } from "#core/select/choose-learner.js";
import { FitTimes } from "#core/select/race/candidate-family.js";
import { pairedDifference } from "#core/select/race/losses.js";
import type { RaceResult } from "#core/select/race/outcome.js";
import { raceLearners } from "#core/select/race/race.js";
import { raceRounds } from "#core/select/race/rounds.js";
import { Table } from "#core/table/table.js";
import { type Labelled, labelled } from "#core/table/target.js";
import { trainClassifier } from "#core/train/train.js";
import { crossValidateRows } from "#core/validation/cross-validate.js";

/** Two numbers whose product decides the class, with a tenth of the labels wrong: stumps see nothing. */
function table(rows: number, seed: number): Table {
  const random = new Random(seed);
  const x = Float64Array.from({ length: rows }, () => random.normal());
  const y = x.map(() => random.normal());
  const label = Array.from(x, (_, i) => (x[i] * y[i] > 0 !== random.uniform() < 0.1 ? "same" : "other"));
  return Table.fromColumns("t", { x, y, label });
}

const data = (rows: number, seed = 1): Labelled => labelled(table(rows, seed), "label");

/** A clock that learners move forward as they fit. */
class Clock {
  now = 0;
  readonly read = () => this.now;

  /** The learner under another name, as if a row took so many seconds. */
  slow(name: string, learner: Learner, secondsPerRow: number): Learner & { fits: number[] } {
    const fits: number[] = [];
    return {
      ...learner,
      name,
      fits,
      fit: async (sample, run) => {
        fits.push(sample.rows);
        this.now += sample.rows * secondsPerRow;
        return learner.fit(sample, run);
      },
    };
  }
}

const fates = ({ candidates }: RaceResult) =>
  Object.fromEntries(candidates.map(({ name, exit }) => [name, exit?.status ?? "finished"]));
const winner = ({ candidates }: RaceResult) => candidates[0].name;

describe("the rounds of a race", () => {
  it("use few rows before many, and test every row in the folds", () => {
    const rows = fc.tuple(fc.integer({ min: 10, max: 12_000 }), fc.integer({ min: 2, max: 4 }), fc.nat(99));
    fc.assert(
      fc.property(rows, ([count, classes, seed]) => {
        const labels = Int32Array.from({ length: count }, (_, i) => i % classes);
        const rounds = [...raceRounds({ labels }, 5, seed)];
        for (const { split, rows } of rounds) {
          expect(split.train.length).toBe(rows);
          const train = new Set(split.train);
          expect(split.test.some((row) => train.has(row))).toBe(false);
          expect(new Set(split.train.map((row) => labels[row])).size).toBe(classes);
        }
        const partial = rounds.filter(({ full }) => !full).map((round) => round.rows);
        expect(partial).toEqual([2000, 8000].filter((size) => 2 * size <= rounds[partial.length].rows));
        const tested = rounds.filter(({ full }) => full).flatMap(({ split }) => [...split.test]);
        const repeats = tested.length / count;
        expect(repeats).toBe(Math.max(1, Math.min(6, Math.floor(3000 / count))));
        for (const row of labels.keys()) {
          if (row % 97 === 0) expect(tested.filter((other) => other === row)).toHaveLength(repeats);
        }
      }),
      { numRuns: 25 },
    );
  });

  it("never have a group on both sides, with many rows and with few groups", () => {
    for (const [count, each] of [
      [9000, 30],
      [600, 200],
    ]) {
      const labels = Int32Array.from({ length: count }, (_, i) => i % 2);
      const groups = Int32Array.from({ length: count }, (_, i) => Math.floor(i / each));
      const rounds = [...raceRounds({ labels, groups }, 5, 1)];
      expect(rounds.some(({ full }) => !full)).toBe(count > 2000);
      expect(rounds.filter(({ full }) => full)).toHaveLength(count > 2000 ? 5 : 5 * 3);
      for (const { split } of rounds) {
        const train = new Set(split.train.map((row) => groups[row]));
        expect(split.test.some((row) => train.has(groups[row]))).toBe(false);
      }
    }
  });

  it("never train on the future, and skip a past of one class", () => {
    const random = new Random(3);
    for (const count of [60, 9000]) {
      const times = Float64Array.from({ length: count }, () => random.integer(count / 6));
      // The first fifth is all of class 0.
      const labels = Int32Array.from(times, (time) => (time < count / 30 ? 0 : random.integer(2)));
      const rounds = [...raceRounds({ labels, times }, 5, 1)];
      expect(rounds.filter(({ full }) => full)).toHaveLength(4);
      for (const { split } of rounds) {
        const last = split.train.reduce((latest, row) => Math.max(latest, times[row]), 0);
        expect(split.test.every((row) => times[row] > last)).toBe(true);
        expect(new Set(split.train.map((row) => labels[row])).size).toBe(2);
      }
    }
  });

  it("need as many rows as folds", () => {
    expect(() => [...raceRounds({ labels: Int32Array.of(0, 1, 0) }, 5, 1)]).toThrow(/at least 5 rows/);
  });
});

describe("how candidates are compared", () => {
  const result = (first: number, ...mistakes: number[]) => ({
    tested: Int32Array.from(mistakes, (_, i) => first + i),
    losses: mistakes,
  });

  it("the paired difference is McNemar's", () => {
    const one = [result(0, 1, 1, 1, 0), result(4, 1, 0, 1, 0)];
    const other = [result(0, 0, 0, 1, 0), result(4, 0, 1, 0, 0)];
    const { difference, standardError } = pairedDifference(one, other);
    expect(difference).toBeCloseTo(3 / 8, 12);
    // Of m = 8 rows only the one errs on b = 4 and only the other on c = 1: variance (b + c − (b − c)²/m)/m².
    expect(standardError).toBeCloseTo(Math.sqrt((5 - 9 / 8) / 64), 12);
  });

  it("rows of a group are one piece of evidence", () => {
    // 12 groups of 4 rows that are all alike have the standard error of 12 rows; groups of one row change nothing.
    const one = [1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1];
    const other = [0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 1];
    const alone = pairedDifference([result(0, ...one)], [result(0, ...other)]);
    const copies = (mistakes: number[]) => [result(0, ...mistakes.flatMap((m) => [m, m, m, m]))];
    const groups = Int32Array.from({ length: 48 }, (_, row) => Math.floor(row / 4));
    const grouped = pairedDifference(copies(one), copies(other), groups);
    expect(grouped.difference).toBeCloseTo(alone.difference, 12);
    expect(grouped.standardError).toBeCloseTo(alone.standardError, 12);
    const rows = Int32Array.from({ length: 12 }, (_, row) => 99 - row);
    expect(pairedDifference([result(0, ...one)], [result(0, ...other)], rows)).toEqual(alone);
  });

  it("a row that is tested twice counts once", () => {
    const one = [result(0, 1, 1, 1, 0)];
    const other = [result(0, 0, 0, 0, 1)];
    const once = pairedDifference(one, other);
    expect(pairedDifference([...one, ...one, ...one], [...other, ...other, ...other])).toEqual(once);
    // Rows 0 and 1 are tested twice, with differences 1, 0 and 1, 1; row 2 once.
    const { difference, standardError } = pairedDifference(
      [result(0, 1, 1, 0), result(0, 1, 1)],
      [result(0, 0, 0, 1), result(0, 1, 0)],
    );
    expect(difference).toBeCloseTo((0.5 + 1 - 1) / 3, 12);
    const squares = (0.5 - 1 / 6) ** 2 + (1 - 1 / 6) ** 2 + (-1 - 1 / 6) ** 2;
    expect(standardError).toBeCloseTo(Math.sqrt(squares) / 3, 12);
  });

  it("time is predicted by the power law through two sizes, before by a default power", () => {
    const times = new FitTimes();
    expect(times.predict(100, 1, "expected")).toBeUndefined();
    times.add({ rows: 1000, steps: 10, seconds: 1 });
    expect(times.predict(1000, 5, "expected")).toBeCloseTo(0.5, 12);
    expect(times.predict(2000, 10, "expected")).toBeCloseTo(2, 12);
    expect(times.predict(2000, 10, "pessimistic")).toBeCloseTo(2 ** 1.1, 12);
    times.add({ rows: 2000, steps: 10, seconds: 2 ** 1.5 });
    for (const kind of ["expected", "pessimistic"] as const) {
      expect(times.predict(8000, 10, kind)).toBeCloseTo(8 ** 1.5, 9);
    }
    const kernel = new FitTimes({ keepsRows: true });
    kernel.add({ rows: 1000, steps: 1, seconds: 1 });
    expect(kernel.predict(3000, 1, "pessimistic")).toBeCloseTo(3 ** 1.7, 9);
  });
});

describe("a race with enough time", () => {
  it("gives the candidates the errors of a cross-validation and the same result for the same seed", async () => {
    const rows = data(150);
    const candidates = [majority(), stump(), adaboost({ rounds: 5 }), adaboost({ rounds: 40 }), svm()];
    const race = (seed: number) => raceLearners(candidates, rows, { seconds: 1e6, run: { seed } });
    const first = await race(3);
    expect(winner(first)).toBe("svm");
    expect(first.rows).toBe(150);
    expect(first.ended).toBe("decided");
    const { errors } = await crossValidateRows(rows, svm(), 5, completeRun({ seed: 3 }));
    const raced = first.candidates[0].validation()?.errors ?? [];
    expect(raced.slice(0, errors.length)).toEqual(errors.slice(0, raced.length));
    const again = await race(3);
    expect(again.candidates.map(({ name, results }) => [name, results])).toEqual(
      first.candidates.map(({ name, results }) => [name, results]),
    );
  });

  it("drops candidates that are clearly behind, and does not fit them again", async () => {
    const clock = new Clock();
    const hopeless = clock.slow("hopeless", stump(), 0);
    const good = clock.slow("good", svm({ C: 10 }), 0);
    const close = clock.slow("close", svm({ C: 10.01 }), 0);
    const result = await raceLearners([hopeless, good, close], data(400), {
      seconds: 1e6,
      clock: clock.read,
    });
    expect(fates(result)[candidateName(result, "hopeless")]).toBe("behind");
    expect(hopeless.fits.length).toBeLessThan(good.fits.length);
    expect(close.fits).toEqual(good.fits);
  });

  it("prefers the first of equal candidates", async () => {
    const clock = new Clock();
    const twins = [clock.slow("b", stump(), 0), clock.slow("a", stump(), 0)];
    expect(winner(await raceLearners(twins, data(60), { seconds: 1e6, clock: clock.read }))).toBe("b");
  });

  it("takes all sizes of a growing learner from one fit", async () => {
    const clock = new Clock();
    const family = [3, 10, 30].map((rounds) => clock.slow("grown", adaboost({ rounds }), 1));
    const { candidates } = await raceLearners(family, data(60), { seconds: 1e9, clock: clock.read });
    expect(family[0].fits).toEqual([]);
    expect(family[1].fits).toEqual([]);
    for (const { learner, results } of candidates) {
      const { errors } = await crossValidateRows(data(60), adaboost(learner.options), 5, completeRun());
      expect(results[0].mistakes.reduce((sum, x) => sum + x, 0) / results[0].mistakes.length).toBe(errors[0]);
    }
  });

  it("says why a candidate failed, and fails itself only if all do", async () => {
    const broken: Learner = {
      ...stump(),
      name: "broken",
      fit: () => Promise.reject(new VouchError("learner/unsupported", "It cannot.")),
    };
    const { candidates } = await raceLearners([broken, stump()], data(60), { seconds: 60 });
    expect(candidates.map(({ name }) => name)).toEqual(["stump", "broken"]);
    expect(candidates[1].exit).toEqual({ status: "failed", reason: "It cannot." });
    await expect(raceLearners([broken], data(60), { seconds: 60 })).rejects.toThrow("It cannot.");
  });
});

/** The full name of the candidate whose learner is called so. */
function candidateName({ candidates }: RaceResult, learner: string): string {
  return candidates.find((one) => one.learner.name === learner)?.name ?? "";
}

describe("a race against time", () => {
  it("does not start a fit that would not end in time, and leaves time for the final fit", async () => {
    const clock = new Clock();
    const quick = clock.slow("quick", svm(), 0.001);
    // A round of it takes 64 s, and the final fit 80 s: after one round there would be no time for another.
    const slow = clock.slow("slow", svm({ C: 5 }), 0.2);
    const options = { seconds: 200, clock: clock.read };
    const result = await raceLearners([quick, slow], data(400), options);
    const name = candidateName(result, "slow");
    expect(fates(result)[name]).toBe("slow");
    expect(slow.fits).toEqual([320]);
    expect(winner(result)).toBe(candidateName(result, "quick"));
    expect(clock.now + 400 * 0.001).toBeLessThan(200);
    expect(result.ended).toBe("by time");
  });

  it("a second is enough for a model, however slow the candidates are", async () => {
    const clock = new Clock();
    const expensive = [clock.slow("a", stump(), 1), clock.slow("b", svm(), 1)];
    const result = await raceLearners(expensive, data(400), { seconds: 1, clock: clock.read });
    expect(winner(result)).toBe(candidateName(result, "a"));
    expect(expensive[1].fits).toEqual([]);
    expect(fates(result)[candidateName(result, "b")]).toBe("slow");
  });

  it("fits the winner to as many rows as there is time for", async () => {
    const clock = new Clock();
    const steady = clock.slow("steady", stump(), 0.001);
    const rest = clock.slow("rest", majority(), 0.001);
    const rows = data(40_000);
    const all = await raceLearners([rest, steady], rows, { seconds: 1000, clock: clock.read });
    expect(all.rows).toBe(40_000);
    const part = await raceLearners([rest, steady], rows, { seconds: 14, clock: clock.read });
    expect(part.rows).toBeGreaterThanOrEqual(2000);
    expect(part.rows).toBeLessThan(14_000);
    expect(part.candidates[0].results.at(-1)?.rows).toBeLessThanOrEqual(part.rows);
  });

  it("ends with the best so far on request, and with an error when aborted", async () => {
    const rows = data(200);
    const stop = new AbortController();
    const other: Learner = svm({ C: 2 });
    const asking: Learner = {
      ...other,
      name: "asking",
      fit: async (sample, run) => {
        stop.abort();
        return other.fit(sample, run);
      },
    };
    const options = { seconds: 1e6, stop: stop.signal };
    const result = await raceLearners([majority(), svm(), asking, stump()], rows, options);
    expect(result.ended).toBe("by request");
    expect(winner(result)).toBe("svm");
    expect(result.candidates.find(({ name }) => name === "stump")?.exit?.status).toBe("not tried");

    const abort = new AbortController();
    const run = { signal: abort.signal, progress: () => abort.abort() };
    await expect(raceLearners([svm()], rows, { seconds: 10, run })).rejects.toMatchObject({
      code: "run/interrupted",
    });
    const early = AbortSignal.abort();
    await expect(raceLearners([svm()], rows, { seconds: 10, stop: early })).rejects.toMatchObject({
      code: "run/interrupted",
    });
  });

  it("tries quick fits before long ones, which may take longer than predicted", async () => {
    const clock = new Clock();
    const leader = clock.slow("leader", stump(), 0.001);
    const long = clock.slow("long", stump(), 0.001);
    const brief = clock.slow("brief", stump(), 0.0001);
    const takesLonger: Learner = {
      ...long,
      fit: (sample, run) => {
        if (sample.rows > 5000) clock.now += 60;
        return long.fit(sample, run);
      },
    };
    // All are equal: without regard to time, the brief one would come last, when none is left.
    await raceLearners([leader, takesLonger, brief], data(12_000), { seconds: 100, clock: clock.read });
    expect(long.fits.filter((rows) => rows > 5000)).toHaveLength(1);
    expect(brief.fits.filter((rows) => rows > 5000).length).toBeGreaterThan(0);
  });

  it("tries the first of each learner before others, and predicts the times of these from it", async () => {
    const clock = new Clock();
    const order: string[] = [];
    const noted = (name: string, learner: Learner, secondsPerRow: number) => {
      const slow = clock.slow(name, learner, secondsPerRow);
      const fit: Learner["fit"] = (sample, run) => {
        order.push(`${name} ${learner.options.C ?? ""}`);
        return slow.fit(sample, run);
      };
      return { ...slow, fit };
    };
    // A fit of "long" takes 32 s. There are 48 s for the first fold: no time for another one.
    const learners = [
      ...[noted("brief", svm({ C: 1 }), 0.001), noted("brief", svm({ C: 2 }), 0.001)],
      ...[noted("long", svm({ C: 3 }), 0.1), noted("long", svm({ C: 4 }), 0.1)],
      noted("last", stump(), 0.001),
    ];
    const result = await raceLearners(learners, data(400), { seconds: 100, clock: clock.read });
    expect(order.slice(0, 4)).toEqual(["brief 1", "long 3", "last ", "brief 2"]);
    expect(order).not.toContain("long 4");
    expect(clock.now).toBeLessThan(100);
    expect(result.candidates.find(({ learner }) => learner.options.C === 4)?.exit?.status).toBe("slow");
  });

  it("does not try a learner again that was aborted with other options", async () => {
    const fits: unknown[] = [];
    const endless = (C: number): Learner => {
      const learner = svm({ C });
      return {
        ...learner,
        name: "endless",
        fit: (_, run) => {
          fits.push(C);
          return new Promise((_, reject) =>
            run?.signal?.addEventListener("abort", () => reject(interrupted())),
          );
        },
      };
    };
    const learners = [stump(), endless(1), endless(10), endless(100)];
    const result = await raceLearners(learners, data(200), { seconds: 1 });
    expect(fits).toEqual([1]);
    expect(winner(result)).toBe("stump");
  });

  it("goes on after the first fold with those that there is time for", async () => {
    const clock = new Clock();
    // A fold of each takes 9.6 s. The stump is behind, and of the others there is time for the other folds of two.
    const learners = [svm({ C: 1 }), svm({ C: 2 }), svm({ C: 4 }), stump()].map((learner, i) =>
      clock.slow(`${i}`, learner, 0.03),
    );
    const options = { seconds: 260, clock: clock.read, ensemble: true };
    const result = await raceLearners(learners, data(400), options);
    const folds = result.candidates.map(({ results }) => results.length);
    expect(Math.min(folds[0], folds[1])).toBeGreaterThanOrEqual(5);
    expect(folds.slice(2)).toEqual([1, 1]);
    expect(result.candidates[2].exit?.reason).toBe("there is no time for more rounds");
    expect(clock.now).toBeLessThan(260);
  });
});

describe("training with a choice by racing", () => {
  const choose = byRacing([majority(), stump(), svm()], { seconds: 1000 });

  it("gives the model that its learner alone gives, tested on the same rows", async () => {
    const rows = table(150, 4);
    const options = { holdout: 0.2, run: { seed: 5 } };
    const chosen = await trainClassifier(rows, choose, options);
    const named = await trainClassifier(rows, svm(), options);
    expect(chosen.classifier.card.learner).toBe("svm");
    expect(chosen.classifier.model.toState()).toEqual(named.classifier.model.toState());
    expect(chosen.classifier.card.heldOut).toEqual(named.classifier.card.heldOut);
    const { choice, ...card } = chosen.classifier.card;
    expect(card).toEqual(named.classifier.card);
    // The most frequent class has no certificate from the training rows.
    expect(choice).toMatchObject({ among: 3, certifiable: 2 });
    expect(choice?.candidates[0]).toMatchObject({ name: "svm", fate: "finished" });
  });

  it("divides δ of training certificates, but not of held-out ones, among the candidates", async () => {
    const rows = table(300, 4);
    const among = byRacing([stump(), adaboost({ rounds: 3 })], { seconds: 1000 });
    const chosen = await trainClassifier(rows, among, { holdout: 0.5 });
    const learner = chosen.candidates[0].learner;
    const at = async (confidence: number) => {
      const { certificates } = await trainClassifier(rows, learner, { holdout: 0.5, confidence });
      return new Map(certificates.map((one) => [`${one.name} ${one.class}`, one.value]));
    };
    const [usual, shared] = [await at(0.95), await at(0.975)];
    const names = chosen.certificates.map(({ name }) => name).filter((name) => name !== "best-of");
    expect(names.length).toBeGreaterThan(2);
    const shares: string[] = [];
    for (const { name, class: of, value, confidence, premises } of chosen.certificates) {
      if (name === "best-of") continue;
      expect(confidence).toBe(0.95);
      const sharesRisk = premises.some(({ text }) =>
        text.includes("each of the 2 that may have such a certificate"),
      );
      expect(value).toBeCloseTo((sharesRisk ? shared : usual).get(`${name} ${of}`) ?? -1, 12);
      if (sharesRisk) shares.push(name);
    }
    expect(shares).toContain("growth-function-exact");
    expect(shares).not.toContain("held-out-binomial");
  });

  it("trains on a stratified subsample of the requested size", async () => {
    const { classifier, samples } = await trainClassifier(table(200, 1), stump(), { rows: 50, holdout: 0.2 });
    expect(classifier.card.data.rows).toBe(50);
    expect(samples.heldOut?.rows).toBe(40);
    expect(classifier.card.notices).toContain("Trained on 50 of 160 rows.");
  });

  it("rejects a time that is not positive", () => {
    expect(() => byRacing([stump()], { seconds: 0 })).toThrow("The time limit must be positive, not 0 s.");
  });
});

describe("the default candidates", () => {
  it("start with the simplest, suit the classes, and do not depend on the labels of the rows", async () => {
    const two = data(120);
    const candidates = await defaultCandidates(two);
    expect(candidates.slice(0, 2).map(({ name }) => name)).toEqual(["majority", "stump"]);
    expect(candidates.map(({ name }) => name)).toContain("deep-cascade-svm");
    const flipped = await defaultCandidates({ ...two, labels: two.labels.map((label) => 1 - label) });
    expect(flipped.map(({ options }) => options)).toEqual(candidates.map(({ options }) => options));
    const three = await defaultCandidates({ ...two, classes: ["a", "b", "c"] });
    expect(three.map(({ name }) => name)).not.toContain("deep-cascade-svm");
    const kinds = async (classes: number) => {
      const names = Array.from({ length: classes }, (_, k) => `class ${k}`);
      return new Set((await defaultCandidates({ ...two, classes: names })).map(({ name }) => name));
    };
    expect(await kinds(20)).toContain("adaboost");
    expect(await kinds(21)).not.toContain("adaboost");
    expect(await kinds(49)).toContain("boosted-trees");
    expect([...(await kinds(50))].filter((name) => /boost|cascade|mddf/.test(name))).toEqual([]);
  });

  /** Makes a table of as many rows as networks with a fixed number of steps need, or of one less. */
  const tableOf = (names: readonly string[], rows = 500) => {
    const columns = names.map((name, j) => [
      name,
      Float64Array.from({ length: rows }, (_, i) => i % (j + 2)),
    ]);
    const label = Array.from({ length: rows }, (_, i) => "ab"[i % 2]);
    return labelled(Table.fromColumns("t", { ...Object.fromEntries(columns), label }), "label");
  };

  const networksFor = async (names: readonly string[], rows?: number) =>
    (await defaultCandidates(tableOf(names, rows))).filter(({ name }) => name === "mlp");

  it("have a network that keeps the scale of the columns if there are many columns of numbers", async () => {
    const scalings = async (count: number, rows?: number) => {
      const networks = await networksFor(
        Array.from({ length: count }, (_, j) => `c${j}`),
        rows,
      );
      return networks.map(({ options }) => options.scaling);
    };
    expect(await scalings(49)).toEqual(["standard", "standard"]);
    expect(await scalings(50)).toEqual(["standard", "standard", "common"]);
    expect(await scalings(50, 499)).toEqual(["standard"]);
  });

  it("have a network that learns from images that are moved by a pixel if the columns are pixels of an image", async () => {
    const shifts = async (nameOf: (row: number, column: number) => string) => {
      const names = Array.from({ length: 256 }, (_, k) => nameOf(Math.floor(k / 16), k % 16));
      return (await networksFor(names)).map(({ options }) => options.shift);
    };
    expect(await shifts((row, column) => `p${row}_${column}`)).toEqual([0, 0, 1]);
    expect(await shifts((row, column) => `sensor${row}${"abcdefghijklmnop"[column]}`)).toEqual([0, 0, 0]);
  });
});
