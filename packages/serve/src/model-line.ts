import type { ServedModel } from "./served-model.js";

/** Describes a loaded model in one line: name, version, learner and verdict. */
export function modelLine({ name, version, facts }: ServedModel): string {
  const verdict = facts.verdict?.sentence ?? "Its error was not measured in training.";
  return `${name} version ${version}: ${facts.learner}, predicts "${facts.target}". ${verdict}`;
}
