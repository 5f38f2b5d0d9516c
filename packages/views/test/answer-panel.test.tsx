import { expect, it } from "vitest";
import { AnswerPanel } from "#views/panels/rows/answer-panel.js";
import { textOf } from "./rendered.js";

it("an answer shows the spaces of class names that look alike", () => {
  const answer = {
    class: "No ",
    probabilities: [
      { class: "No ", probability: 0.6 },
      { class: "No", probability: 0.4 },
    ],
    set: ["No ", "No"],
  };
  const text = textOf(<AnswerPanel answer={answer} />);
  expect(text).toContain("Prediction set: No␣, No");
  expect(text.match(/No␣/g)).toHaveLength(3);
});
