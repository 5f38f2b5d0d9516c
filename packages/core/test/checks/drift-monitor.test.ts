import { beforeAll, describe, expect, it } from "vitest";
import { type Classifier, DriftMonitor, Table, trainClassifier, tree } from "vouch";
import { Random } from "vouch/extend";
import { testWindow } from "#core/checks/window-test.js";
import { fault } from "../fault.js";

/** Rows with a number, an integer and a category, some of them missing; `change` alters the cells of a row. */
function rowsOf(count: number, seed: number, change: (cells: Cells) => Partial<Cells> = () => ({})): Table {
  const random = new Random(seed);
  const rows = Array.from({ length: count }, () => {
    const cells: Cells = {
      size: random.uniform() < 0.05 ? null : random.normal(),
      age: random.integer(6),
      colour: random.uniform() < 0.6 ? "red" : "blue",
      class: random.uniform() < 0.5 ? "yes" : "no",
    };
    return { ...cells, ...change(cells) };
  });
  return Table.fromRecords("rows", rows);
}

interface Cells {
  readonly size: number | null;
  readonly age: number | null;
  readonly colour: string | null;
  readonly class: string;
}

let classifier: Classifier;
beforeAll(async () => {
  ({ classifier } = await trainClassifier(rowsOf(1500, 1), tree({ maxDepth: 2 }), { target: "class" }));
});

function watchOf(rows?: Table, falseAlarm = 0.01): DriftMonitor {
  const { profile, encoder } = classifier;
  if (!profile) return expect.fail("The model has no profile.");
  const watch = new DriftMonitor(profile, encoder.schema, falseAlarm);
  if (rows) watch.add(rows);
  return watch;
}

const driftedIn = (watch: DriftMonitor) =>
  watch.columns().flatMap(({ name, drifted }) => (drifted ? [name] : []));

describe("the drift of columns", () => {
  it("names the column that changed, and no other", () => {
    expect(driftedIn(watchOf(rowsOf(5000, 2)))).toEqual([]);
    expect(
      driftedIn(watchOf(rowsOf(600, 3, ({ size }) => ({ size: size === null ? null : size + 1 })))),
    ).toEqual(["size"]);
    expect(
      driftedIn(watchOf(rowsOf(600, 4, ({ colour }) => ({ colour: colour === "blue" ? "red" : "blue" })))),
    ).toEqual(["colour"]);
  });

  it("counts unknown categories, missing cells and numbers outside the range", () => {
    const some = (share: number, cells: Partial<Cells>) => {
      const random = new Random(9);
      return () => (random.uniform() < share ? cells : {});
    };
    expect(driftedIn(watchOf(rowsOf(600, 5, some(0.08, { colour: "green" }))))).toEqual(["colour"]);
    expect(driftedIn(watchOf(rowsOf(600, 6, some(0.08, { age: null }))))).toEqual(["age"]);
    expect(driftedIn(watchOf(rowsOf(600, 7, some(0.08, { age: 70 }))))).toEqual(["age"]);
    expect(driftedIn(watchOf(rowsOf(600, 8, some(0.4, { size: null }))))).toEqual(["size"]);
  });

  it("shows after 64 rows if it is gross, and ends with the change", () => {
    const watch = watchOf(rowsOf(63, 10, () => ({ size: 40 })));
    expect(watch.columns()[0]).toEqual({ name: "size", drift: 0, p: 1, drifted: false });
    watch.add(rowsOf(1, 11, () => ({ size: 40 })));
    expect(watch.columns()[0].drift).toBeGreaterThan(0.9);
    expect(driftedIn(watch)).toEqual(["size"]);
    watch.add(rowsOf(8192, 12));
    expect(driftedIn(watch)).toEqual([]);
  });

  it("is found as late as early", () => {
    const watch = watchOf(rowsOf(100_000, 13));
    expect(driftedIn(watch)).toEqual([]);
    watch.add(rowsOf(1024, 14, ({ size }) => ({ size: size === null ? null : size + 1 })));
    expect(driftedIn(watch)).toEqual(["size"]);
  });

  it("does not depend on the parts that rows come in, and goes on from its state", () => {
    const rows = rowsOf(1300, 15, ({ size }) => ({ size: size === null ? null : 1.5 * size }));
    const whole = watchOf(rows);
    let parts = watchOf();
    for (let start = 0; start < 1300; start += 130) {
      parts.add(rows.select(Array.from({ length: 130 }, (_, i) => start + i)));
      const next = watchOf();
      next.restore(JSON.parse(JSON.stringify(parts.state())));
      parts = next;
    }
    expect(parts.state()).toEqual(whole.state());
    expect(parts.columns()).toEqual(whole.columns());
  });

  it("is reported in hardly any of many streams without drift", () => {
    // Rows of the same source as the training rows; each column of each stream is looked at after every window.
    let streams = 0;
    for (let stream = 0; stream < 60; stream++) {
      const watch = watchOf(undefined, 0.05);
      const rows = rowsOf(640, 100 + stream);
      let ever = false;
      for (let start = 0; start < 640; start += 64) {
        watch.add(rows.select(Array.from({ length: 64 }, (_, i) => start + i)));
        ever ||= driftedIn(watch).length > 0;
      }
      if (ever) streams++;
    }
    // 60 streams at 5% have more than 9 with a probability below 0.001; the correction is far from tight.
    expect(streams).toBeLessThanOrEqual(3);
  });

  it("refuses columns as predictions do, and states that are not its own", () => {
    const watch = watchOf(rowsOf(100, 16));
    const lacking = Table.fromRecords("new rows", [{ size: 1, age: 2 }]);
    expect(fault(() => watch.add(lacking)).code).toBe("data/missing-column");
    expect(fault(() => watch.add(lacking)).message).toBe(fault(() => classifier.predict(lacking)).message);
    const state = watch.state();
    const [first, ...others] = state.columns;
    const [window, ...larger] = first.windows;
    const withWindow = (change: object) => ({
      ...state,
      columns: [{ ...first, windows: [{ ...window, ...change }, ...larger] }, ...others],
    });
    const forged = [
      undefined,
      {},
      { ...state, rows: 164 },
      { ...state, rows: 101 },
      { ...state, rows: -1 },
      { ...state, columns: others },
      { ...state, columns: [{ ...first, name: "x" }, ...others] },
      withWindow({ missing: window.missing + 1 }),
      withWindow({ counts: [...window.counts, 0] }),
      withWindow({ counts: window.counts.map(() => 1e300) }),
      withWindow({ last: undefined }),
      withWindow({ last: { distance: 0, p: 2, relevant: true } }),
    ];
    for (const one of forged) expect(fault(() => watch.restore(one)).code).toBe("data/malformed");
    expect(watch.state()).toEqual(state);
    watch.restore(state);
    expect(watch.state()).toEqual(state);
    const { profile, encoder } = classifier;
    if (!profile) return expect.fail("The model has no profile.");
    expect(fault(() => new DriftMonitor(profile, encoder.schema, 0)).code).toBe("option/invalid");
  });
});

