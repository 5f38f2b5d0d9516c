import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forest, randomTrees } from "#core/learners/forest/forest.js";
import { svm } from "#core/learners/svm/svm.js";
import { Random } from "#core/runtime/maths/random.js";
import { mean } from "#core/runtime/maths/statistics.js";
import { projectedLoss } from "#core/select/race/losses.js";
import { RaceSearch } from "#core/select/race/search.js";
import {
  countPoints,
  findPoint,
  LocalSearch,
  learnerAt,
  pointsIn,
  type SearchPoint,
  type SearchSpace,
  searchSpaces,
} from "#core/select/race/search-space.js";

const shape = { rows: 1000, classes: 2, features: 20, numbers: 20, imageSide: 0 };

const lattice = (...sizes: readonly number[]): SearchSpace => ({
  learner: "svm",
  fixed: {},
  axes: sizes.map((size, axis) => ({
    option: `o${axis}`,
    values: Array.from({ length: size }, (_, i) => i),
  })),
});

describe("search spaces", () => {
  it("every point is a learner, which is found again at its point", async () => {
    for (const space of searchSpaces(shape)) {
      const random = new Random(1);
      for (let draw = 0; draw < 8; draw++) {
        const point = space.axes.map(({ values }) => random.integer(values.length));
        const learner = await learnerAt(space, point);
        expect(learner.name).toBe(space.learner);
        expect(findPoint(space, learner)).toEqual(point);
      }
    }
  });

  it("depend only on the shape of the data, and their sizes add up", async () => {
    expect(searchSpaces({ ...shape })).toEqual(searchSpaces(shape));
    const sizes = searchSpaces(shape).map(pointsIn);
    expect(pointsIn(lattice(3, 4, 5))).toBe(60);
    const { among } = await countPoints(searchSpaces(shape));
    expect(among).toBe(sizes.reduce((sum, size) => sum + size, 0));
  });

  it("only points whose models may have a certificate count for shares of δ", async () => {
    const spaces = searchSpaces(shape);
    const certified = spaces.filter(({ learner }) => ["logistic", "forest", "svm", "mlp"].includes(learner));
    const { certifiable } = await countPoints(spaces);
    expect(certifiable).toBe(certified.reduce((sum, space) => sum + pointsIn(space), 0));
    // One point speaks for its space: no value of an axis changes whether its models may have a certificate.
    for (const space of spaces) {
      const origin = space.axes.map(() => 0);
      const { uncertified } = await learnerAt(space, origin);
      for (const [axis, { values }] of space.axes.entries()) {
        for (const value of values.keys()) {
          expect((await learnerAt(space, origin.with(axis, value))).uncertified).toBe(uncertified);
        }
      }
    }
  });

  it("a learner between two points is near the closer one on a logarithmic scale", () => {
    const [space] = searchSpaces(shape).filter(({ learner }) => learner === "svm");
    const costs = space.axes[0].values;
    expect(costs[findPoint(space, svm({ C: 2.5 }))?.[0] ?? -1]).toBe(3);
    expect(costs[findPoint(space, svm({ C: 1.5 }))?.[0] ?? -1]).toBe(1);
    expect(findPoint(space, forest())).toBeUndefined();
  });
});

describe("local search", () => {
  /** Searches until nothing is left, and returns the points that were tried. */
  const searchAll = (
    space: SearchSpace,
    from: SearchPoint,
    lossAt: (point: SearchPoint) => number,
    seed = 1,
  ) => {
    const search = new LocalSearch(space, new Random(seed));
    search.note(from, lossAt(from));
    const tried: SearchPoint[] = [from];
    for (let point = search.propose(); point; point = search.propose()) {
      tried.push(point);
      search.note(point, lossAt(point));
    }
    return { tried, loss: search.loss };
  };

  it("proposes points of the lattice, none of them twice, and the same for the same seed", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(sizes, fc.nat(50), (given, seed) => {
        const space = lattice(...given);
        const lossAt = (point: SearchPoint) => point.reduce((sum, index) => sum + index, 0);
        const from = given.map((size) => size - 1);
        const { tried } = searchAll(space, from, lossAt, seed);
        expect(new Set(tried.map(String)).size).toBe(tried.length);
        for (const point of tried) {
          for (const [axis, index] of point.entries()) {
            expect(Number.isInteger(index) && index >= 0 && index < given[axis]).toBe(true);
          }
        }
        expect(searchAll(space, from, lossAt, seed).tried).toEqual(tried);
      }),
      { numRuns: 60 },
    );
  });

  it("descends a bowl to near its bottom, with a small part of the points", () => {
    const space = lattice(9, 9, 9);
    const bottom = [2, 6, 3];
    const lossAt = (point: SearchPoint) => point.reduce((sum, index, i) => sum + (index - bottom[i]) ** 2, 0);
    for (const seed of [1, 2, 3, 4, 5]) {
      const { tried, loss } = searchAll(space, [8, 0, 8], lossAt, seed);
      expect(loss).toBeLessThanOrEqual(2);
      expect(tried.length).toBeLessThan(pointsIn(space) / 3);
    }
  });
});

