import { describe, expect, it } from "vitest";
import type { Encoding } from "#core/encode/encoder.js";
import { fitEncoder, restoreEncoder } from "#core/encode/fit-encoder.js";
import { encodingPremise } from "#core/encode/learned-encoding.js";
import { Table } from "#core/table/table.js";

const target = { target: "y", classes: ["a", "b"] };
const rows = Table.fromColumns("t", {
  whole: [1, 2, 3, 4],
  gaps: [1, null, 3, 5],
  flagOnly: [7, null, 7, 7],
  zeros: [0, 0, 0, null],
  mostlyZero: [0, 0, 0, 5],
  zerosAndGap: [0, 0, null, 5],
  colour: ["red", "blue", "red", "green"],
  two: ["p", "q", "p", "q"],
});
const numbers = Table.fromColumns("t", { whole: [1, 2, 3, 4], mostlyZero: [0, 0, 0, 5] });

const numeric = (standardise: boolean | "keep-zeros"): Encoding => ({ kind: "numeric", standardise });

describe("encodingPremise", () => {
  it.each<[Encoding, string[]]>([
    [numeric(true), ["gaps", "zerosAndGap"]],
    [numeric(false), ["gaps", "zerosAndGap"]],
    // Missing cells of a column whose zeros are kept become 0.
    [numeric("keep-zeros"), ["gaps"]],
    [{ kind: "binned", maxBins: 255 }, []],
    [{ kind: "binned", maxBins: 2 }, []],
  ])("names the columns of an encoder, fitted or restored: %j", (encoding, filled) => {
    const encoder = fitEncoder(rows, target, encoding);
    const expected = { holds: false, categories: ["colour", "two"], filled, words: [], dates: [] };
    expect(encodingPremise(encoder)).toEqual(expected);
    expect(encodingPremise(restoreEncoder(encoder.toState()))).toEqual(expected);
  });

  it.each<Encoding>([numeric(true), numeric("keep-zeros"), { kind: "binned", maxBins: 3 }])(
    "holds for numbers without missing cells: %j",
    (encoding) => {
      const encoder = fitEncoder(numbers, target, encoding);
      expect(encodingPremise(encoder)).toEqual({
        holds: true,
        categories: [],
        filled: [],
        words: [],
        dates: [],
      });
    },
  );

  it("is right about filled cells: they have the mean of the others", () => {
    const encoder = fitEncoder(rows, target, { kind: "numeric", standardise: false });
    const gaps = encoder.featureNames.indexOf("gaps");
    expect(encoder.encode(rows).row(1)[gaps]).toBe(3);
  });
});
