import { describe, expect, it } from "vitest";
import { inNaturalOrder, numberOf, shortestDecimal } from "#core/table/number-text.js";

describe("inNaturalOrder", () => {
  it("orders numbers by value", () => {
    expect(inNaturalOrder(["10", "2", "1e3", "-3"])).toEqual(["-3", "2", "10", "1e3"]);
    expect(inNaturalOrder(["+1", "-1"])).toEqual(["-1", "+1"]);
  });

  it("orders anything else by code point, also beyond the basic plane", () => {
    expect(inNaturalOrder(["b", "10", "2", "B"])).toEqual(["10", "2", "B", "b"]);
    // U+1F600 is above U+FF5E, although its first UTF-16 unit is below.
    expect(inNaturalOrder(["\u{1F600}", "\uFF5E", "z"])).toEqual(["z", "\uFF5E", "\u{1F600}"]);
    expect(inNaturalOrder(["ab", "a", ""])).toEqual(["", "a", "ab"]);
  });

  it("does not depend on the order in which names come", () => {
    expect(inNaturalOrder(["1.0", "1", "+1"])).toEqual(inNaturalOrder(["+1", "1", "1.0"]));
  });
});

describe("numberOf", () => {
  it.each([
    ["+1", 1],
    [" 2.50 ", 2.5],
    [".5", 0.5],
    ["-1e3", -1000],
  ])("reads %s", (text, value) => {
    expect(numberOf(text)).toBe(value);
  });

  it.each(["", " ", "0x10", "Infinity", "1e999", "1,5", "nan", "1 2", "--1"])("does not read %j", (text) => {
    expect(numberOf(text)).toBeNaN();
  });
});

it("reads long runs of digits in no time", () => {
  expect(numberOf(`${"1".repeat(200_000)}x`)).toBeNaN();
});

describe("shortestDecimal", () => {
  it("takes the precision of the column into account", () => {
    expect(shortestDecimal(0.1)).toBe("0.1");
    expect(shortestDecimal(Math.fround(0.1), true)).toBe("0.1");
    expect(shortestDecimal(Math.fround(16777217), true)).toBe("16777216");
    expect(shortestDecimal(-0)).toBe("0");
    expect(shortestDecimal(3)).toBe("3");
  });
});
