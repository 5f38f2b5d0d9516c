import { boundText } from "@vouch/core/internal/theory/certificate-words";
import { describe, expect, it } from "vitest";
import { certify, type HeldOut } from "vouch";
import { GuaranteeSection } from "#views/panels/verdict/guarantee-section.js";
import { certificate } from "./example-card.js";
import { cells as cellsOf, rendered, texts } from "./rendered.js";

const confusion = {
  classes: ["No", "Yes"],
  matrix: [
    [300, 20],
    [60, 20],
  ],
};
const heldOut: HeldOut = {
  rows: 400,
  errors: 80,
  confusion,
  losses: {
    brier: Float64Array.from({ length: 400 }, (_, i) => (i % 10) / 10),
    brierRange: 2,
    leastProbability: 0.001,
  },
  auc: { value: 0.75, positives: 80, negatives: 320 },
};
const certificates = certify({ card: {} }, { heldOut });

type SectionProps = Parameters<typeof GuaranteeSection>[0];

function sectionOf(shown: SectionProps["certificates"], card: SectionProps["card"]): Document {
  return rendered(<GuaranteeSection certificates={shown} card={card} />);
}

describe("the guarantees", () => {
  it("show one certificate with folded premises, and fold all others in groups", () => {
    const section = sectionOf(certificates, {});
    const open = [...section.querySelectorAll(".certificate")].filter((card) => !card.closest(".group"));
    expect(open.map((card) => card.querySelector("h3")?.textContent)).toEqual(["held-out-binomial"]);
    expect(texts(open[0], ".bound .assumed")).toHaveLength(1);
    expect(open[0].textContent).toContain("✓ checked");
    expect(open[0].textContent).toContain("? assumed");
    expect(texts(section, "details.group > summary > b")).toEqual([
      "1 other bound on the error",
      "Bounds for each of 2 classes",
      "Other measures",
      "If you rely on several bounds",
    ]);
    expect(section.querySelectorAll("details[open]")).toHaveLength(0);
  });

  it("say what holds by itself and what holds together", () => {
    const joint = certificates.filter(({ together }) => together !== undefined);
    const text = sectionOf(certificates, {}).querySelector(".together")?.textContent;
    expect(text).toContain("Each bound holds with 95% confidence by itself.");
    expect(text).toContain(`with these, all ${joint.length} hold at once with 95% confidence`);
    // All but Hoeffding's bound, which is for comparison.
    expect(joint).toHaveLength(certificates.length - 1);
    const [quoted] = certificates;
    const first = sectionOf(certificates, {}).querySelector(".bound")?.textContent?.replaceAll("\u00a0", " ");
    expect(first).toContain(boundText(quoted, quoted.value));
    expect(first).toContain(`${boundText(quoted, quoted.together ?? 0)} all together`);
  });

  it("list error and precision of each class with both values", () => {
    const table = sectionOf(certificates, {}).querySelector(".class-bounds");
    const cells = table ? cellsOf(table) : [];
    expect(cells.map(([name]) => name)).toEqual(["No", "Yes"]);
    const of = (name: string, measure: string) =>
      certificates.find((one) => one.class === name && one.measure === measure);
    const [error, precision] = [of("Yes", "class-error"), of("Yes", "precision")];
    if (!error || !precision) throw new Error("The library makes no certificates of classes.");
    expect(cells[1].slice(1)).toEqual(
      [boundText(error, error.value), boundText(error, error.together ?? 0)]
        .concat([boundText(precision, precision.value), boundText(precision, precision.together ?? 0)])
        .map((bound) => bound.slice(2)),
    );
    expect(Number.parseFloat(cells[1][2])).toBeGreaterThan(Number.parseFloat(cells[1][1]));
    expect(Number.parseFloat(cells[1][4])).toBeLessThan(Number.parseFloat(cells[1][3]));
  });

  it("say why there is none, without a table of dashes", () => {
    const change = "The error changes over time.";
    const section = sectionOf(certify({ card: {} }, { heldOut: { ...heldOut, change } }), {});
    expect(section.querySelector(".certificate")?.textContent).toContain(`No guarantee: ${change}`);
    expect(section.querySelector(".certificate .violated")?.textContent).toContain("✗");
    expect(section.querySelectorAll("table.class-bounds")).toHaveLength(0);
    expect(section.querySelector(".together")).toBeNull();
    expect(sectionOf([], {}).body.textContent).toContain("No certificate: hold rows out");
  });

  it("say that groups count", () => {
    const groups = [{ rows: 10, errors: 2, groups: 40 }];
    const evidence = { rows: 400, errors: 80, groups };
    const section = sectionOf(certify({ card: {} }, { heldOut: evidence }), {
      heldOut: evidence,
      split: { drawn: "groups", group: "patient" },
    });
    expect(section.body.textContent).toContain(
      "Rows with the same “patient” are not independent: each of the 40 held-out groups counts once",
    );
  });
});

describe("a bound in words", () => {
  it("is rounded such that it stays one", () => {
    expect(boundText(certificate(), 0.07001)).toBe("≤ 7.1%");
    expect(boundText(certificate({ measure: "precision", bound: "lower" }), 0.9349)).toBe("≥ 93.4%");
    expect(boundText(certificate({ measure: "auc", bound: "lower" }), 0.61299)).toBe("≥ 0.612");
    expect(boundText(certificate({ measure: "brier" }), 0.1781)).toBe("≤ 0.179");
    expect(boundText(certificate({ measure: "log-loss" }), 1.142)).toBe("≤ 1.15");
    expect(boundText(certificate({ measure: "cost" }), 12.34)).toBe("≤ 12.4");
    expect(boundText(certificate({ measure: "cost" }), 0.07)).toBe("≤ 0.07");
  });
});
