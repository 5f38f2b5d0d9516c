import { describe, expect, it } from "vitest";
import {
  type Colour,
  type ColouringProblem,
  FixedSum,
  optimalColouring,
} from "#core/learners/hierarchy/colouring.js";
import { Random } from "#core/runtime/maths/random.js";

const COLOURS: readonly Colour[] = [-1, 0, 1];

/** Returns the lowest cost of all 3^K colourings that meet the constraints; infinite if there is none. */
function bruteForce({ negative, positive, balance, fixed }: ColouringProblem): number {
  let best = Number.POSITIVE_INFINITY;
  const visit = (k: number, sum: number, sides: number, cost: number): void => {
    if (k === negative.length) {
      if (Math.abs(sum) <= balance && sides === 3 && cost < best) best = cost;
      return;
    }
    const given = fixed?.get(k);
    if (given !== 1 && given !== 0) visit(k + 1, sum - 1, sides | 1, cost + negative[k]);
    if (given !== 1 && given !== -1) visit(k + 1, sum, sides, cost);
    if (given !== 0 && given !== -1) visit(k + 1, sum + 1, sides | 2, cost + positive[k]);
  };
  visit(0, 0, 0, 0);
  return best;
}

/** Checks that colours meet the constraints, and that they cost as little as brute force finds. */
function check(problem: ColouringProblem): void {
  const expected = bruteForce(problem);
  const found = optimalColouring(problem);
  if (expected === Number.POSITIVE_INFINITY) {
    expect(found, JSON.stringify(problem)).toBeUndefined();
    return;
  }
  const colours = Array.from(found?.colours ?? []);
  const sum = colours.reduce((total, colour) => total + colour, 0);
  const cost = colours.reduce(
    (total, colour, k) => total + (colour < 0 ? problem.negative[k] : colour > 0 ? problem.positive[k] : 0),
    0,
  );
  const right =
    colours.length === problem.negative.length &&
    Math.abs(sum) <= problem.balance &&
    colours.includes(1) &&
    colours.includes(-1) &&
    Array.from(problem.fixed ?? []).every(([k, colour]) => colours[k] === colour) &&
    Math.abs(cost - expected) < 1e-9 &&
    Math.abs((found?.cost ?? Number.NaN) - cost) < 1e-12;
  if (!right) expect.fail(`${JSON.stringify(problem)}: ${colours} costs ${cost}, the best ${expected}`);
}

type Costs = (random: Random) => number;

/** A few distinct values make many ties. */
const KINDS: Readonly<Record<string, readonly [Costs, Costs]>> = {
  "any numbers": [(random) => random.normal(), (random) => random.normal()],
  "ties: −2 … 2": [(random) => random.integer(5) - 2, (random) => random.integer(5) - 2],
  "ties: −1, 0, 1": [(random) => random.integer(3) - 1, (random) => random.integer(3) - 1],
  "all take part": [(random) => -random.integer(8), (random) => -random.integer(8)],
  "all would be ignored": [(random) => random.integer(6), (random) => random.integer(6)],
  "all prefer +1": [(random) => random.integer(6) - 1, (random) => -1 - random.integer(6)],
  "all prefer −1": [(random) => -1 - random.integer(6), (random) => random.integer(6) - 1],
  "all convex": [(random) => random.integer(9), (random) => random.integer(9)],
};

function instance(random: Random, [negative, positive]: readonly [Costs, Costs], fixes: boolean) {
  const classes = 1 + random.integer(8);
  const list = (cost: Costs) => Array.from({ length: classes }, () => cost(random));
  const fixed = new Map<number, Colour>();
  for (let k = 0; fixes && k < classes; k++) {
    if (random.integer(3) === 0) fixed.set(k, COLOURS[random.integer(3)]);
  }
  return {
    negative: list(negative),
    positive: list(positive),
    balance: random.integer(3) === 0 ? random.integer(9) : random.integer(2),
    ...(fixes && { fixed }),
  };
}

