import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, wrap } from "#vouch/process/terminal.js";

describe("wrapped text", () => {
  it("breaks at spaces, with an indent of its own for further lines", () => {
    expect(wrap("one two three four", 9)).toBe("one two\nthree\nfour");
    expect(wrap("one two three", 9, "- ", "    ")).toBe("- one two\n    three");
    expect(wrap("first\nsecond line", 80, "  ")).toBe("  first\n  second line");
  });

  it("keeps longer words whole", () => {
    expect(wrap("a extraordinarily b", 6)).toBe("a\nextraordinarily\nb");
  });

  it("does not separate a number from its percent sign", () => {
    expect(wrap("an error of 4.4% here", 15)).toBe("an error of\n4.4% here");
  });

  it("keeps all words in order, on lines that are short enough", () => {
    const words = fc.array(fc.stringMatching(/^[^\s%]{1,10}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 60 }), (given, columns) => {
        const lines = wrap(given.join(" "), columns, " ", "  ").split("\n");
        expect(lines.flatMap((line) => line.trim().split(" "))).toEqual(given);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe("printable text", () => {
  it("has no control characters", () => {
    expect(printable("a\n\tb\u001b[31mc")).toBe("a b␛[31mc");
    expect(printable("user\u202egnp.exe\u009b")).toBe("user\\u{202e}gnp.exe\\u{9b}");
    expect(printable("größer ≤ 𝒟")).toBe("größer ≤ 𝒟");
  });
});
