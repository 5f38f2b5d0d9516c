import { expect, it } from "vitest";
import { Random } from "vouch/extend";
import { drawCustomer } from "#datasets/churn.js";

const draw = (rows: number, random: Random) => Array.from({ length: rows }, () => drawCustomer(random));

it("draws the same customers from the same stream, and others from another", () => {
  const [first, again, other] = [1, 1, 2].map((seed) => draw(5, new Random(seed)));
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
});

it("has customers who leave for the reasons of its law", () => {
  const all = draw(20_000, new Random(3));
  const share = (rows: typeof all, holds: (row: (typeof all)[number]) => boolean) =>
    rows.filter(holds).length / rows.length;
  const leaving = (contract: string) =>
    share(
      all.filter((one) => one.contract === contract),
      ({ churn }) => churn === "Yes",
    );
  expect(share(all, ({ contract }) => contract === "monthly")).toBeCloseTo(0.55, 1);
  expect(share(all, ({ age }) => age === undefined)).toBeCloseTo(0.06, 2);
  expect(share(all, ({ churn }) => churn === "Yes")).toBeCloseTo(0.21, 1);
  // The effects of contracts on the log odds are 0.55, −0.25 and −0.75.
  expect(leaving("monthly")).toBeGreaterThan(1.5 * leaving("one year"));
  expect(leaving("one year")).toBeGreaterThan(1.2 * leaving("two years"));
});
