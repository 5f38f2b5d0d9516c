import { denseValues } from "@vouch/core/internal/table/column";
import { readTable } from "@vouch/formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

/** Reads one number per row, as texts of a CSV column. */
async function read(texts: readonly string[]): Promise<ArrayLike<number>> {
  const table = await readTable(Buffer.from(`x\n${texts.join("\n")}\n`), { format: "csv", header: true });
  const [column] = table.columns;
  if (column.kind !== "numeric") return expect.fail("the column should be numeric");
  return denseValues(column.values);
}

async function expectSameAsNumber(texts: readonly string[]): Promise<void> {
  const values = await read(texts);
  texts.forEach((text, row) => {
    if (!Object.is(values[row], Number(text))) expect.fail(`${text}: ${values[row]}, not ${Number(text)}`);
  });
}

describe("numbers are rounded as `Number` rounds them", () => {
  test("doubles in full precision", async () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    const common = fc.double({ noNaN: true, noDefaultInfinity: true, min: 1e-3, max: 1e9 });
    await expectSameAsNumber(fc.sample(fc.oneof(finite, common).map(String), { numRuns: 40_000, seed: 1 }));
  });

  test("arbitrary digits, point and exponent", async () => {
    const digits = fc.stringMatching(/^[0-9]{0,20}$/);
    const exponent = fc.option(fc.integer({ min: -40, max: 40 }), { nil: undefined });
    const spelled = fc
      .tuple(fc.constantFrom("", "-", "+"), digits, digits, exponent)
      .filter(([, whole, fraction]) => whole + fraction !== "")
      .map(([sign, whole, fraction, e]) => `${sign}${whole}.${fraction}${e === undefined ? "" : `e${e}`}`);
    await expectSameAsNumber(fc.sample(spelled, { numRuns: 20_000, seed: 2 }));
  });

  test("ties between two doubles, and their neighbours", async () => {
    // Halfway between two doubles in [2^53, 2^54), and one unit of the last place beside it.
    const texts = Array.from({ length: 2000 }, (_, i) => {
      const tie = 2n ** 53n + BigInt(2 * i * 7919 + 1);
      return [tie - 1n, tie, tie + 1n].flatMap((integer) => [`${integer}`, `${integer}.0`, `${integer}.1`]);
    });
    await expectSameAsNumber(texts.flat());
  });

  test("unusual spellings", async () => {
    const texts = [
      "0",
      "-0",
      "7",
      "007",
      "1.",
      ".5",
      "+3",
      "1e5",
      "1E-5",
      "123456789012345678",
      "1e-400",
      " 4 ",
    ];
    await expectSameAsNumber(texts);
    await expectSameAsNumber(texts.map((text) => `${text}\t`));
  });

  test.each(["-.", "x", "1e", "1e+", "--1", "e5", "1 2", "0x1", "1_0"])(
    "%j is not a number",
    async (text) => {
      const { columns } = await readTable(Buffer.from(`x\n1\n${text}\n`), { format: "csv" });
      expect(columns).toMatchObject([{ kind: "categorical", levels: ["1", text] }]);
    },
  );
});
