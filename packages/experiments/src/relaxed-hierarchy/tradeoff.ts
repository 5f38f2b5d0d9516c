import type { MulticlassModel, RelaxedHierarchyModel } from "vouch";
import { Matrix } from "vouch/learning";
import type { z } from "zod";
import { availableSets } from "../available-sets.js";
import { type Division, dividedSet } from "../divisions.js";
import { defineExperiment, type ExperimentRun, partOf } from "../experiment.js";
import { fitDivision } from "../fit-division.js";
import { paper } from "./paper.js";
import { affordableSchemes, type MachineSettings, type Scheme } from "./schemes.js";
import { type HierarchySet, hierarchySets } from "./sets.js";
import {
  pointSchema,
  type SchemePoint,
  type SetPoints,
  settingsSchema,
  tradeoffSchema,
} from "./tradeoff-data.js";
import { tradeoffPage } from "./tradeoff-page.js";
import { tunedMachines } from "./tuned-machines.js";

/** Accuracy against the cost of a prediction. */
export const hierarchyTradeoff = defineExperiment({
  name: "relaxed-hierarchy/tradeoff",
  paper,
  shows:
    "Test accuracy against kernel evaluations per row, as ρ goes from a balanced hierarchy towards DAGSVM, compared with the classical multiclass schemes on the same machines.",
  cost: {
    quick: "one shipped data set: a few seconds",
    paper:
      "nine data sets with 10 to 242 classes, if available locally: about half an hour; --resume FILE keeps finished parts",
  },
  data: tradeoffSchema,
  async measure(run) {
    const wanted = hierarchySets[run.scale];
    const { present, absent } = await availableSets(
      wanted.map(({ dataset }) => dataset),
      run.scale,
    );
    const sets: SetPoints[] = [];
    for (const set of wanted) {
      if (present.includes(set.dataset)) sets.push(await pointsOn(set, run));
    }
    return { sets, absent };
  },
  tables: tradeoffPage,
});

/** All schemes on one data set, with the same division of its rows and the same settings of their machines. */
export async function pointsOn({ dataset, kernel }: HierarchySet, run: ExperimentRun): Promise<SetPoints> {
  const { division: divide, ...facts } = await dividedSet(dataset, run.signal);
  const division = divide(run.seed, 0);
  const settings = await partOf(run, `${dataset}, settings`, settingsSchema, () =>
    tunedMachines(division.training, kernel, dataset, run),
  );
  const points: SchemePoint[] = [];
  for (const scheme of affordableSchemes(facts.training, facts.classes)) {
    const { name, rho } = scheme;
    const part = `${dataset}, ${name}`;
    const point = await partOf(run, part, pointSchema, () => pointOf(scheme, settings, division, part, run));
    points.push({ name, ...(rho !== undefined && { rho }), ...point });
  }
  return { dataset, ...facts, settings, schemes: points };
}

async function pointOf(
  scheme: Scheme,
  settings: MachineSettings,
  division: Division,
  part: string,
  run: ExperimentRun,
): Promise<z.output<typeof pointSchema>> {
  const { model, tested } = await fitDivision(scheme.learner(settings), division, part, run);
  if (!(tested instanceof Matrix)) throw new Error("Kernel machines take matrices.");
  const began = performance.now();
  const predictions = model.predict(tested);
  const milliseconds = performance.now() - began;
  const evaluations = model.evaluations?.(tested);
  if (!evaluations) throw new Error("The model does not count evaluations.");
  const right = predictions.reduce((sum, k, i) => sum + (k === division.test.labels[i] ? 1 : 0), 0);
  return {
    accuracy: right / tested.rows,
    ...evaluations,
    machines: machinesIn(model),
    microseconds: Number(((1000 * milliseconds) / tested.rows).toPrecision(2)),
  };
}

function machinesIn(model: MulticlassModel | RelaxedHierarchyModel): number {
  const { counts } = model.complexity();
  return counts.nodes ?? counts.machines;
}