describe("optimal colouring", () => {
  for (const [name, costs] of Object.entries(KINDS)) {
    it.each([false, true])(
      `${name}: equals brute force in 1,000 instances (some colours given: %s)`,
      (fixes) => {
        const random = new Random(name.length);
        for (let i = 0; i < 1000; i++) check(instance(random, costs, fixes));
      },
    );
  }

  it("puts two classes on the cheaper pair of sides for every B", () => {
    const random = new Random(7);
    for (let i = 0; i < 2000; i++) {
      const [a, b, c, d] = Array.from({ length: 4 }, () => random.integer(7) - 3);
      const found = optimalColouring({ negative: [a, b], positive: [c, d], balance: random.integer(4) });
      expect(found?.cost).toBe(Math.min(a + d, b + c));
      expect(found?.colours[0]).toBe(-(found?.colours[1] ?? 0));
    }
  });

  it("finds no colours if the constraints allow none", () => {
    expect(optimalColouring({ negative: [-1], positive: [-1], balance: 5 })).toBeUndefined();
    expect(optimalColouring({ negative: [], positive: [], balance: 0 })).toBeUndefined();
    const fixed = new Map<number, Colour>([
      [0, 1],
      [1, 1],
    ]);
    expect(optimalColouring({ negative: [0, 0, 0], positive: [0, 0, 0], balance: 0, fixed })).toBeUndefined();
  });

  it.each([
    {
      what: "line 31 takes back two steps, counted as one",
      negative: [1, 4, 5, 2],
      positive: [-4, -5, -4, -1],
      balance: 1,
      colours: [-1, 1, 1, 0],
    },
    {
      what: "the repair of an empty side empties the other",
      negative: [-2, 0],
      positive: [-1, 2],
      balance: 1,
      colours: [1, -1],
    },
  ])("is right where Algorithm 1 fails as printed: $what", ({ colours, ...problem }) => {
    check(problem);
    expect(Array.from(optimalColouring(problem)?.colours ?? [])).toEqual(colours);
  });

  it("colours 100,000 classes in about the time of a sort", () => {
    const random = new Random(3);
    const list = (shift: number) => Array.from({ length: 100_000 }, () => random.normal() + shift);
    const problem = { negative: list(0), positive: list(-1), balance: 10 };
    const begin = performance.now();
    const found = optimalColouring(problem);
    expect(performance.now() - begin).toBeLessThan(5000);
    const sum = found?.colours.reduce((total, colour) => total + colour, 0);
    expect(Math.abs(sum ?? Number.NaN)).toBeLessThanOrEqual(10);
  });
});

it("a fixed sum without the constraint on sides equals brute force for every sum", () => {
  const random = new Random(11);
  for (let i = 0; i < 1000; i++) {
    const classes = 1 + random.integer(6);
    const list = () => Array.from({ length: classes }, () => random.integer(9) - 4);
    const costs = { negative: list(), positive: list() };
    const lowest = new Map<number, number>();
    const visit = (k: number, sum: number, cost: number): void => {
      if (k === classes) {
        lowest.set(sum, Math.min(cost, lowest.get(sum) ?? Number.POSITIVE_INFINITY));
        return;
      }
      visit(k + 1, sum - 1, cost + costs.negative[k]);
      visit(k + 1, sum, cost);
      visit(k + 1, sum + 1, cost + costs.positive[k]);
    };
    visit(0, 0, 0);
    const fixedSum = new FixedSum(costs);
    for (let sum = -classes; sum <= classes; sum++) {
      const colours = Array.from(fixedSum.colours(sum) ?? []);
      expect(colours.reduce((total, colour) => total + colour, 0)).toBe(sum);
      const cost = colours.reduce(
        (total, colour, k) => total + (colour < 0 ? costs.negative[k] : colour > 0 ? costs.positive[k] : 0),
        0,
      );
      expect(cost).toBe(lowest.get(sum));
    }
    expect(fixedSum.colours(classes + 1)).toBeUndefined();
    expect(fixedSum.colours(-classes - 1)).toBeUndefined();
  }
});
