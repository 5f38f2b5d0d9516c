import { LeaderBoard } from "@vouch/views";
import { type Leader, leaderKinds, leaderScore } from "@vouch/views/facts";
import { describe, expect, it } from "vitest";
import { cells, rendered, textOf, texts } from "./rendered.js";

const leaders: readonly Leader[] = [
  { name: "svm C=10", learner: "svm", errors: [0.2, 0.2], rows: 80, tested: 40, seconds: 3 },
  { name: "forest", learner: "forest", errors: [0.1, 0.2], rows: 80, tested: 40, seconds: 0.25, bytes: 2000 },
  { name: "svm", learner: "svm", errors: [0.3, 0.3], rows: 80, tested: 40, seconds: 2 },
  { name: "mlp", learner: "mlp", errors: [], rows: 0, tested: 0 },
  { name: "stump", learner: "stump", errors: [0.05], rows: 40, tested: 20, fate: "behind" },
];

const titles = { svm: { title: "Support vector machine", summary: "Separates classes by a wide margin." } };

describe("the leader board of a race", () => {
  const board = rendered(<LeaderBoard leaders={leaders} titles={titles} baseline={0.4} />);

  it("has one row per kind, sorted by what it shows; those that wait and those that are out come last", () => {
    expect(cells(board)).toEqual([
      ["forest", "15.0%", "7.1% to 29.1%", "0.25 s", "2.0 kB", "leading"],
      [
        "Support vector machineSeparates classes by a wide margin.1 more variant of Support vector machine",
        "20.0%",
        "10.5% to 34.8%",
        "3.0 s",
        "–",
        "racing",
      ],
      ["mlp", "–", "", "–", "–", "waiting"],
      ["stump", "5.0%", "0.89% to 23.6%", "–", "–", "behind"],
    ]);
  });

  it("says politely who leads, and who was chosen once the race is over; nobody races then", () => {
    expect(texts(board, "[aria-live=polite]")).toEqual(["Leading: forest, error 15.0%."]);
    const over = rendered(<LeaderBoard leaders={leaders} titles={titles} chosen="svm" />);
    expect(texts(over, "[aria-live=polite]")).toEqual(["Chosen: Support vector machine, error 30.0%."]);
    expect(cells(over).map((row) => row.at(-1))).toEqual(["finished", "chosen", "behind"]);
    expect(texts(over, ".note")[0]).toContain("1 learner not tried.");
    expect(texts(over, ".note")[0]).toContain("The chosen learner is not the first one");
  });

  it("chooses nobody in a race that was cancelled", () => {
    const over = rendered(<LeaderBoard leaders={leaders} isCancelled />);
    expect(texts(over, "[aria-live=polite]")).toEqual(["Best so far: forest, error 15.0%."]);
    expect(cells(over).map((row) => row.at(-1))).toEqual(["best so far", "stopped", "behind"]);
    const untried = rendered(<LeaderBoard leaders={leaders.slice(3, 4)} isCancelled />);
    expect(cells(untried)).toEqual([]);
  });

  it("puts larger values first where they are better", () => {
    const auc = (mean: number) => ({ name: "auc" as const, values: [mean], mean });
    const ranked = [0.7, 0.9, 0.8].map((mean) => ({
      name: `tree ${mean}`,
      errors: [0.1],
      metric: auc(mean),
      rows: 9,
      tested: 9,
    }));
    expect(leaderKinds(ranked).map(({ score }) => score?.value)).toEqual([0.9, 0.8, 0.7]);
  });

  it("says what the ends of its bars are", () => {
    expect(texts(board, ".ends span")).toEqual(["0%", "40.0%"]);
    expect(texts(board, ".note")[0]).toContain("from 0% at the left to 40.0%");
  });

  it("draws the value of each inside its interval, all to one scale", () => {
    const styles = [...board.querySelectorAll(".interval i")].map((bar) => {
      const of = (selector: string, name: string) =>
        Number(
          new RegExp(`--${name}:([\\d.]+)%`).exec(
            bar.querySelector(selector)?.getAttribute("style") ?? "",
          )?.[1],
        );
      return { from: of("u", "from"), to: of("u", "to"), at: of("b", "at") };
    });
    expect(styles).toHaveLength(3);
    for (const { from, to, at } of styles) {
      expect(from).toBeLessThan(at);
      expect(at).toBeLessThanOrEqual(to);
    }
    expect(styles[0].at).toBeLessThan(styles[1].at);
    expect(styles[0].at / styles[1].at).toBeCloseTo(0.15 / 0.2, 1);
  });

  it("says that learners which left early have values from fewer tests", () => {
    expect(texts(board, ".note")[0]).toContain("Grey learners left the race early");
    const stayed = rendered(<LeaderBoard leaders={leaders.slice(0, 3)} />);
    expect(texts(stayed, ".note")[0]).not.toContain("Grey");
  });

  it("marks a value beyond the end of the bars as larger", () => {
    const far = { name: "majority", errors: [0.9], rows: 80, tested: 400 };
    const near = { name: "svm", errors: [0.1], rows: 80, tested: 400 };
    const marks = (shown: Document) => shown.querySelectorAll(".interval .beyond").length;
    const beyond = rendered(<LeaderBoard leaders={[near, far]} />);
    expect(marks(beyond)).toBe(1);
    expect(texts(beyond, ".note")[0]).toContain("An arrow marks a larger value.");
    expect(marks(board)).toBe(0);
    expect(texts(board, ".note")[0]).not.toContain("arrow");
  });

  it("is absent without candidates", () => {
    expect(textOf(<LeaderBoard leaders={[]} />)).toBe("");
  });
});

describe("the score of a candidate", () => {
  it("has Wilson's interval of an error: 4 of 40 give 3.96% to 23.05%", () => {
    const score = leaderScore({ name: "a", errors: [0.1], rows: 9, tested: 40 });
    expect(score?.interval?.[0]).toBeCloseTo(0.0396, 4);
    expect(score?.interval?.[1]).toBeCloseTo(0.2305, 4);
  });

  it("has 1.96 standard errors of another metric, and none after one round", () => {
    const metric = { name: "auc" as const, values: [0.8, 0.9], mean: 0.85 };
    const score = leaderScore({ name: "a", errors: [0.1, 0.1], metric, rows: 9, tested: 40 });
    expect(score?.interval?.[0]).toBeCloseTo(0.85 - 1.96 * 0.05, 10);
    const single = { ...metric, values: [0.85] };
    expect(
      leaderScore({ name: "a", errors: [0.1], metric: single, rows: 9, tested: 40 })?.interval,
    ).toBeUndefined();
    expect(leaderScore({ name: "a", errors: [], rows: 0, tested: 0 })).toBeUndefined();
  });
});
