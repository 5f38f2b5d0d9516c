import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VouchError } from "vouch";
import { conciseText } from "#core/runtime/text/shorten.js";

const long = "x".repeat(100_000);

describe("a text that is shown", () => {
  it("quotes at most 60 characters of a name, and says the rest in full", () => {
    expect(conciseText(`"${long}" is not a class.`)).toBe(`"${"x".repeat(59)}…" is not a class.`);
    expect(conciseText(`row 3, column "${long}": "${long}" is not a number.`)).toBe(
      `row 3, column "${"x".repeat(59)}…": "${"x".repeat(59)}…" is not a number.`,
    );
  });

  it("is as it was if its names are short, whatever they contain", () => {
    const text = `"a"b" is not a class of the model, which has some classes of other names, as the hint says, such as "c"d".`;
    expect(conciseText(text)).toBe(text);
  });

  it("keeps beginning and end of a text that is long for other reasons", () => {
    const short = conciseText(`Cannot read ${long}: the file does not exist.`);
    expect(short).toMatch(/^Cannot read x+ … x+: the file does not exist\.$/);
  });

  it("has at most 800 characters, and no half ones", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 300, maxLength: 2000 }), (text) => {
        const short = conciseText(text);
        expect(short.length).toBeLessThanOrEqual(800);
        expect(short).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });

  it("is the message and the hint of every error", () => {
    const { message, hint } = new VouchError("data/malformed", long, { hint: long });
    expect(message.length).toBeLessThanOrEqual(800);
    expect(hint?.length).toBeLessThanOrEqual(800);
  });
});
