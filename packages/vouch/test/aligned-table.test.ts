import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alignedTable } from "#vouch/format/aligned-table.js";
import { shorten } from "#vouch/process/terminal.js";

const headings = [{ title: "name" }, { title: "size", right: true }, { title: "words", prose: true }];

describe("a table", () => {
  it("sets numbers flush right and text flush left", () => {
    const table = alignedTable(
      [{ title: "a" }, { title: "b" }],
      [
        ["x", 1],
        ["long", 1000],
      ],
    );
    expect(table).toBe("  a        b\n  x        1\n  long  1000");
  });

  it("has no line for titles when all are empty", () => {
    expect(alignedTable([{ title: "" }, { title: "" }], [["a", "b"]])).toBe("  a  b");
  });

  it("shortens the widest text first, wraps prose, and leaves numbers and names whole", () => {
    const rows = [["a-name-that-is-long", "12,345", "some words that go on"]];
    expect(alignedTable(headings, rows, 36)).toBe(
      [
        "  name            size  words",
        "  a-name-that…  12,345  some words",
        "                        that go on",
      ].join("\n"),
    );
    const whole = [{ title: "name", whole: true }, ...headings.slice(1)];
    expect(alignedTable(whole, rows, 42)).toContain("a-name-that-is-long  12,345");
  });

  it("is never wider than allowed, and keeps every word of its prose if there is room", () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/);
    const sentence = fc.array(word, { maxLength: 9 }).map((words) => words.join(" "));
    const row = fc.tuple(fc.string({ maxLength: 30 }), fc.nat().map(String), sentence);
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 40, max: 90 }),
        (rows, columns) => {
          const table = alignedTable(headings, rows, columns);
          for (const line of table.split("\n")) expect([...line].length).toBeLessThanOrEqual(columns);
          for (const [, size, words] of rows) {
            expect(table).toContain(size);
            for (const each of words.split(" ")) expect(table).toContain(each);
          }
        },
      ),
    );
  });

  it("goes on below with the first column again where columns have no room beside each other", () => {
    const wide = ["learner", "error", "time"].map((title, j) => ({ title, right: j > 0 }));
    const rows = [
      ["stump", "12.5% ± 1.0%", "0.1 s"],
      ["svm", "3.5% ± 1.0%", "1.2 s"],
    ];
    expect(alignedTable(wide, rows, 40).split("\n\n")).toHaveLength(1);
    expect(alignedTable(wide, rows, 28)).toBe(
      [
        "  learner         error",
        "  stump    12.5% ± 1.0%",
        "  svm       3.5% ± 1.0%",
        "",
        "  learner   time",
        "  stump    0.1 s",
        "  svm      1.2 s",
      ].join("\n"),
    );
  });

  it("shows a cell with line ends on one line", () => {
    expect(alignedTable([{ title: "" }], [["a\r\nb\u001b[2J"]])).toBe("  a b␛[2J");
  });
});

describe("shortened text", () => {
  it("has at most so many characters, however they are coded", () => {
    expect(shorten("abcdef", 6)).toBe("abcdef");
    expect(shorten("abcdef", 5)).toBe("abcd…");
    expect(shorten("𝒟𝒟𝒟", 2)).toBe("𝒟…");
  });
});
