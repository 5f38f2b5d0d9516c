import { type Learner, learnerNamed, VouchError } from "vouch";
import { parseSettings } from "vouch/learning";

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
    const definition = learnerNamed(learner);
    const { name, create } = definition;
    const settings = grid.map(settingTexts);
    const twice = settings.find(
      ({ option }, i) => settings.findIndex((other) => other.option === option) < i,
    );
    if (twice) {
      throw new VouchError("option/invalid", `The grid of ${name} sets ${twice.option} twice.`, {
        hint: `Give all its values at once: ${twice.option}=1,2,3.`,
      });
    }
    return combinations(settings).map((chosen) => create(parseSettings(definition, chosen)));
  });
}

/** An option and the settings to try. */
interface SettingTexts {
  readonly option: string;
  readonly texts: readonly string[];
}

/** Reads `rounds=5,10,20`. Where values are lists themselves, semicolons part them: `degrees=1,2;1,2,3`. */
function settingTexts(setting: string): SettingTexts {
  const equals = setting.indexOf("=");
  if (equals < 0) return { option: setting, texts: [setting] };
  const start = setting.slice(0, equals + 1);
  const values = setting.slice(equals + 1).split(setting.includes(";") ? ";" : ",");
  return { option: setting.slice(0, equals).trim(), texts: values.map((value) => start + value) };
}

function combinations(settings: readonly SettingTexts[]): string[][] {
  return settings.reduce<string[][]>(
    (chosen, { texts }) => chosen.flatMap((others) => texts.map((text) => [...others, text])),
    [[]],
  );
}
