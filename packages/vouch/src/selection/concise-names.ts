import { VouchError } from "../error.js";
import type { Learner } from "../learning/learner.js";
import { learners } from "../learning/registry.js";
import { settingsOf, settingText } from "../learning/settings.js";

/** For each candidate its learner's name, and the options that are not at their defaults, as they are typed. */
export function conciseNames(candidates: readonly Learner[]): string[] {
  const names = candidates.map(conciseName);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice === undefined) return names;
  throw new VouchError("option/invalid", `The candidate ${twice} is there twice.`, {
    hint: "Name each candidate once.",
  });
}

/** A learner's name with the options that are not at their defaults: `svm C=10`. */
export function conciseName(learner: Learner): string {
  return [learner.name, ...changedOptions(learner).map(([name, value]) => `${name}=${value}`)].join(" ");
}

/** The settings of a learner that are not at their defaults, with their values as they are typed. */
export function changedOptions({
  name,
  options,
}: Pick<Learner, "name" | "options">): [name: string, value: string][] {
  const definition = learners.find((definition) => definition.name === name);
  const { base } = options;
  const usual = settingsOf(definition?.create(base === undefined ? {} : { base }).options ?? {});
  const usualBase = settingsOf(definition?.create().options ?? {}).base;
  return Object.entries(settingsOf(options))
    .map(([option, value]): [string, string] => [option, settingText(value)])
    .filter(([option, value]) => value !== settingText(option === "base" ? usualBase : usual[option]));
}
