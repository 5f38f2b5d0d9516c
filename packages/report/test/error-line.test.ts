import { describe, expect, it } from "vitest";
import { errorAxisEnd, errorLine, errorMarks } from "#report/error-line.js";
import { certificate } from "./example-report.js";
import { numbers, parsed } from "./parsed.js";

describe("the lines of measured and certified errors", () => {
  it("are the measured errors, the mean of the folds and the bounds", () => {
    const marks = errorMarks({ train: 0.01, test: 0.1, folds: [0.1, 0.2, 0.6] }, { rows: 20, errors: 2 }, [
      certificate({ value: 0.3 }),
    ]);
    expect(marks.map(({ kind, value }) => [kind, value])).toEqual([
      ["measured", 0.01],
      ["measured", expect.closeTo(0.3, 12)],
      ["measured", 0.1],
      ["certified", 0.3],
    ]);
    expect(marks[2].label).toBe("Held-out rows: 2 errors in 20");
    expect(marks.map(({ interval }) => interval !== undefined)).toEqual([false, false, true, false]);
  });

  it("leave out what is not a number and certificates that guarantee nothing", () => {
    const useless = [
      certificate({ name: "vacuous", value: 1.2 }),
      certificate({ name: "endless", value: Number.POSITIVE_INFINITY }),
      certificate({ name: "broken", value: 0.1, holds: false }),
    ];
    expect(errorMarks({ train: Number.NaN, test: Number.NaN, folds: [] }, undefined, useless)).toEqual([]);
    expect(errorLine({ train: 0.1 }, undefined, useless).text).toContain(
      "give no guarantee here: vacuous, endless, broken",
    );
  });

  it("leave the small ones room: a bound four times as large as the smallest is cut", () => {
    const bounds = [certificate({ value: 0.1 }), certificate({ value: 0.4 }), certificate({ value: 0.41 })];
    const marks = errorMarks({ train: 0.02 }, undefined, bounds);
    expect(errorAxisEnd(marks)).toBe(0.4);
    expect(errorAxisEnd(errorMarks({ train: 0.7 }, undefined, bounds))).toBe(0.7);
    expect(errorAxisEnd(errorMarks({ train: 0 }, undefined, []))).toBe(0.01);
    const figure = parsed(errorLine({ train: 0.02 }, undefined, bounds).text);
    expect(figure.querySelectorAll('.wide [aria-label="tick"] line')).toHaveLength(2);
    expect(figure.body.textContent).toContain("→ ≤ 41.0");
  });

  it("are drawn in proportion", () => {
    const figure = parsed(errorLine({ train: 0, test: 0.1 }, undefined, [certificate({ value: 0.4 })]).text);
    const [zero, measured] = numbers(figure, ".wide circle", "cx");
    const [bound] = numbers(figure, '.wide [aria-label="tick"] line', "x1");
    expect((measured - zero) / (bound - zero)).toBeCloseTo(0.25, 6);
  });
});
