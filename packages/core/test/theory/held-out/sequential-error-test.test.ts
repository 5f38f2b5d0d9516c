import { describe, expect, it } from "vitest";
import { Random } from "vouch/extend";
import { SequentialErrorTest } from "vouch/theory";
import { binomialAtMost } from "#core/theory/distributions.js";
import { fault } from "../../fault.js";

/** The definition of E, with all starts and alternatives written out: E = Σ π Σ w Π mˣ/(1 + (m − 1)p₀) + reserve. */
function evidenceByDefinition(
  bound: number,
  calls: readonly (readonly [errors: number, rows: number])[],
): number {
  const octaves = Math.min(40, Math.ceil(Math.log2(16 * Math.max(1, (1 - bound) / bound))));
  const alternatives = [
    { m: 2 ** 0.25, weight: 1 / 3 },
    { m: 2 ** 0.5, weight: 2 / 3 },
    ...Array.from({ length: octaves }, (_, i) => ({ m: 2 ** (i + 1), weight: 1 / (i + 1) })),
  ];
  const total = alternatives.reduce((sum, { weight }) => sum + weight, 0);
  const scale = Math.min(50 / bound, 1e6);
  const reserve = (n: number) => 0.5 / (1 + Math.log(1 + n / scale));
  let evidence = 0;
  let before = 0;
  let left = 1;
  calls.forEach((_, start) => {
    const stake = left - reserve(before);
    left = reserve(before);
    for (const { m, weight } of alternatives) {
      const won = calls.slice(start).reduce((product, [errors, rows]) => {
        return (product * m ** errors) / (1 + (m - 1) * bound) ** rows;
      }, 1);
      evidence += (weight / total) * stake * won;
    }
    before += calls[start][1];
  });
  return evidence + left;
}

function testOf(bound: number, errors: Iterable<number>): SequentialErrorTest {
  const test = new SequentialErrorTest(bound);
  for (const error of errors) test.add(error, 1);
  return test;
}

/** The sequences of 0 and 1 of a length. */
function* sequences(length: number): Generator<number[]> {
  for (let bits = 0; bits < 2 ** length; bits++) {
    yield Array.from({ length }, (_, i) => (bits >> i) & 1);
  }
}

describe("the evidence against an error", () => {
  it.each([0.001, 0.05, 0.3, 0.9, 1])(
    "is the mixture of all bets from all starts, for a bound of %d",
    (bound) => {
      const random = new Random(3);
      const calls = Array.from({ length: 120 }, () => {
        const rows = 1 + random.integer(5);
        return [random.integer(2), rows] as const;
      });
      const test = new SequentialErrorTest(bound);
      calls.forEach(([errors, rows], i) => {
        test.add(errors, rows);
        expect(test.logE).toBeCloseTo(Math.log(evidenceByDefinition(bound, calls.slice(0, i + 1))), 9);
      });
      expect(test.rows).toBe(calls.reduce((sum, [, rows]) => sum + rows, 0));
    },
  );

  it.each([0, 1e-6, 0.02, 0.3, 0.8, 1])(
    "is a martingale at an error of exactly %d, at every step of every sequence",
    (bound) => {
      for (let length = 0; length < 9; length++) {
        for (const sequence of sequences(length)) {
          const now = Math.exp(testOf(bound, sequence).logE);
          const right = Math.exp(testOf(bound, [...sequence, 0]).logE);
          const wrong = Math.exp(testOf(bound, [...sequence, 1]).logE);
          expect((1 - bound) * right + bound * wrong).toBeLessThanOrEqual(now * (1 + 1e-12));
          expect((1 - bound) * right + bound * wrong).toBeGreaterThanOrEqual(now * (1 - 1e-12));
          // So at any smaller error, which may depend on the past, it falls on average.
          expect(right).toBeLessThanOrEqual(wrong);
        }
      }
    },
  );

  it.each([0.05, 0.4])(
    "has a mean of at most 1 at the largest value of every sequence that stops at 1/δ (bound %d)",
    (bound) => {
      const length = 12;
      let mean = 0;
      let alarms = 0;
      for (const sequence of sequences(length)) {
        const probability = sequence.reduce((product, x) => product * (x === 1 ? bound : 1 - bound), 1);
        const test = testOf(bound, sequence);
        mean += probability * Math.exp(test.logE);
        if (test.largestLogE >= Math.log(4)) alarms += probability;
      }
      expect(mean).toBeCloseTo(1, 10);
      expect(alarms).toBeGreaterThan(0.01);
      expect(alarms).toBeLessThanOrEqual(0.25);
    },
  );

  it("stays fair if the rows of a call are sorted, and if its caller stops at an error", () => {
    // Up to four rows a call, which ends at the first error: the mean of E is 1 all the same.
    const bound = 0.3;
    const calls = (sequence: readonly number[]) => {
      const test = new SequentialErrorTest(bound);
      for (let i = 0; i < sequence.length; ) {
        const error = sequence.indexOf(1, i);
        const end = Math.min(i + 4, sequence.length, error < 0 ? sequence.length : error + 1);
        const errors = sequence.slice(i, end).reduce((sum, x) => sum + x, 0);
        test.add(errors, end - i);
        i = end;
      }
      return test.logE;
    };
    let mean = 0;
    for (const sequence of sequences(10)) {
      const probability = sequence.reduce((product, x) => product * (x === 1 ? bound : 1 - bound), 1);
      mean += probability * Math.exp(calls(sequence));
    }
    expect(mean).toBeCloseTo(1, 10);
  });
});

