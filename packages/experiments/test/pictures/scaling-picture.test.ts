import { expect, test } from "vitest";
import { scalingPicture } from "#experiments/pictures/scaling-picture.js";

test("the picture of speed-ups names each work with its speed-up on most threads, in words too", () => {
  const work = (name: string, ...seconds: number[]) => ({
    name,
    times: seconds.map((own, k) => ({ threads: 2 ** k, seconds: own })),
  });
  const svg = scalingPicture([work("forest & co.", 8, 4, 2.5), work("svm", 3, 3, 4)], "Speed-up");
  expect(svg).toMatch(/^<svg /);
  expect(svg).toContain("forest &amp; co.: 3.2 times as fast on 4 threads.");
  // Slower with threads is at the bottom, not below it.
  expect(svg).toContain("svm: 0.8 times as fast on 4 threads.");
  expect(svg).toContain("0.8×  svm");
  expect(svg).not.toMatch(/NaN|undefined/);
});
