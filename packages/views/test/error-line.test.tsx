import { describe, expect, it } from "vitest";
import { certify, type HeldOut } from "vouch";
import { errorMarks, type MeasuredErrors } from "#views/facts/evaluation/error-marks.js";
import { ErrorLine, errorAxisEnd } from "#views/panels/evaluation/error-line.js";
import { certificate, verdict } from "./example-card.js";
import { numbers, rendered, textOf } from "./rendered.js";

const figureOf = (errors: MeasuredErrors, certificates: Parameters<typeof ErrorLine>[0]["certificates"]) => (
  <ErrorLine errors={errors} certificates={certificates} />
);

/** The lines of held-out rows, with the certificates that the library makes for them. */
function marksOf(heldOut: HeldOut, confidence = 0.95) {
  const certificates = certify({ card: {} }, { heldOut, confidence });
  const error = { train: 0, test: heldOut.errors / heldOut.rows };
  const bounds = new Map(certificates.map(({ name, value }) => [name, value]));
  return { marks: errorMarks({ error, heldOut }, certificates), bounds, certificates };
}

describe("the lines of measured and certified errors", () => {
  it("are the measured errors, the mean of the folds, the baseline and the bounds", () => {
    const marks = errorMarks(
      {
        error: { train: 0.01, test: 0.1, folds: [0.1, 0.2, 0.6] },
        heldOut: { rows: 20, errors: 2 },
        verdict: verdict({ baseline: { class: "No", error: 0.4 } }),
      },
      [certificate({ value: 0.3 })],
    );
    expect(marks.map(({ kind, value }) => [kind, value])).toEqual([
      ["measured", 0.01],
      ["measured", expect.closeTo(0.3, 12)],
      ["measured", 0.1],
      ["baseline", 0.4],
      ["certified", 0.3],
    ]);
    expect(marks[2].label).toBe("Held-out rows: 2 errors in 20");
    expect(marks[3].label).toBe("Always answering “No”");
    expect(marks.map(({ interval }) => interval !== undefined)).toEqual([false, false, true, false, false]);
  });

  it("leave out what is not a number and certificates that guarantee nothing", () => {
    const useless = [
      certificate({ name: "vacuous", value: 1.2, reason: "Vacuous." }),
      certificate({ name: "endless", value: Number.POSITIVE_INFINITY, reason: "Vacuous." }),
      certificate({ name: "broken", value: 0.1, holds: false }),
    ];
    const error = { train: Number.NaN, test: Number.NaN, folds: [] };
    expect(errorMarks({ error }, useless)).toEqual([]);
    expect(textOf(figureOf({ error: { train: 0.1 } }, useless))).toContain(
      "No guarantee here: vacuous, endless, broken",
    );
  });

  it("show no bound on another measure as if it were one on the error", () => {
    const others = [
      certificate({ name: "auc", measure: "auc", bound: "lower", value: 0.6 }),
      certificate({ name: "class-error", measure: "class-error", class: "Yes", value: 0.9 }),
      certificate({ name: "brier", measure: "brier", value: 0.2, holds: false }),
    ];
    const error = { train: 0.1 };
    expect(errorMarks({ error }, others)).toHaveLength(1);
    expect(textOf(figureOf({ error }, others))).not.toMatch(/auc|class-error|brier/);
    expect(errorMarks({ error }, [certificate({ measure: "group-error" })])).toHaveLength(2);
  });

  it("leave the small ones room: a bound four times as large as the smallest is cut, and so is the baseline", () => {
    const bounds = [certificate({ value: 0.1 }), certificate({ value: 0.4 }), certificate({ value: 0.41 })];
    const marks = errorMarks({ error: { train: 0.02 } }, bounds);
    expect(errorAxisEnd(marks)).toBe(0.4);
    expect(errorAxisEnd(errorMarks({ error: { train: 0.7 } }, bounds))).toBe(0.7);
    expect(errorAxisEnd(errorMarks({ error: { train: 0 } }, []))).toBe(0.01);
    const far = { error: { train: 0.02 }, verdict: verdict({ baseline: { class: "M", error: 0.96 } }) };
    expect(errorAxisEnd(errorMarks(far, bounds))).toBe(0.4);
    const figure = rendered(figureOf(far, bounds));
    expect(figure.querySelectorAll('.wide [aria-label="tick"] line')).toHaveLength(2);
    expect(figure.body.textContent).toContain("→ ≤ 41.0");
    expect(figure.body.textContent).toContain("→ 96.0");
  });

  it("are drawn in proportion", () => {
    const figure = rendered(figureOf({ error: { train: 0, test: 0.1 } }, [certificate({ value: 0.4 })]));
    const [zero, measured] = numbers(figure, ".wide circle", "cx");
    const [bound] = numbers(figure, '.wide [aria-label="tick"] line', "x1");
    expect((measured - zero) / (bound - zero)).toBeCloseTo(0.25, 6);
  });
});