describe("the search of a race", () => {
  it("proposes what is near the best and quick more often, and nothing that takes too long", async () => {
    const search = new RaceSearch(shape, 1);
    search.note({ learner: svm({ C: 1 }), loss: 0.1, standardError: 0.01, seconds: 0.1 });
    search.note({ learner: forest({ trees: 200 }), loss: 0.3, standardError: 0.01, seconds: 5 });
    const names: string[] = [];
    for (let i = 0; i < 6; i++) names.push((await search.propose(1))?.[0].name ?? "none");
    expect(new Set(names)).toEqual(new Set(["svm"]));
    expect((await search.propose(0.05)) ?? "none").toBe("none");
  });

  it("draws a learner e times less often for every standard error that it is behind", async () => {
    /** The share of proposals that are kernel machines, which are as costly as random trees. */
    const share = async (standardError: number) => {
      let machines = 0;
      for (let seed = 0; seed < 300; seed++) {
        const search = new RaceSearch(shape, seed);
        search.note({ learner: svm({ C: 1 }), loss: 0.12, standardError, seconds: 0.1 });
        search.note({ learner: randomTrees({ trees: 200 }), loss: 0.1, standardError, seconds: 0.1 });
        machines += Number((await search.propose(1))?.[0].name === "svm");
      }
      return machines / 300;
    };
    const expected = (excess: number) => Math.exp(-excess) / (1 + Math.exp(-excess));
    expect(Math.abs((await share(0.02)) - expected(1))).toBeLessThan(0.08);
    expect(Math.abs((await share(0.01)) - expected(2))).toBeLessThan(0.08);
  });

  it("takes smaller steps after proposals that left early", async () => {
    const spaces = searchSpaces(shape);
    const space = spaces.find(({ learner }) => learner === "boosted-trees") ?? spaces[0];
    const start = space.axes.map(({ values }) => Math.floor(values.length / 2));
    /** Mean distance of the last of many proposals from the best point. */
    const distance = async (isNoted: boolean) => {
      const search = new RaceSearch(shape, 1);
      const judged = { loss: 0.1, standardError: 0.01, seconds: 0.1 };
      search.note({ learner: await learnerAt(space, start), ...judged });
      const distances: number[] = [];
      for (let proposal = 0; proposal < 40; proposal++) {
        const [one] = (await search.propose(1)) ?? [];
        const point = findPoint(space, one) ?? [];
        distances.push(point.reduce((sum, index, axis) => sum + Math.abs(index - start[axis]), 0));
        if (isNoted) search.noteFailure(one);
      }
      return mean(distances.slice(-10));
    };
    expect(await distance(true)).toBeLessThan(0.8 * (await distance(false)));
  });

  it("does not propose what was tried before, and boosted trees with half of the rounds, too", async () => {
    const search = new RaceSearch(shape, 2);
    const spaces = searchSpaces(shape);
    const space = spaces.find(({ learner }) => learner === "boosted-trees") ?? spaces[0];
    search.note({
      learner: await learnerAt(
        space,
        space.axes.map(() => 1),
      ),
      loss: 0.2,
      standardError: 0.01,
      seconds: 0.1,
    });
    const keys = new Set<string>();
    for (let i = 0; i < 15; i++) {
      const proposed = (await search.propose(1)) ?? [];
      expect(proposed.length).toBeGreaterThan(0);
      const [{ options }, half] = proposed;
      if (half) expect(half.options).toEqual({ ...options, rounds: Number(options.rounds) / 2 });
      for (const one of proposed) {
        expect(keys.has(JSON.stringify(one.options))).toBe(false);
        keys.add(JSON.stringify(one.options));
      }
    }
  });
});

describe("learning curves", () => {
  it("a + b / √n is projected exactly", () => {
    const at = (rows: number) => ({ rows, loss: 0.1 + 2 / Math.sqrt(rows) });
    expect(projectedLoss([at(100), at(1000), at(4000)], 100_000)).toBeCloseTo(at(100_000).loss, 12);
  });

  it("promises no more than half of the last loss, nor a rise, nor anything from one point", () => {
    const falling = [
      { rows: 100, loss: 0.5 },
      { rows: 200, loss: 0.1 },
    ];
    expect(projectedLoss(falling, 1e9)).toBeCloseTo(0.05, 12);
    expect(
      projectedLoss(
        [...falling].reverse().map(({ loss }, i) => ({ rows: 100 * (i + 1), loss })),
        1e6,
      ),
    ).toBe(0.5);
    expect(projectedLoss([{ rows: 100, loss: 0.3 }], 1e6)).toBe(0.3);
    expect(projectedLoss(falling, 150)).toBe(0.1);
  });
});
