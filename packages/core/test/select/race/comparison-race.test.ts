import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Learner } from "#core/learners/learner.js";
import { majority } from "#core/learners/majority/majority.js";
import { stump } from "#core/learners/stump/stump.js";
import { checkpoint, completeRun } from "#core/runtime/parallel/run.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { compare, roundedUpSeconds } from "#core/select/compare.js";
import { judgeComparison } from "#core/select/comparison-verdict.js";
import { labelled } from "#core/table/target.js";
import { blobs } from "../../train/blobs.js";

it("suggests times that a person would give", () => {
  expect([0.2, 15, 16, 70, 100, 4000].map(roundedUpSeconds)).toEqual([1, 15, 20, 90, 120, 7200]);
});

/** The learner under another name, whose fits take some seconds per row of a clock that only they move. */
function slow(name: string, learner: Learner, secondsPerRow: number): Learner {
  return {
    ...learner,
    name,
    fit: async (sample, run) => {
      for (let left = 1000 * secondsPerRow * sample.rows; left > 0; left -= 50) {
        await vi.advanceTimersByTimeAsync(Math.min(50, left));
        await checkpoint(completeRun(run));
      }
      return learner.fit(sample, run);
    },
  };
}

describe("compare with a budget", () => {
  // 1,000 rows: a fold trains on 800, so a learner with r seconds per row needs 5 · 800 r + 1,000 r = 5,000 r seconds.
  const rows = labelled(blobs(1000, 3), "label");

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const timed = async (learners: readonly Learner[], seconds: number) => {
    const began = performance.now();
    const comparison = await compare(learners, rows, { folds: 5, seconds });
    return { ...comparison, used: (performance.now() - began) / 1000 / seconds };
  };
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name).sort();

  it("compares all learners if there is time for them, however it is divided among them", async () => {
    const learners = [
      slow("long", stump(), 10 / 5000),
      slow("a", majority(), 0.5 / 5000),
      slow("b", majority(), 0.5 / 5000),
    ];
    const { compared, outOfTime, used, secondsForAll } = await timed(learners, 15);
    expect(names(compared)).toEqual(["a", "b", "long"]);
    expect(outOfTime).toEqual([]);
    expect(secondsForAll).toBeUndefined();
    expect(used).toBeLessThan(1);
    const free = await compare([stump(), majority()], rows, { folds: 5 });
    expect(compared.map(({ errors }) => errors)).toEqual([
      free.compared[0].errors,
      free.compared[1].errors,
      free.compared[1].errors,
    ]);
  });

  it("completes the best of several slow learners, and says what is known of the others", async () => {
    const learners = [
      slow("cheap", majority(), 0.2 / 5000),
      slow("bad", majority(), 9 / 5000),
      slow("good", stump(), 9.5 / 5000),
    ];
    const comparison = await timed(learners, 15);
    expect(names(comparison.compared)).toEqual(["cheap", "good"]);
    expect(comparison.compared[0].name).toBe("good");
    const [left] = comparison.outOfTime;
    expect(left).toMatchObject({ name: "bad", error: expect.closeTo(0.5, 1) });
    expect(left.folds).toBeGreaterThan(0);
    expect(comparison.used).toBeGreaterThan(0.8);
    expect(comparison.used).toBeLessThan(1.05);
    // 0.2 + 9 + 9.5 s with a margin.
    expect(comparison.secondsForAll).toBeGreaterThanOrEqual(18.7);
    expect(comparison.secondsForAll).toBeLessThanOrEqual(30);
    expect(judgeComparison(comparison).warnings[0].message).toMatch(
      /^1 learner ran out of time and may be better: bad \(\d\d\.\d% on [1-4] of 5 folds\)\.$/,
    );
  });

  it("uses the time for learners that do not fit, without more than it has", async () => {
    const learners = [
      slow("cheap", stump(), 0.2 / 5000),
      ...["u", "v", "w", "x", "y"].map((name) => slow(name, majority(), 40 / 5000)),
    ];
    const { compared, outOfTime, used } = await timed(learners, 15);
    expect(names(compared)).toEqual(["cheap"]);
    expect(outOfTime).toHaveLength(5);
    // A fold takes 6.4 s: of two, the second ends after 13 s, and there is no time for a third.
    expect(outOfTime.filter(({ folds }) => folds === 1)).toHaveLength(2);
    expect(used).toBeGreaterThan(0.8);
    expect(used).toBeLessThan(1.05);
  });

  it("does not throw away the time of a learner with endless fits", async () => {
    const learners = [
      slow("endless", stump(), 1e6),
      slow("p", stump(), 5 / 5000),
      slow("q", majority(), 5 / 5000),
    ];
    const { compared, outOfTime, secondsForAll, used } = await timed(learners, 15);
    expect(names(compared)).toEqual(["p", "q"]);
    expect(outOfTime).toEqual([{ name: "endless", folds: 0 }]);
    expect(secondsForAll).toBeUndefined();
    expect(used).toBeGreaterThan(0.8);
    expect(used).toBeLessThan(1.05);
  });

  it("keeps failures apart from lack of time", async () => {
    const broken: Learner = {
      ...stump(),
      name: "broken",
      fit: () => Promise.reject(new VouchError("learner/unsupported", "It is broken.")),
    };
    const { failed, outOfTime } = await timed([slow("p", stump(), 1 / 5000), broken], 5);
    expect(failed).toEqual([{ name: "broken", reason: "It is broken." }]);
    expect(outOfTime).toEqual([]);
  });

  it("is an error if no learner can be completed, and soon", async () => {
    await expect(compare([slow("long", stump(), 100 / 5000)], rows, { seconds: 5 })).rejects.toMatchObject({
      code: "run/out-of-time",
      message: expect.stringContaining("within 5.0 s"),
    });
  });
});
