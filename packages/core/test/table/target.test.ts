import { describe, expect, it } from "vitest";
import { Table } from "#core/table/table.js";
import { chooseTarget, labelled, labelsFor } from "#core/table/target.js";
import { fault } from "../fault.js";

const withTarget = (y: (string | number | null)[]) =>
  Table.fromColumns("d.csv", { x: y.map((_, i) => i), y });

describe("chooseTarget", () => {
  it("takes the given column, else label, else the last", () => {
    const table = Table.fromColumns("t", { a: [1], label: [1], b: [1] });
    expect(chooseTarget(table, "a")).toBe("a");
    expect(chooseTarget(table)).toBe("label");
    expect(chooseTarget(table.without(["label"]))).toBe("b");
  });

  it.each([
    [["Survived", "Pclass", "Embarked"], "Survived"],
    [["status", "collections_letter_sent"], "status"],
    [["Class", "Sex", "Survived"], "Survived"],
    [["default", "y", "x1"], "y"],
    [["isFraud", "isFlaggedFraud"], "isFraud"],
    [["Is Late", "region"], "Is Late"],
    [["is_late", "is_paid", "region"], "region"],
    [["Churn Label", "Churn Value", "city"], "Churn Label"],
    [["default payment next month", "sex"], "default payment next month"],
    [["marital_status", "kind"], "kind"],
    [["LABEL", "target", "class"], "LABEL"],
    [["x", "y", "kind"], "kind"],
  ])("guesses by names of columns with classes: %j", (names, target) => {
    const columns = Object.fromEntries(
      names.map((name, j) => [name, [0, 1, 0, 1, 1].map((v) => (v + j) % 2)]),
    );
    expect(chooseTarget(Table.fromColumns("t", columns))).toBe(target);
  });

  it("does not take a telling name for the target unless its values look like classes", () => {
    const rows = 120;
    const column = (value: (i: number) => number | string) =>
      Array.from({ length: rows }, (_, i) => value(i));
    const kind = column((i) => ["a", "b", "c"][i % 3]);
    for (const status of [
      column((i) => i / 7),
      column((i) => `order ${i}`),
      column((i) => i % 51),
      column(() => "open"),
    ]) {
      const table = Table.fromColumns("t", { status, size: column((i) => i / 3), kind });
      expect(chooseTarget(table)).toBe("kind");
    }
  });

  it("names columns with classes if the chosen one has none", () => {
    const rows = Array.from({ length: 60 }, (_, i) => i);
    const table = Table.fromColumns("t", {
      survived: rows.map((i) => i % 2),
      sex: rows.map((i) => (i % 3 ? "m" : "f")),
      cabin: rows.map((i) => `C${i}`),
    });
    expect(fault(() => labelled(table, "cabin")).hint).toContain('with --target, such as "survived", or');
    expect(fault(() => labelled(table.without(["survived"]), "cabin")).hint).toContain('such as "sex"');
  });

  it("rejects an unknown column, and a table without columns", () => {
    const table = Table.fromColumns("t", { species: [1] });
    const error = fault(() => chooseTarget(table, "specie"));
    expect(error.code).toBe("data/no-target");
    expect(error.hint).toContain('"species"');
    expect(fault(() => chooseTarget(new Table("t", 0, []))).code).toBe("data/empty");
  });
});

