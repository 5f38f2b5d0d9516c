import { CandidateTable } from "@vouch/views";
import { describe, expect, it } from "vitest";
import { allLearners } from "vouch";
import { cells, rendered, textOf, texts } from "./rendered.js";

const choice = {
  among: 3,
  candidates: [
    { name: "adaboost", error: 0.04, metric: 0.12, rounds: 5, rows: 90, fate: "finished" as const },
    { name: "svm", error: 0.08, metric: 0.2, rounds: 1, rows: 30, fate: "behind" as const },
    { name: "forest", error: 0, rounds: 0, rows: 0, fate: "not tried" as const },
  ],
};

await allLearners();

describe("the learners that were tried", () => {
  it("are listed with their errors and what became of them; no error of those that had no turn", () => {
    expect(cells(rendered(<CandidateTable choice={choice} />))).toEqual([
      ["AdaBoost", "4.0%", "5", "chosen"],
      ["Support vector machine", "8.0%", "1", "behind"],
      ["Random forest", "–", "0", "not tried"],
    ]);
  });

  it("are called by their titles, with the options that are not the defaults", () => {
    const [one] = choice.candidates;
    const candidates = [{ ...one, name: "forest trees=200 minLeafRows=2" }];
    const page = rendered(<CandidateTable choice={{ among: 1, candidates }} />);
    expect(cells(page)[0][0]).toBe("Random forest 200 trees, min leaf rows 2");
    expect(texts(page, "thead th")).toEqual(["Learner", "Error", "Tests", "Outcome"]);
  });

  it("are listed with the metric that they were chosen by", () => {
    const page = rendered(<CandidateTable choice={choice} metric="cost" />);
    expect(texts(page, "thead th").slice(0, 3)).toEqual(["Learner", "Mean cost", "Error"]);
    expect(cells(page).map((row) => row[1])).toEqual(["0.12", "0.2", "–"]);
    expect(textOf(<CandidateTable choice={choice} metric="cost" />)).toContain(
      "3 candidates, compared by mean cost",
    );
  });

  it("are counted from the thirteenth on, and absent where there was no choice", () => {
    const tried = Array.from({ length: 20 }, (_, i) => ({
      name: `l${i}`,
      error: 0.1,
      rounds: 1,
      rows: 9,
      fate: "behind" as const,
    }));
    const many = <CandidateTable choice={{ among: 27, candidates: tried }} />;
    expect(cells(rendered(many))).toHaveLength(12);
    expect(textOf(many)).toContain("8 more candidates");
    expect(textOf(many)).toContain("The search could have tried 27 configurations in all.");
    expect(textOf(<CandidateTable choice={{ among: 1, candidates: [] }} />)).toBe("");
  });
});