describe("the line through a measured error", () => {
  it.each([0.75, 0.95, 0.99])("ends at the bound: it never reaches past it, at %d", (confidence) => {
    const { marks, bounds, certificates } = marksOf({ rows: 400, errors: 80 }, confidence);
    const [lower, upper] = marks[1].interval ?? [];
    expect(upper).toBe(bounds.get("held-out-binomial"));
    // P(X ≥ 80) = δ at the lower end, by symmetry P(400 − X ≤ 320).
    const mirrored = certify({ card: {} }, { heldOut: { rows: 400, errors: 320 }, confidence });
    expect(lower).toBeCloseTo(1 - mirrored[0].value, 12);
    const card = { error: { train: 0, test: 0.2 }, heldOut: { rows: 400, errors: 80 } };
    const figure = rendered(figureOf(card, certificates));
    const end = numbers(figure, '.wide [aria-label="rule"] line', "x2").at(-1);
    expect(numbers(figure, '.wide [aria-label="tick"] line', "x1")).toContain(end);
    expect(figure.body.textContent).toContain(`is a ${Math.round(200 * confidence - 100)}% interval`);
  });

  it("is about new rows if many held-out rows repeat training rows", () => {
    const repeats = { rows: 343, errors: 0, newRows: 228, newErrors: 44, natural: false };
    const { marks, bounds } = marksOf({ rows: 600, errors: 52, repeats });
    const [, repeated, fresh] = marks;
    expect(marks.filter(({ kind }) => kind === "measured")).toHaveLength(3);
    expect([repeated.label, repeated.value]).toEqual(["Repeats of training rows: 0 errors in 343", 0]);
    expect(repeated.interval).toBeUndefined();
    expect(fresh.label).toBe("New rows: 44 errors in 228");
    expect(fresh.interval?.[1]).toBe(bounds.get("held-out-new-rows"));
  });

  it("also stays with all rows if repeats are natural", () => {
    const repeats = { rows: 100, errors: 20, newRows: 280, newErrors: 60, natural: true };
    const { marks } = marksOf({ rows: 400, errors: 80, repeats });
    expect(marks.slice(1, 4).map(({ interval }) => interval !== undefined)).toEqual([true, false, true]);
  });

  it("is about groups if rows come in groups", () => {
    const groups = [
      { rows: 5, errors: 1, groups: 30 },
      { rows: 10, errors: 5, groups: 10 },
    ];
    const { marks, bounds } = marksOf({ rows: 250, errors: 80, groups });
    const [, all, mean] = marks;
    expect(all.interval).toBeUndefined();
    expect(mean.label).toBe("Mean of 40 held-out groups");
    expect(mean.value).toBeCloseTo((30 * 0.2 + 10 * 0.5) / 40, 12);
    const [lower = 1, upper] = mean.interval ?? [];
    expect(upper).toBe(bounds.get("held-out-groups"));
    expect(lower).toBeLessThan(mean.value);
  });

  it("is absent if the certificate does not hold", () => {
    const { marks } = marksOf({ rows: 400, errors: 80, change: "The error changes." });
    expect(marks.map(({ interval }) => interval)).toEqual([undefined, undefined]);
  });
});
