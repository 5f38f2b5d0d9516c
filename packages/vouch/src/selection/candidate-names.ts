import { VouchError } from "../error.js";
import type { Learner } from "../learning/learner.js";
import { settingsOf } from "../learning/settings.js";

/** For each candidate its learner's name, and the options in which it differs from others of that name. */
export function candidateNames(candidates: readonly Learner[]): string[] {
  const settings = candidates.map(({ options }) => settingsOf(options));
  const names = candidates.map(({ name }, c) => {
    const alike = settings.filter((_, other) => candidates[other].name === name);
    // What else differs between learners of different bases tells nothing.
    const comparable = (option: string) =>
      alike.filter(({ base }) => option === "base" || base === settings[c].base);
    const telling = Object.entries(settings[c]).filter(([option, value]) =>
      comparable(option).some((other) => inText(other[option]) !== inText(value)),
    );
    return [name, ...telling.map(([option, value]) => `${option}=${inText(value)}`)].join(" ");
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
