import { describe, expect, it } from "vitest";
import {
  Background,
  ensemble,
  forest,
  type Learner,
  logistic,
  reasonsFor,
  reasonText,
  Table,
  trainClassifier,
} from "vouch";
import { Random } from "vouch/extend";

const FILLERS = ["the", "room", "was", "by", "lake", "staff", "breakfast", "we", "stayed", "again"];
const TOPICS = Array.from({ length: 80 }, (_, i) => `topic${i}`);

/** Reviews in which "great" or "awful" decides, with a column of text that says nothing. */
function reviews(rows: number): Table {
  const random = new Random(5);
  const filler = () => Array.from({ length: 6 }, () => FILLERS[random.integer(FILLERS.length)]);
  const records = Array.from({ length: rows }, () => {
    const isGood = random.uniform() < 0.5;
    const words = [...filler(), TOPICS[random.integer(80)], TOPICS[random.integer(80)]];
    if (random.uniform() < 0.9) words.splice(random.integer(6), 0, isGood ? "great" : "awful");
    return {
      text: words.join(" "),
      'text "reply': filler().join(" "),
      since: `2024-0${1 + random.integer(9)}-11`,
      opinion: isGood ? "good" : "poor",
    };
  });
  return Table.fromRecords("reviews", records, { text: "text", 'text "reply': "text", since: "date" });
}

const QUIET = "we stayed by the lake again";

async function explain(learner: Learner, texts: readonly string[]) {
  const table = reviews(300);
  const { classifier } = await trainClassifier(table, learner, { target: "opinion", run: { seed: 2 } });
  const { model, encoder } = classifier;
  const background = Background.of(table.without(["opinion"]), encoder.schema, 0)?.table;
  if (!background) throw new Error("no background");
  // The first row has no date, which is allowed among rows that have one.
  const rows = Table.fromRecords(
    "new",
    texts.map((text, i) => ({ text, 'text "reply': QUIET, since: i === 0 ? "soon" : "2024-03-11" })),
    { text: "text", 'text "reply': "text", since: "text" },
  );
  const found = await reasonsFor(model, encoder, background, rows, { class: "good" });
  const silent = await reasonsFor(
    model,
    encoder,
    background,
    Table.fromRecords(
      "without",
      texts.map((text) => ({
        text: text.replaceAll(/great|awful/gi, "ɀɀɀ"),
        'text "reply': QUIET,
        since: "2024-03-11",
      })),
      { text: "text", 'text "reply': "text", since: "date" },
    ),
    { class: "good" },
  );
  return { found, without: silent.map(({ score }) => score) };
}

describe("words of reasons", () => {
  it.each([
    ["sparse rows", logistic()],
    ["trees", forest({ trees: 20 })],
    ["several encodings", ensemble({ members: ["logistic", { learner: "forest", options: { trees: 10 } }] })],
  ])("name the planted word of its column, with the change of the score: %s", async (_, learner) => {
    const texts = [
      `${QUIET} and GREAT breakfast`,
      `${TOPICS.join(" ")} was great, ${FILLERS.join(" ")}`,
      `${QUIET}: awful.`,
    ];
    const { found, without } = await explain(learner, texts);
    for (const [i, { reasons, score }] of found.entries()) {
      const reason = reasons.find(({ column }) => column === "text");
      const [first] = reason?.words ?? [];
      expect(first.word).toBe(i === 2 ? "awful" : "great");
      expect(Math.sign(first.contribution)).toBe(i === 2 ? -1 : 1);
      if (i > 0) expect(first.contribution).toBeCloseTo(score - without[i], 9);
      expect(reason?.words?.length).toBeLessThanOrEqual(3);
      expect(reason && reasonText(reason)).toMatch(
        i === 2 ? /^text contains "awful" \(-/ : /^text contains "great" \(\+/,
      );
    }
  });

  it("are absent for texts without known words, and for missing texts", async () => {
    const { found } = await explain(logistic(), [QUIET, "zebra zoo", ""]);
    for (const { reasons } of found.slice(1)) {
      expect(reasons.find(({ column }) => column === "text")?.words).toBeUndefined();
    }
  });

  it("prefer a word that carries meaning to a stop word if only their pair decides", async () => {
    const random = new Random(3);
    const records = Array.from({ length: 400 }, () => {
      const isBad = random.uniform() < 0.5;
      const pair = isBad ? "the refund" : random.uniform() < 0.5 ? "refund for the" : "the best refund";
      const rest = Array.from({ length: isBad ? 2 : 1 }, () => FILLERS[3 + random.integer(7)]);
      return { text: `${pair} ${rest.join(" ")}`, y: isBad ? "bad" : "good" };
    });
    const table = Table.fromRecords("pairs", [...records, { text: "the lake the staff", y: "good" }], {
      text: "text",
    });
    const tree = forest({ trees: 1, bootstrap: false, featuresPerSplit: "all" });
    const { classifier } = await trainClassifier(table, tree, { target: "y", run: { seed: 2 } });
    const row = Table.fromRecords("new", [{ text: "the refund lake staff" }], { text: "text" });
    const background = Table.fromRecords(
      "background",
      [...records.slice(0, 8), ...Array.from({ length: 8 }, () => ({ text: "the lake the staff" }))],
      { text: "text" },
    );
    const { model, encoder } = classifier;
    const [{ reasons }] = await reasonsFor(model, encoder, background, row, { class: "bad" });
    expect(reasons[0].words?.map(({ word }) => word)).toEqual(["refund", "the"]);
    expect(reasonText(reasons[0])).toMatch(/^text contains "refund" \(\+/);
  });
});