describe("the test of a window", () => {
  const levels = (missing: number, ...counts: number[]) => ({ kind: "levels", missing, counts }) as const;

  it("is Fisher's exact test of the clearest event, for both sides and all events", () => {
    // 10 of 10 new rows are "b" and 0 of 10 training rows: one table of C(20, 10) is as extreme on this side. There are three events: a, b, missing.
    const { p, distance } = testWindow(levels(0, 10, 0), 10, { missing: 0, counts: [0, 10] });
    expect(p).toBeCloseTo((2 * 3) / 184_756, 12);
    expect(distance).toBe(1);
  });

  it("has a p-value that is one: at most α of all windows from the training distribution have p ≤ α", () => {
    // Training and window of 8 rows each, three levels: all outcomes by enumeration, at several distributions.
    const shares = [
      [0.5, 0.3, 0.2],
      [0.9, 0.05, 0.05],
      [0.34, 0.33, 0.33],
    ];
    const outcomes: number[][] = [];
    for (let a = 0; a <= 8; a++) for (let b = 0; a + b <= 8; b++) outcomes.push([a, b, 8 - a - b]);
    const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
    for (const share of shares) {
      const chance = (counts: readonly number[]) =>
        counts.reduce((product, count, k) => (product * share[k] ** count) / factorial(count), factorial(8));
      for (const alpha of [0.3, 0.1, 0.01]) {
        let total = 0;
        for (const ours of outcomes) {
          for (const theirs of outcomes) {
            const { p } = testWindow(levels(0, ...ours), 8, { missing: 0, counts: theirs });
            if (p <= alpha) total += chance(ours) * chance(theirs);
          }
        }
        expect(total).toBeLessThanOrEqual(alpha);
      }
    }
  });

  it("says nothing about columns without cells, and takes a column that was always missing", () => {
    expect(testWindow(levels(10, 0, 0), 10, { missing: 64, counts: [0, 0] })).toEqual({
      distance: 0,
      p: 1,
      relevant: false,
    });
    const filled = testWindow(levels(1000, 0, 0), 1000, { missing: 0, counts: [0, 64] });
    expect(filled.relevant).toBe(true);
    expect(filled.p).toBeLessThan(1e-20);
  });
});
