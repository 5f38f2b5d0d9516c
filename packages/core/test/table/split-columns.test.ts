import { describe, expect, it } from "vitest";
import { timeOfText } from "#core/table/date-text.js";
import { Table } from "#core/table/table.js";
import { chooseTarget, labelled, labelsFor, selectRows } from "#core/table/target.js";
import { fault } from "../fault.js";

const y = ["a", "b", "a", null, "b"];
const x = [1, 2, 3, 4, 5];
const withColumn = (name: string, cells: readonly (string | number | null)[]) =>
  Table.fromColumns("t.csv", { x, [name]: cells, y });

describe("timeOfText", () => {
  it("reads dates and date-times of ISO 8601", () => {
    for (const [text, same] of [
      ["2024-03-01", "2024-03-01T00:00:00.000Z"],
      ["2024/03/01", "2024-03-01T00:00:00.000Z"],
      ["2024-03", "2024-03-01T00:00:00.000Z"],
      ["2024-03-01T12:00:00Z", "2024-03-01T12:00:00.000Z"],
      ["2024-03-01 12:00", "2024-03-01T12:00:00.000Z"],
      [" 2024-03-01T12:00:30.25+01:30 ", "2024-03-01T10:30:30.250Z"],
      ["2024-03-01 12:00:00-0800", "2024-03-01T20:00:00.000Z"],
      ["0099-12-31", "0099-12-31T00:00:00.000Z"],
    ]) {
      expect(new Date(timeOfText(text)).toISOString()).toBe(same);
    }
  });

  it("does not guess", () => {
    for (const text of [
      "03/01/2024",
      "1.3.2024",
      "2024-3-1",
      "2024-13-01",
      "2023-02-29",
      "2024-03/01",
      "2024-03-01 25:00",
      "2024",
      "March 2024",
      "",
    ]) {
      expect(timeOfText(text)).toBeNaN();
    }
  });
});

describe("labelled with a group column", () => {
  it("takes it out of the features and numbers the groups", () => {
    const data = labelled(withColumn("who", ["p", "q", "p", "q", "r"]), "y", { group: "who" });
    expect(data.features.columns.map(({ name }) => name)).toEqual(["x"]);
    expect(data.groups).toEqual(Int32Array.of(0, 1, 0, 2));
    expect(data.groupNames).toEqual(["p", "q", "r"]);
    expect(data.notices).toEqual([
      'Column "who" is not used as a feature: it groups the rows.',
      "1 row without a label left out.",
    ]);
  });

  it("counts each row without a group as one of its own", () => {
    for (const cells of [
      ["p", null, "p", "q", null],
      [7, null, 7, 8, null],
    ]) {
      const { groups, notices } = labelled(withColumn("who", cells), "y", { group: "who" });
      const [one, two, again, three] = groups ?? [];
      expect([one, new Set([one, two, three]).size]).toEqual([again, 3]);
      expect(notices.at(-1)).toBe("2 rows have no group: each counts as a group of its own.");
    }
  });

  it("selects groups and times with the rows", () => {
    const byGroup = labelled(withColumn("who", ["p", "q", "p", "q", "r"]), "y", { group: "who" });
    expect(selectRows(byGroup, Int32Array.of(3, 1)).groups).toEqual(Int32Array.of(2, 1));
    const byTime = labelled(withColumn("when", [5, 4, 3, 2, 1]), "y", { time: "when" });
    expect(selectRows(byTime, Int32Array.of(3, 1)).times).toEqual(Float64Array.of(1, 4));
  });

  it("reads the groups of other rows if they have the column", () => {
    const data = labelled(withColumn("who", ["p", "q", "p", "q", "r"]), "y", { group: "who" });
    const others = labelsFor(withColumn("who", ["z", "z", "p", "q", "q"]), data);
    expect(others.features.has("who")).toBe(false);
    expect(others.groups).toEqual(Int32Array.of(0, 0, 1, 2));
    expect(labelsFor(withColumn("other", [1, 2, 3, 4, 5]), data).groups).toBeUndefined();
  });
});

describe("labelled with a time column", () => {
  it("reads numbers and dates", () => {
    const numbers = labelled(withColumn("when", [3, 1, 2, 0, 9]), "y", { time: "when" });
    expect(numbers.times).toEqual(Float64Array.of(3, 1, 2, 9));
    expect(numbers.features.has("when")).toBe(false);
    const dates = ["2024-03-01", "2023-12-31", "2024-03-01", "2020-01-01", "2024-02"];
    const { times = [] } = labelled(withColumn("when", dates), "y", { time: "when" });
    expect(times[1] < times[3] && times[3] < times[0] && times[0] === times[2]).toBe(true);
  });

  it("names the first cell that is not a time, and how many are missing", () => {
    const dates = ["2024-03-01", "2024-03-01", "31.12.2023", "2024-03-01", "soon"];
    const odd = fault(() => labelled(withColumn("when", dates), "y", { time: "when" }));
    expect(odd.message).toBe('t.csv, row 3, column "when": "31.12.2023" is not a time.');
    expect(odd.hint).toContain("2024-03-01");
    const missing = fault(() => labelled(withColumn("when", [1, null, 2, 3, 4]), "y", { time: "when" }));
    expect(missing.message).toBe('t.csv, column "when": 1 of 4 rows has no time.');
    // A row without a label is left out, and so is its missing time.
    expect(labelled(withColumn("when", [1, 5, 2, null, 4]), "y", { time: "when" }).times).toHaveLength(4);
  });
});

describe("group and time columns", () => {
  const table = withColumn("who", ["p", "q", "p", "q", "r"]);

  it("must exist, must not be the target, and exclude each other", () => {
    const unknown = fault(() => labelled(table, "y", { group: "whom" }));
    expect([unknown.code, unknown.message, unknown.hint]).toEqual([
      "data/missing-column",
      't.csv has no group column "whom".',
      'Did you mean "who"?',
    ]);
    expect(fault(() => labelled(table, "y", { time: "y" })).message).toBe(
      'Column "y" is the target, so it cannot be the time.',
    );
    expect(fault(() => labelled(table, "y", { group: "who", time: "x" })).message).toBe(
      "Use only one of group and time.",
    );
    const alone = fault(() => labelled(table.without(["x"]), "y", { group: "who" }));
    expect(alone.message).toBe('t.csv has no column except the target "y" and "who".');
  });

  it("are not the target by default", () => {
    expect(chooseTarget(table, undefined, { group: "y" })).toBe("who");
    expect(chooseTarget(table, undefined, { group: "who" })).toBe("y");
  });
});
