import { describe, expect, it } from "vitest";
import { describeHoldout } from "#views/panels/columns/data-summary.js";

const heldOut = { rows: 400, errors: 80 };

describe("how the rows were split", () => {
  it.each([
    ["random", "400 rows were held out for testing, drawn at random."],
    ["stratified", "by class (stratified)"],
    ["time", "the latest ones by “when”"],
    ["separate", "tested on 400 separate rows"],
  ] as const)("is said for %s", (drawn, words) => {
    expect(describeHoldout({ split: { drawn, time: "when" }, heldOut })).toContain(words);
  });

  it("counts groups", () => {
    const groups = [
      { rows: 10, errors: 2, groups: 30 },
      { rows: 20, errors: 4, groups: 5 },
    ];
    const words = describeHoldout({
      split: { drawn: "groups", group: "patient" },
      heldOut: { ...heldOut, groups },
    });
    expect(words).toContain(
      "all rows of 35 groups, drawn at random. Rows with the same “patient” are a group",
    );
  });

  it("is said if nothing was held out", () => {
    expect(describeHoldout({})).toBe("No rows were held out for testing.");
  });
});
