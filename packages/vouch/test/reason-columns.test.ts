import { expect, it } from "vitest";
import { reasonColumns } from "#vouch/format/reason-columns.js";

it("writes the strongest reasons of a row in words, and nothing for columns without effect", () => {
  const row = {
    of: "Yes",
    unit: "log-odds" as const,
    base: 0,
    score: 0.7,
    reasons: [
      { column: "tenure", value: "2", contribution: 0.42 },
      {
        column: "note",
        value: "not bad, but I want a refund",
        contribution: 0.4,
        words: [
          { word: "bad", contribution: -0.5 },
          { word: "refund", contribution: 0.314 },
        ],
      },
      { column: "plan", value: "monthly", contribution: -0.12 },
      { column: "age", value: "(missing)", contribution: 0 },
    ],
  };
  const columns = reasonColumns([row], 5);
  expect(columns.map(({ name }) => name)).toEqual([
    "reason:1",
    "reason:2",
    "reason:3",
    "reason:4",
    "reason:5",
  ]);
  expect(columns.map(({ cell }) => cell(0))).toEqual([
    "tenure=2 (+0.42)",
    'note contains "refund" (+0.31)',
    "plan=monthly (-0.12)",
    null,
    null,
  ]);
});
