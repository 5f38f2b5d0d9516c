import { describe, expect, it } from "vitest";
import { shortened, unbroken } from "#views/text/text.js";

describe("a shortened text", () => {
  it("is the text itself, or its beginning with an ellipsis, of so many characters", () => {
    expect(shortened("setosa", 6)).toBe("setosa");
    expect(shortened("versicolor", 6)).toBe("versi…");
    expect(shortened("", 3)).toBe("");
  });

  it("does not break emoji and accents", () => {
    expect(shortened("👩‍👩‍👧‍👦👍🏽é́xyz", 3)).toBe("👩‍👩‍👧‍👦👍🏽…");
  });

  it("is quick and short for huge texts", () => {
    expect(shortened("x".repeat(1e6), 5)).toBe("xxxx…");
    expect(shortened(`a${"\u0301".repeat(1e6)}`, 5).length).toBeLessThan(100);
  });
});

describe("an unbroken text", () => {
  it("keeps percentages, powers of ten and p-values on one line", () => {
    expect(unbroken("3 × 4, mean 1.35 × 10⁻¹¹, 14.6% (p < 0.001)")).toBe(
      "3 × 4, mean 1.35\u00a0×\u00a010⁻¹¹, 14.6% (p\u00a0<\u00a00.001)",
    );
  });
});
