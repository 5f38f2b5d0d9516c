import { expect, it } from "vitest";
import { absenceNote, availableSets } from "#experiments/available-sets.js";

it("at scale quick only shipped data sets are wanted, in the given order", async () => {
  const { present, absent } = await availableSets(["ionosphere", "splice", "breastcancer"], "quick");
  expect(present).toEqual(["ionosphere", "breastcancer"]);
  expect(absent).toEqual([]);
});

it("at scale paper all are wanted, wherever they are", async () => {
  const { present, absent } = await availableSets(["splice", "ionosphere"], "paper");
  expect(present).toContain("ionosphere");
  expect([...present, ...absent].sort()).toEqual(["ionosphere", "splice"]);
});

it("absence is noted", () => {
  expect(absenceNote([])).toEqual([]);
  expect(absenceNote(["a", "b"])).toEqual(["Not measured: a, b."]);
});
