import { VouchError } from "../error.js";
import type { Learner } from "../learning/learner.js";
import { settingsOf } from "../learning/settings.js";

/** For each candidate its learner's name, and the options in which it differs from others of that name. */
export function candidateNames(candidates: readonly Learner[]): string[] {
  const names = candidates.map((candidate) => {
    const alike = candidates.filter(({ name }) => name === candidate.name);
    const telling = Object.entries(settingsOf(candidate.options)).filter(([option, value]) =>
      alike.some(({ options }) => inText(settingsOf(options)[option]) !== inText(value)),
    );
    return [candidate.name, ...telling.map(([option, value]) => `${option}=${inText(value)}`)].join(" ");
  });
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice === undefined) return names;
  throw new VouchError("option/invalid", `The candidate ${twice} is there twice.`, {
    hint: "Name each candidate once.",
  });
}

/** A value as it is written in a setting. */
function inText(value: unknown): string {
  if (Array.isArray(value)) return value.map(inText).join(",");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
