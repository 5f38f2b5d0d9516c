import { describe, expect, it } from "vitest";
import { Background } from "#core/explain/background.js";
import { reasonsFor } from "#core/explain/reasons.js";
import { forest } from "#core/learners/forest/forest.js";
import { linearSvm } from "#core/learners/linear/linear-svm.js";
import { Random } from "#core/runtime/maths/random.js";
import { Table } from "#core/table/table.js";
import { labelled } from "#core/table/target.js";
import { certify } from "#core/train/certify.js";
import { deserialise, serialise } from "#core/train/model-file.js";
import { trainClassifier } from "#core/train/train.js";

const SUBJECTS = ["the parcel", "my order", "your courier", "the invoice", "a refund", "this lamp"];
const COMPLAINTS = ["arrived broken", "never came", "is far too late", "was charged twice", "does not work"];
const PRAISE = ["arrived early", "works like a charm", "is simply great", "came well packed", "was worth it"];
const FILLERS = ["I must say", "As usual", "To be honest", "Last week", "Dear team", "Well"];

/** Letters to a shop, generated from templates: one in ten has a misleading phrase. The date tells nothing. */
function letters(rows: number, seed: number): Table {
  const random = new Random(seed);
  const one = (list: readonly string[]) => list[random.integer(list.length)];
  const records = Array.from({ length: rows }, (_, i) => {
    const label = random.integer(2);
    const phrases = random.uniform() < 0.1 ? [PRAISE, COMPLAINTS] : [COMPLAINTS, PRAISE];
    return {
      letter: `${one(FILLERS)}, ${one(SUBJECTS)} ${one(phrases[label])}. ${one(FILLERS)}! No. ${i}`,
      sent: new Date(1.6e12 + random.integer(1e9) * 60),
      label: ["complaint", "praise"][label],
    };
  });
  return Table.fromRecords("letters", records);
}

/** Orders by day: on Sundays, and before 2020, most are returned. */
function orders(rows: number, seed: number, write: (time: Date) => string): Table {
  const random = new Random(seed);
  const records = Array.from({ length: rows }, () => {
    const time = new Date(Date.UTC(2018, 0, 1) + random.integer(4 * 365) * 86_400_000);
    const likely = time.getUTCDay() === 0 || time.getUTCFullYear() < 2020;
    return { placed: write(time), returned: random.uniform() < (likely ? 0.95 : 0.05) ? "yes" : "no" };
  });
  return Table.fromRecords("orders", records);
}

const iso = (time: Date) => time.toISOString();
const dayFirst = (time: Date) => `${time.getUTCDate()}/${time.getUTCMonth() + 1}/${time.getUTCFullYear()}`;

describe("training on text", () => {
  it.each([linearSvm(), forest({ trees: 50 })])("helps $name, before and after saving", async (learner) => {
    const { classifier } = await trainClassifier(letters(400, 1), learner, { holdout: 0.2 });
    const fresh = letters(300, 2);
    // One letter in ten misleads.
    expect(classifier.evaluate(fresh).error).toBeLessThan(0.16);
    expect(classifier.card.notices.join()).toContain('Column "letter" is text');
    const restored = await deserialise(await serialise(classifier));
    expect(restored.predict(fresh)).toEqual(classifier.predict(fresh));
    expect(restored.scores(fresh)).toEqual(classifier.scores(fresh));
  });

  it("gives the same bytes again, and says that the words came from the training rows", async () => {
    const train = () => trainClassifier(letters(120, 3), linearSvm(), { holdout: 0.2 });
    const { classifier } = await train();
    expect(await serialise((await train()).classifier)).toEqual(await serialise(classifier));
    const certificates = certify(classifier, { confidence: 0.95 });
    expect(JSON.stringify(certificates)).toContain("the words of 1 column");
  });
});

describe("reasons for text", () => {
  it.each([linearSvm(), forest({ trees: 20 })])("name the letter, not the date: $name", async (learner) => {
    const table = letters(300, 4);
    const { classifier } = await trainClassifier(table, learner, { holdout: 0.2 });
    const { features } = labelled(table, "label");
    const background = Background.of(features, classifier.encoder.schema, 1) ?? expect.fail("no background");
    const { model, encoder } = classifier;
    const found = await reasonsFor(model, encoder, background.table, features.select([0, 1, 2, 3]));
    for (const { reasons } of found) expect(reasons[0].column).toBe("letter");
  });
});

describe("training on dates", () => {
  it.each([
    ["ISO 8601", iso],
    ["days first", dayFirst],
  ])("finds the year and the weekday in %s", async (_, write) => {
    const { classifier } = await trainClassifier(orders(600, 1, write), forest({ trees: 50 }), {
      target: "returned",
      holdout: 0.2,
    });
    expect(classifier.evaluate(orders(500, 2, write)).error).toBeLessThan(0.12);
    expect(classifier.card.notices).toContain(
      'Column "placed" is a date: used as days, year, month and weekday.',
    );
    const notices: string[] = [];
    const fresh = Table.fromColumns("new", { placed: [write(new Date(0)), "tomorrow"] });
    expect(classifier.predict(fresh, (notice) => notices.push(notice))).toHaveLength(2);
    expect(notices).toEqual([
      'Column "placed": 1 cell is not a date and counted as missing, such as "tomorrow".',
    ]);
  });

  it("takes them as categories if they are declared so", async () => {
    const table = orders(100, 1, (time) => iso(time).slice(0, 7)).withKinds({ placed: "categorical" });
    const { classifier } = await trainClassifier(table, forest({ trees: 5 }), { target: "returned" });
    expect(classifier.encoder.schema.columns).toMatchObject([{ kind: "categorical", name: "placed" }]);
  });
});
