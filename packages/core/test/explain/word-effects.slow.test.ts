import { describe, expect, it } from "vitest";
import { forest, logistic, Table, trainClassifier } from "vouch";
import { Random } from "vouch/extend";
import { wordEffects } from "#core/explain/word-effects.js";

/** Reviews in which "awful" and "great" decide the class, among words that do not. */
function reviews(rows: number): Table {
  const random = new Random(5);
  const fillers = ["the", "room", "was", "by", "lake", "staff", "breakfast", "we", "stayed", "again"];
  const records = Array.from({ length: rows }, () => {
    const isGood = random.uniform() < 0.5;
    const words = Array.from({ length: 6 }, () => fillers[random.integer(fillers.length)]);
    if (random.uniform() < 0.8) words.splice(random.integer(6), 0, isGood ? "great" : "awful");
    return { text: words.join(" "), nights: 1 + random.integer(7), opinion: isGood ? "good" : "poor" };
  });
  return Table.fromRecords("reviews.csv", records, { text: "text" });
}

describe("effects of words", () => {
  it.each([
    ["sparse rows", logistic()],
    ["trees", forest({ trees: 20 })],
  ])("are strong for the words that decide, and weak for the others: %s", async (_, learner) => {
    const table = reviews(400);
    const { classifier } = await trainClassifier(table, learner, { target: "opinion" });
    const { model, encoder } = classifier;
    const [effect] = await wordEffects(model, encoder, table, ["text"]);
    const good = classifier.classes.indexOf("good");
    const differences = new Map(effect.words.map(({ word, differences: own }) => [word, own[good]]));
    expect(effect.column).toBe("text");
    expect(differences.get("great")).toBeGreaterThan(0.2);
    expect(differences.get("awful")).toBeLessThan(-0.2);
    for (const word of ["lake", "breakfast", "stayed"]) {
      expect(Math.abs(differences.get(word) ?? 1), word).toBeLessThan(0.1);
    }
    for (const { differences: own } of effect.words) {
      expect(own.reduce((sum, one) => sum + one, 0)).toBeCloseTo(0, 6);
    }
  });
});