describe("labelled", () => {
  it("sorts text classes by code point and drops the target from the features", () => {
    const { features, classes, labels, target } = labelled(withTarget(["b", "a", "b"]), "y");
    expect(features.columns.map((column) => column.name)).toEqual(["x"]);
    expect(target).toBe("y");
    expect(classes).toEqual(["a", "b"]);
    expect(labels).toEqual(Int32Array.of(1, 0, 1));
  });

  it("sorts numeric classes by value and names them by their shortest form", () => {
    const numeric = labelled(withTarget([10, 2, -1, 10]), "y");
    expect(numeric.classes).toEqual(["-1", "2", "10"]);
    expect(numeric.labels).toEqual(Int32Array.of(2, 1, 0, 2));
    const text = labelled(withTarget(["10", "2", "+1", "-1"]), "y");
    expect(text.classes).toEqual(["-1", "+1", "2", "10"]);
    expect(text.labels).toEqual(Int32Array.of(3, 2, 1, 0));
  });

  it("does not count levels that no row has", () => {
    const table = withTarget(["a", "b", "c"]).select([0, 1]);
    expect(labelled(table, "y").classes).toEqual(["a", "b"]);
  });

  it.each([
    ["text", ["a", null, "b", null]],
    ["numbers", [0, null, 1, null]],
  ])("leaves out rows without a label and says so: %s", (_, y) => {
    const { features, labels, notices } = labelled(withTarget(y), "y");
    expect(labels).toEqual(Int32Array.of(0, 1));
    expect(features.column("x")).toMatchObject({ values: Float64Array.of(0, 2) });
    expect(notices).toEqual(["2 rows without a label left out."]);
  });

  it("rejects data without labels, with one class, without features, without rows, or with infinite labels", () => {
    expect(fault(() => labelled(withTarget([null, null]), "y")).code).toBe("data/missing-target");
    const one = fault(() => labelled(withTarget(["yes", "yes", null]), "y"));
    expect(one.code).toBe("data/one-class");
    expect(one.message).toContain('"yes"');
    expect(fault(() => labelled(withTarget(["a", "b"]).without(["x"]), "y")).code).toBe("data/no-features");
    expect(fault(() => labelled(withTarget(["a", "b"]).select([]), "y")).code).toBe("data/no-rows");
    expect(fault(() => labelled(withTarget([0, Number.POSITIVE_INFINITY]), "y")).code).toBe(
      "data/not-finite",
    );
  });

  it("rejects quantities", () => {
    const fractional = fault(() => labelled(withTarget([1, 2.5, 1]), "y"));
    expect(fractional.code).toBe("data/not-classes");
    expect(fractional.message).toContain("2.5 in row 2");
    const upTo = (n: number, classes: number) => withTarget(Array.from({ length: n }, (_, i) => i % classes));
    expect(fault(() => labelled(upTo(30, 16), "y")).code).toBe("data/not-classes");
    expect(labelled(upTo(30, 15), "y").classes).toHaveLength(15);
    expect(labelled(upTo(20, 20), "y").classes).toHaveLength(20);
    expect(fault(() => labelled(upTo(5000, 1000), "y")).code).toBe("data/not-classes");
    expect(labelled(upTo(5000, 999), "y").classes).toHaveLength(999);
  });

  const texts = (rows: number, values: readonly string[]) =>
    withTarget(Array.from({ length: rows }, (_, i) => values[i % values.length]));
  const numbers = (count: number, step: number) => Array.from({ length: count }, (_, i) => String(i * step));

  it.each([
    ["1001 different numbers", texts(5000, numbers(1001, 1)), "1,001 different values in 5,000 rows"],
    ["other numbers in most rows", texts(30, numbers(16, 1)), "16 different values in 30 rows"],
    ["many fractions", texts(1000, numbers(51, 0.5)), "51 different values in 1,000 rows, such as 0.5"],
  ])("rejects quantities that were read as text: %s", (_, table, evidence) => {
    const { code, message } = fault(() => labelled(table, "y"));
    expect(code).toBe("data/not-classes");
    expect(message).toBe(
      `d.csv: column "y" looks like a quantity (${evidence}), but vouch predicts classes.`,
    );
  });

  it.each([
    ["numbers", 999, texts(5000, numbers(999, 1))],
    ["a few fractions", 50, texts(1000, numbers(50, 0.5))],
    ["ratings", 3, texts(30, ["0.5", "1.0", "1.5"])],
    ["a number for each of a few rows", 20, texts(20, numbers(20, 0.1))],
    ["text, one of which is not a number", 1001, texts(5000, [...numbers(1000, 0.5), "none"])],
    [
      "ten thousand names",
      10_000,
      texts(
        20_000,
        Array.from({ length: 10_000 }, (_, i) => `name ${i}`),
      ),
    ],
  ])("accepts text as classes: %s", (_, count, table) => {
    expect(labelled(table, "y").classes).toHaveLength(count);
  });

  it("rejects more than 10,000 classes", () => {
    const names = Array.from({ length: 10_001 }, (_, i) => `name ${i}`);
    const error = fault(() => labelled(texts(30_000, names), "y"));
    expect(error.code).toBe("data/not-classes");
    expect(error.message).toContain('"y" has 10,001 different values in 30,000 rows');
  });

  it("rejects text that differs in nearly every row", () => {
    const names = withTarget(Array.from({ length: 30 }, (_, i) => `row ${i}`));
    expect(fault(() => labelled(names, "y")).code).toBe("data/not-classes");
  });
});

describe("labelsFor", () => {
  const schema = { target: "y", classes: ["-1", "1", "10"] };

  it("returns class indices of training, −1 for unknown classes, and leaves out rows without a label", () => {
    const { labels, features, notices } = labelsFor(withTarget([10, -1, 7, null, 7]), schema);
    expect(labels).toEqual(Int32Array.of(2, 0, -1, -1));
    expect(features.rows).toBe(4);
    expect(notices).toEqual([
      "1 row without a label left out.",
      '2 rows of 1 class that the model does not know, such as "7", counted as errors.',
    ]);
  });

  it("matches text to numbers by value", () => {
    expect(labelsFor(withTarget(["+1", "-1.0", "1e1"]), schema).labels).toEqual(Int32Array.of(1, 0, 2));
    const ambiguous = { target: "y", classes: ["1", "1.0"] };
    expect(labelsFor(withTarget(["1.0", "1", "+1"]), ambiguous).labels).toEqual(Int32Array.of(1, 0, -1));
  });

  it("rejects data without labels", () => {
    expect(fault(() => labelsFor(withTarget([1]).without(["y"]), schema)).code).toBe("data/no-target");
    expect(fault(() => labelsFor(withTarget([null]), schema)).code).toBe("data/missing-target");
    expect(fault(() => labelsFor(withTarget([1]).select([]), schema)).code).toBe("data/no-rows");
  });

  it("accepts a single class, and treats fractional labels as unknown", () => {
    expect(labelsFor(withTarget([1, 1]), schema).labels).toEqual(Int32Array.of(1, 1));
    expect(labelsFor(withTarget([1, 0.5]), schema).labels).toEqual(Int32Array.of(1, -1));
  });
});
