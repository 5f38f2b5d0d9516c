import { describe, expect, it } from "vitest";
import { candidateTable } from "#report/candidate-table.js";
import { fullReport } from "./example-report.js";
import { parsed } from "./parsed.js";

describe("the learners that were tried", () => {
  it("are listed with their errors and what became of them; no error of those that had no turn", () => {
    const page = parsed(candidateTable(fullReport.card.choice ?? { among: 1, candidates: [] })?.text ?? "");
    const cells = [...page.querySelectorAll("tbody tr")].map((row) =>
      [...row.querySelectorAll("th, td")].map(({ textContent }) => textContent),
    );
    expect(cells).toEqual([
      ["adaboost", "4.0\u00a0%", "5", "chosen"],
      ["svm", "8.0\u00a0%", "1", "fell behind"],
      ["forest", "–", "0", "not tried"],
    ]);
  });

  it("are listed with the metric that they were chosen by", () => {
    const page = parsed(
      candidateTable(fullReport.card.choice ?? { among: 1, candidates: [] }, "cost")?.text ?? "",
    );
    expect(page.querySelector("thead")?.textContent).toContain("LearnerMean costError");
    const costs = [...page.querySelectorAll("tbody tr")].map((row) => row.children[1].textContent);
    expect(costs).toEqual(["0.12", "0.2", "–"]);
    expect(page.body.textContent).toContain("3 candidates, compared by mean cost");
  });

  it("are counted from the thirteenth on, and absent where there was no choice", () => {
    const tried = Array.from({ length: 20 }, (_, i) => ({
      name: `l${i}`,
      error: 0.1,
      rounds: 1,
      rows: 9,
      fate: "behind" as const,
    }));
    const text = candidateTable({ among: 27, candidates: tried })?.text ?? "";
    expect(parsed(text).querySelectorAll("tbody tr")).toHaveLength(12);
    expect(text).toContain("8 more candidates");
    expect(text).toContain("7 others got no result.");
    expect(candidateTable({ among: 1, candidates: [] })).toBeUndefined();
  });
});
