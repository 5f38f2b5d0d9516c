import type { RelaxedHierarchyModel } from "@vouch/core/internal/learners/hierarchy/relaxed-hierarchy";
import type { MulticlassModel } from "@vouch/core/internal/learners/multiclass/multiclass";
import { countErrors } from "@vouch/core/internal/learners/training-summary";
import { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import type { TrainTestSplit } from "@vouch/core/internal/validation/trial";
import type * as z from "zod";
import { availableSets } from "../datasets.js";
import { dividedSet, fitDivision, trainingRows } from "../divisions.js";
import { defineExperiment, type ExperimentRun, eachWithParts, partsOf, type Scale } from "../experiment.js";
import { papers } from "../papers.js";
import { affordableSchemes, type MulticlassScheme } from "./schemes.js";
import { type HierarchySet, type SvmSettings, tuneSettings } from "./svm-settings.js";
import {
  pointSchema,
  type SetPoints,
  settingsSchema,
  tradeoffPage,
  tradeoffSchema,
} from "./tradeoff-page.js";

/**
 * Data with many classes: letters, spoken letters, digits, leaves, aerial images, X-rays, alphabets, news. Histograms have the χ²
 * kernel, as in the paper, and word counts the linear one, as is usual for texts.
 */
const manyClasses: readonly HierarchySet[] = [
  { dataset: "letter", kernel: "rbf" },
  { dataset: "isolet", kernel: "rbf" },
  { dataset: "usps", kernel: "rbf" },
  { dataset: "pendigits", kernel: "rbf" },
  { dataset: "leaves100", kernel: "rbf" },
  { dataset: "landuse21", kernel: "rbf" },
  { dataset: "imclef07a", kernel: "chi-square" },
  { dataset: "omniglot8", kernel: "rbf" },
  { dataset: "news20", kernel: "linear" },
];

const sets: Readonly<Record<Scale, readonly HierarchySet[]>> = {
  quick: [{ dataset: "iris", kernel: "rbf" }],
  paper: manyClasses,
};

/** Accuracy against the cost of a prediction. */
export const hierarchyTradeoff = defineExperiment({
  name: "relaxed-hierarchy/tradeoff",
  paper: papers.hierarchies.citation,
  shows:
    "Test accuracy against kernel evaluations per row, as ρ goes from a balanced hierarchy towards DAGSVM, compared with the classical multiclass schemes on the same machines.",
  cost: {
    quick: "one shipped data set: a few seconds",
    paper:
      "nine data sets with 10 to 242 classes, if available locally: about half an hour; --resume FILE keeps finished parts",
  },
  data: tradeoffSchema,
  async measure(run) {
    const wanted = sets[run.scale];
    const { present, absent } = await availableSets(
      wanted.map(({ dataset }) => dataset),
      run.scale,
    );
    const available = wanted.filter(({ dataset }) => present.includes(dataset));
    return { sets: await eachWithParts(run, available, pointsOn), absent };
  },
  tables: tradeoffPage,
});

/** Measures all schemes on one data set, with the same division of its rows and the same settings of their machines. */
export async function pointsOn({ dataset, kernel }: HierarchySet, run: ExperimentRun): Promise<SetPoints> {
  const { division: divide, ...facts } = await dividedSet(dataset, run);
  const division = divide(run.seed, 0);
  const [settings] = await partsOf(run, [`${dataset}, settings`], settingsSchema, () =>
    tuneSettings(trainingRows(division), kernel, dataset, run),
  );
  const schemes = affordableSchemes(facts.training, facts.classes);
  const parts = schemes.map(({ name }) => `${dataset}, ${name}`);
  const measured = await partsOf(run, parts, pointSchema, (part, k) =>
    pointOf(schemes[k], settings, division, part, run),
  );
  const points = schemes.map(({ name, rho }, k) => ({
    name,
    ...(rho !== undefined && { rho }),
    ...measured[k],
  }));
  return { dataset, ...facts, settings, schemes: points };
}

async function pointOf(
  scheme: MulticlassScheme,
  settings: SvmSettings,
  division: TrainTestSplit,
  part: string,
  run: ExperimentRun,
): Promise<z.output<typeof pointSchema>> {
  const { model, test } = await fitDivision(scheme.learner(settings), division, part, run);
  const { features, labels, rows } = test;
  if (!(features instanceof Matrix)) throw new Error("Kernel machines take matrices.");
  const began = performance.now();
  const predictions = model.predict(features);
  const milliseconds = performance.now() - began;
  const evaluations = model.evaluations?.(features);
  if (!evaluations) throw new Error("The model does not count evaluations.");
  return {
    accuracy: (rows - countErrors(predictions, labels)) / rows,
    ...evaluations,
    machines: machinesIn(model),
    microseconds: Number(((1000 * milliseconds) / rows).toPrecision(2)),
  };
}

function machinesIn(model: MulticlassModel | RelaxedHierarchyModel): number {
  const { counts } = model.complexity();
  return counts.nodes ?? counts.machines;
}
