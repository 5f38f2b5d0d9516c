import { describeOptions, settingText } from "vouch/command";
import { allLearners } from "vouch/train";
import type { LearnerDescription, OptionField } from "./protocol.js";

/** Learners whose options no form can write: the members of an ensemble are learners. */
const NOT_IN_FORMS: readonly string[] = ["ensemble"];

/** Describes all learners, with the fields of their options made from their schemas. */
export async function describeLearners(): Promise<LearnerDescription[]> {
  const kinds = await allLearners();
  return kinds
    .filter(({ name }) => !NOT_IN_FORMS.includes(name))
    .map(({ name, summary, options }) => ({
      name,
      summary,
      options: describeOptions(options)
        // Options of a base learner are set under its own names.
        .filter((option) => option.name !== "baseOptions")
        .map(
          (option): OptionField => ({
            name: option.name,
            description: option.description,
            allowed: option.allowed,
            choices: isClosed(option.allowed) ? option.choices : [],
            initial: option.default === undefined ? "" : settingText(option.default),
          }),
        ),
    }));
}

/** Tells whether only words are allowed. */
function isClosed(allowed: string): boolean {
  return !/number|text|list/.test(allowed);
}
