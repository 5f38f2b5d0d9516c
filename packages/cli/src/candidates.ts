import { type Json, type Learner, learnerNamed, parseSetting, VouchError } from "vouch";

/** A learner as it was asked for, with the settings of its grid. */
export interface AskedLearner {
  readonly learner: string;
  readonly grid: readonly string[];
}

/** Every candidate of every learner's grid, in the order asked for: the last setting of a grid changes fastest. */
export function candidatesOf(asked: readonly AskedLearner[]): Learner[] {
  if (asked.length === 0) {
    throw new VouchError("option/invalid", "There is no learner to select from.", {
      hint: "Name at least one with --learner; 'vouch help' lists them.",
    });
  }
  return asked.flatMap(({ learner, grid }) => {
    const { name, options, create } = learnerNamed(learner);
    const settings = grid.map((setting) => settingValues(name, options, setting));
    const twice = settings.find(
      ({ option }, i) => settings.findIndex((other) => other.option === option) < i,
    );
    if (twice) {
      throw new VouchError("option/invalid", `The grid of ${name} sets ${twice.option} twice.`, {
        hint: `Give all its values at once: ${twice.option}=1,2,3.`,
      });
    }
    return combinations(settings).map((chosen) => create(chosen));
  });
}

/** An option and the values to try. */
interface SettingValues {
  readonly option: string;
  readonly values: readonly Json[];
}

/** Reads `rounds=5,10,20`. Where values are lists themselves, semicolons part them: `degrees=1,2;1,2,3`. */
function settingValues(
  learner: string,
  schema: Parameters<typeof parseSetting>[1],
  setting: string,
): SettingValues {
  const equals = setting.indexOf("=");
  const texts = setting.slice(equals + 1).split(setting.includes(";") ? ";" : ",");
  const parsed = texts.map((text) =>
    parseSetting(learner, schema, equals < 0 ? setting : setting.slice(0, equals + 1) + text),
  );
  return { option: parsed[0].name, values: parsed.map(({ value }) => value) };
}

function combinations(settings: readonly SettingValues[]): Record<string, Json>[] {
  return settings.reduce<Record<string, Json>[]>(
    (chosen, { option, values }) =>
      chosen.flatMap((others) => values.map((value) => ({ ...others, [option]: value }))),
    [{}],
  );
}
