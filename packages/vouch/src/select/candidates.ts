import { createLearner, isLoaded, loadedLearner } from "../learners/index.js";
import type { Learner } from "../learners/learner.js";
import { settingsOf, settingText } from "../learners/options.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Labelled } from "../table/target.js";

/** A candidate by name and options, and for which data it is one. */
interface Usual {
  readonly learner: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly when?: (shape: Shape) => boolean;
}

/** What the list of candidates depends on: nothing that the labels of single rows would change. */
interface Shape {
  readonly rows: number;
  readonly classes: number;
  /** About how many numbers a row is encoded as. */
  readonly features: number;
}

/** The candidates for data of a shape, cheap and simple ones first: of equal ones the first is chosen. */
function listFor({ features }: Shape): readonly Usual[] {
  // "scale" of an svm is 1 / features for standardised ones; these are four times as narrow and as wide.
  const narrow = rounded(4 / features);
  const wide = rounded(1 / (4 * features));
  const isTwo = ({ classes }: Shape) => classes === 2;
  return [
    { learner: "majority" },
    { learner: "stump" },
    { learner: "adaboost", options: { rounds: 50 } },
    { learner: "adaboost", options: { rounds: 200 } },
    { learner: "adaboost", options: { rounds: 800 }, when: isTwo },
    { learner: "linear-svm" },
    { learner: "linear-svm", options: { C: 0.1 } },
    { learner: "forest", options: { trees: 200 } },
    { learner: "forest", options: { trees: 200, minLeafRows: 3 } },
    { learner: "forest", options: { trees: 200, featuresPerSplit: 0.33 } },
    { learner: "random-trees", options: { trees: 200 } },
    { learner: "svm", options: { C: 1 } },
    { learner: "svm", options: { C: 10 } },
    { learner: "svm", options: { C: 100 } },
    { learner: "svm", options: { C: 10, gamma: narrow } },
    { learner: "svm", options: { C: 10, gamma: wide } },
    { learner: "svm", options: { C: 100, gamma: wide } },
    { learner: "svm", options: { kernel: "linear", C: 0.1 } },
    { learner: "boosted-trees", options: { rounds: 100, maxDepth: 3 } },
    { learner: "boosted-trees", options: { rounds: 300, maxDepth: 3 } },
    { learner: "boosted-trees", options: { rounds: 100 } },
    { learner: "boosted-trees", options: { rounds: 300 } },
    { learner: "boosted-trees", options: { ...SAMPLED, rounds: 200 } },
    { learner: "boosted-trees", options: { ...SAMPLED, rounds: 600 }, when: ({ classes }) => classes <= 5 },
    { learner: "mlp", options: { layers: [64] } },
    { learner: "mlp" },
    { learner: "cascade-forest", options: { minLeafRows: 1 } },
    { learner: "mddf" },
    {
      learner: "deep-cascade-svm",
      options: BRIEF_CASCADE,
      when: (shape) => isTwo(shape) && shape.rows <= 1000,
    },
  ];
}

/** Many small steps on random parts of the data: slower, and often a little better. */
const SAMPLED = { learningRate: 0.05, maxDepth: 6, rowsPerTree: 0.8, columnsPerTree: 0.5 };

/** Cascades of at most two levels: found in a fraction of the time that four levels take. */
const BRIEF_CASCADE = { maxDepth: 2, gammas: [0.001, 0.01], cGrid: [0.1, 1, 10] };

/**
 * The learners to try when the user does not name one, with sizes that suit the data. The list depends on how many rows,
 * classes and columns there are, and on nothing else: bounds that hold for each of them hold for the chosen one at δ/k.
 */
export async function usualCandidates({ features, labels, classes }: Labelled): Promise<Learner[]> {
  const width = features.columns.reduce(
    (sum, column) => sum + (column.kind === "categorical" ? Math.max(1, column.levels.length) : 1),
    0,
  );
  const shape = { rows: labels.length, classes: classes.length, features: width };
  const suitable = listFor(shape).filter(({ when }) => when?.(shape) ?? true);
  return Promise.all(suitable.map(({ learner, options }) => createLearner(learner, options)));
}

/** To two digits, as it is printed and typed. */
function rounded(value: number): number {
  return Number(value.toPrecision(2));
}

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
  const definition = isLoaded(name) ? loadedLearner(name) : undefined;
  const { base } = options;
  const usual = settingsOf(definition?.create(base === undefined ? {} : { base }).options ?? {});
  const usualBase = settingsOf(definition?.create().options ?? {}).base;
  return Object.entries(settingsOf(options))
    .map(([option, value]): [string, string] => [option, settingText(value)])
    .filter(([option, value]) => value !== settingText(option === "base" ? usualBase : usual[option]));
}
