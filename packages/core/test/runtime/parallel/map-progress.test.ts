import fc from "fast-check";
import { expect, it } from "vitest";
import { MapProgress } from "#core/runtime/parallel/executor.js";

it("adds the fractions of running tasks to the tasks that are done", () => {
  const seen: [number, number, string | undefined][] = [];
  const progress = new MapProgress(3, (done, total, note) => seen.push([done, total, note]));
  progress.advance(0, 0.25, "first");
  progress.advance(1, 0.5);
  progress.complete(0);
  expect(seen).toEqual([
    [0.25, 3, "first"],
    [0.75, 3, undefined],
    [1.5, 3, undefined],
  ]);
});

it("never decreases, stays within the total and ends at it, whatever tasks report", () => {
  const report = fc.record({ task: fc.nat(4), fraction: fc.double() });
  fc.assert(
    fc.property(fc.array(report), (reports) => {
      const seen: number[] = [0];
      const progress = new MapProgress(5, (done) => seen.push(done));
      for (const { task, fraction } of reports) progress.advance(task, fraction);
      for (let task = 0; task < 5; task++) progress.complete(task);
      for (let i = 1; i < seen.length; i++) expect(seen[i]).toBeGreaterThanOrEqual(seen[i - 1]);
      expect(Math.max(...seen)).toBe(5);
      expect(seen.at(-1)).toBe(5);
    }),
  );
});

it("does not decrease by a rounding error", () => {
  const seen: number[] = [];
  const progress = new MapProgress(3, (done) => seen.push(done));
  progress.complete(0);
  // (1 + x) + 1 is rounded twice and exceeds 2 + x.
  progress.advance(1, 1.3 * 2 ** -51);
  progress.advance(2, 1);
  progress.complete(2);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
});

it("counts tasks by their sizes, and ends at the total", () => {
  const seen: number[] = [];
  const progress = new MapProgress(3, (done) => seen.push(done), [7, 2, 1]);
  progress.advance(1, 0.5);
  progress.complete(0);
  progress.complete(2);
  progress.complete(1);
  expect(seen.map((done) => Math.round(100 * done) / 100)).toEqual([0.3, 2.4, 2.7, 3]);
  expect(seen.at(-1)).toBe(3);
});
