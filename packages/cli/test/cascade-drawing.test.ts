import { expect, test } from "vitest";
import { cascadeLines } from "#cli/cascade-drawing.js";

const leaf = {
  classifier: "polynomial of degree 2, scale 1",
  C: 0.5,
  right: 9,
  wrong: 1,
  penalty: 0.01,
  share: 0.45,
};

test("a single leaf is one classifier and how it does", () => {
  expect(cascadeLines({ ...leaf, points: 10, active: "penalty" })).toEqual([
    "10 points: polynomial of degree 2, scale 1, C 0.5",
    "right 9, wrong 1; pays its penalty 0.01, less than its share 0.45",
  ]);
});

test("gates are branches: what stays first, then what goes on, and so on", () => {
  const { C: _, ...perceptron } = leaf;
  const inner = {
    points: 8,
    question: { asks: "distance ≤ 0.1", threshold: 0.1 },
    fraction: 0.5,
    stay: { ...perceptron, points: 4, active: "share of points", penalty: 0.6 },
    on: { ...leaf, points: 4, active: "penalty" },
  };
  const lines = cascadeLines({
    points: 20,
    question: { asks: "distance ≤ 0.3", threshold: 0.3 },
    fraction: 0.4,
    stay: { ...leaf, points: 12, active: "penalty" },
    on: inner,
  });
  expect(lines).toEqual([
    "20 points: distance ≤ 0.3 goes on (fraction 0.4)",
    "├─ 12 stay: polynomial of degree 2, scale 1, C 0.5",
    "│  right 9, wrong 1; pays its penalty 0.01, less than its share 0.45",
    "└─ 8 go on: distance ≤ 0.1 goes on (fraction 0.5)",
    "   ├─ 4 stay: polynomial of degree 2, scale 1",
    "   │  right 9, wrong 1; pays its share 0.45, not more than its penalty 0.6",
    "   └─ 4 go on: polynomial of degree 2, scale 1, C 0.5",
    "      right 9, wrong 1; pays its penalty 0.01, less than its share 0.45",
  ]);
});