describe("alarms", () => {
  it("are rare for ever at an error of exactly the bound: 200 streams of 2,000 rows at δ = 0.1", () => {
    const delta = 0.1;
    const streams = 200;
    let alarms = 0;
    for (let stream = 0; stream < streams; stream++) {
      const random = new Random(11).fork(stream);
      const test = new SequentialErrorTest(0.1);
      for (let row = 0; row < 2000; row++) test.add(random.uniform() < 0.1 ? 1 : 0, 1);
      if (test.largestLogE >= Math.log(1 / delta)) alarms++;
    }
    // At least so many alarms would have a probability below 0.001 if each stream had one with probability δ.
    expect(1 - binomialAtMost(alarms - 1, streams, delta)).toBeGreaterThan(0.001);
    expect(alarms).toBeGreaterThan(0);
  });

  it.each([0, 1000, 10_000])("come soon after the error doubles, after %d good rows", (good) => {
    const delays = Array.from({ length: 15 }, (_, stream) => {
      const random = new Random(12).fork(stream);
      const test = new SequentialErrorTest(0.05);
      for (let row = 0; row < good; row++) test.add(random.uniform() < 0.05 ? 1 : 0, 1);
      let delay = 0;
      while (test.logE < Math.log(100)) {
        test.add(random.uniform() < 0.1 ? 1 : 0, 1);
        delay++;
      }
      return delay;
    }).sort((a, b) => a - b);
    expect(delays[7]).toBeLessThan(good === 0 ? 500 : good === 1000 ? 650 : 850);
  });

  it("come as soon for one call as for many, within the cost of the starts between", () => {
    const whole = new SequentialErrorTest(0.05);
    whole.add(40, 200);
    const rows = testOf(
      0.05,
      Array.from({ length: 200 }, (_, i) => (i % 5 === 0 ? 1 : 0)),
    );
    expect(whole.logE).toBeGreaterThan(rows.logE - 1e-9 - Math.log(2));
    expect(whole.logE).toBeGreaterThan(15);
  });
});

describe("corner cases", () => {
  it("a bound of 0 is refuted by one error, and by nothing else", () => {
    const test = new SequentialErrorTest(0);
    for (let i = 0; i < 1000; i++) test.add(0, 1_000_000);
    expect(test.logE).toBeCloseTo(0, 9);
    expect(test.largestLogE).toBeLessThan(1e-9);
    test.add(1, 1);
    expect(test.logE).toBeGreaterThan(Math.log(1e6));
    expect(Number.isFinite(test.logE)).toBe(true);
  });

  it("a bound of 1 is never refuted", () => {
    const test = new SequentialErrorTest(1);
    for (let i = 0; i < 1000; i++) test.add(1, 1);
    test.add(1e9, 1e9);
    expect(test.largestLogE).toBeLessThan(1e-6);
  });

  it("a tiny bound is refuted by two errors in a thousand rows, not by one in a million", () => {
    const soon = new SequentialErrorTest(1e-9);
    soon.add(0, 500);
    soon.add(2, 500);
    expect(soon.logE).toBeGreaterThan(Math.log(1e6));
    const late = new SequentialErrorTest(1e-5);
    late.add(1, 1_000_000);
    expect(late.logE).toBeLessThan(0);
  });

  it.each([1 - 2 ** -53, 0.999999, 5e-324, 1e-300])("a bound of %d gives finite evidence", (bound) => {
    const test = testOf(bound, [0, 1, 1, 0, 1]);
    expect(Number.isFinite(test.logE)).toBe(true);
    expect(SequentialErrorTest.restore(JSON.parse(JSON.stringify(test.state()))).logE).toBe(test.logE);
  });

  it("after 10⁹ good rows an error that doubles is still found, and the reserve is still there", () => {
    const test = new SequentialErrorTest(0.05);
    // Errors at 4%, as many of them in every thousand rows.
    for (let i = 0; i < 1000; i++) test.add(40_000, 1_000_000);
    expect(test.rows).toBe(1e9);
    expect(test.largestLogE).toBeLessThan(1);
    expect(test.logE).toBeGreaterThan(-4);
    let rows = 0;
    for (; test.largestLogE < Math.log(100); rows += 10) test.add(1, 10);
    expect(rows).toBeLessThan(2000);
  });

  it("evidence of a broken model stays finite: 10⁹ errors in a row", () => {
    const test = new SequentialErrorTest(0.01);
    for (let i = 0; i < 1000; i++) test.add(1e6, 1e6);
    expect(test.logE).toBeGreaterThan(400);
    expect(Number.isFinite(test.logE)).toBe(true);
    expect(SequentialErrorTest.restore(test.state()).logE).toBe(test.logE);
  });

  it("a single call of 10⁹ rows without an error takes the capital, not the reserve", () => {
    const test = new SequentialErrorTest(0.05);
    test.add(0, 1e9);
    expect(test.logE).toBeCloseTo(Math.log(0.5), 9);
    const restored = SequentialErrorTest.restore(JSON.parse(JSON.stringify(test.state())));
    for (const one of [test, restored]) for (let i = 0; i < 40; i++) one.add(1, 2);
    expect(test.logE).toBeGreaterThan(Math.log(100));
    expect(restored.logE).toBe(test.logE);
  });

  it("counts that are none are refused", () => {
    const test = new SequentialErrorTest(0.1);
    for (const [errors, rows] of [
      [2, 1],
      [-1, 1],
      [0.5, 1],
      [Number.NaN, 1],
      [0, Number.NaN],
      [0, -1],
      [0, 2 ** 60],
    ]) {
      expect(fault(() => test.add(errors, rows)).code).toBe("option/invalid");
    }
    test.add(0, 0);
    expect(test.state()).toEqual(new SequentialErrorTest(0.1).state());
    for (const bound of [-0.1, 1.1, Number.NaN]) {
      expect(fault(() => new SequentialErrorTest(bound)).code).toBe("option/invalid");
    }
  });
});

describe("the state", () => {
  it("goes on with the same bits after a round trip through JSON, at any time", () => {
    const random = new Random(5);
    const whole = new SequentialErrorTest(0.07);
    let restored = new SequentialErrorTest(0.07);
    for (let i = 0; i < 400; i++) {
      const rows = 1 + random.integer(3);
      const errors = random.integer(rows + 1);
      whole.add(errors, rows);
      restored = SequentialErrorTest.restore(JSON.parse(JSON.stringify(restored.state())));
      restored.add(errors, rows);
      expect(restored.logE).toBe(whole.logE);
      expect(restored.largestLogE).toBe(whole.largestLogE);
    }
    expect(restored.state()).toEqual(whole.state());
  });

  it("is refused if it is malformed, or if no test can have it", () => {
    const state = testOf(0.05, [0, 1, 0, 0, 1, 0]).state();
    const [first, ...others] = state.capitals;
    const forged = [
      undefined,
      null,
      "",
      [],
      {},
      { ...state, bound: 2 },
      { ...state, bound: 0.5 },
      { ...state, rows: 1.5 },
      { ...state, rows: 1 },
      { ...state, errors: 7 },
      { ...state, errors: 3 },
      { ...state, started: 6 },
      { ...state, started: undefined },
      { ...state, capitals: others },
      { ...state, capitals: [100 * first, ...others] },
      { ...state, capitals: [first / 100, ...others] },
      { ...state, capitals: [-first, ...others] },
      { ...state, capitals: [0, ...others] },
      { ...state, capitals: [Number.NaN, ...others] },
      { ...state, largest: -1 },
      { ...state, largest: 100 },
      { ...state, extra: 1 },
      { ...new SequentialErrorTest(0.05).state(), largest: 3 },
    ];
    for (const one of forged) {
      expect(fault(() => SequentialErrorTest.restore(one)).code, JSON.stringify(one)).toBe("data/malformed");
    }
    expect(SequentialErrorTest.restore(state).rows).toBe(6);
  });
});
