import { z } from "zod";
import { type Json, type State, StateReader, tensorsByPart, withPrefix } from "../../runtime/state.js";
import type { LearnerLookup } from "../legacy.js";
import { svm } from "../svm/svm.js";
import { baseNamed, type SchemeName } from "./base-learner.js";
import { type BinaryMachines, SeparateMachines, SvmMachines } from "./machines.js";
import type { MulticlassModelParts } from "./multiclass-model.js";
import { schemeNamed } from "./schemes.js";

const structure = z.strictObject({
  classes: z.array(z.string()).min(2),
  featureNames: z.array(z.string()),
  trained: z.array(z.int().min(0)).min(2),
  base: z.string(),
  rows: z.int().min(2),
  drawn: z.boolean(),
  notices: z.array(z.string()),
  /** Whether one model of all classes is all machines. */
  shared: z.boolean(),
  models: z.array(z.json()).min(1),
});

/** A model as its file holds it; machine 3 has the tensors `3.…`. */
export function multiclassState(model: MulticlassModelParts): State {
  const { classes, featureNames, trained, base, rows, drawn, notices, machines } = model;
  const states = machines.models.map((machine) => machine.toState());
  const tensors = states.map((state, m) => withPrefix(state.tensors, `${m + 1}.`));
  return {
    json: {
      classes,
      featureNames,
      trained,
      base,
      rows,
      drawn,
      notices,
      shared: machines instanceof SvmMachines,
      models: states.map(({ json }) => json),
    },
    tensors: Object.assign({}, ...tensors),
  };
}

/** What a model consists of, from a state that `multiclassState` gave; throws `model/corrupt` for anything else. */
export function multiclassParts(
  learner: SchemeName,
  state: State,
  lookup: LearnerLookup,
): MulticlassModelParts {
  const reader = new StateReader(`${learner} model`, state);
  const { shared, models, ...json } = reader.json(structure);
  const { trained, classes, base } = json;
  if (!trained.every((k, place) => k < classes.length && (place === 0 || k > trained[place - 1]))) {
    throw reader.corrupt(`it was trained on the classes [${trained}]`);
  }
  const expected = shared ? 1 : schemeNamed(learner).sides(trained.length).length;
  if (models.length !== expected) {
    throw reader.corrupt(`it has ${models.length} machines and not ${expected}`);
  }
  const states = machineStates(models, state.tensors, reader);
  const { restore } = baseNamed(learner, base, lookup);
  const machines = shared
    ? new SvmMachines(svm.restore(states[0]))
    : new SeparateMachines(states.map((each) => restore(each)));
  if (!fits(machines, learner, trained.length)) throw reader.corrupt("its machines are not for its classes");
  return { learner, ...json, machines };
}

function machineStates(models: readonly Json[], tensors: State["tensors"], reader: StateReader): State[] {
  const parts = tensorsByPart(tensors);
  const states = models.map((json, m): State => {
    const part = String(m + 1);
    const own = parts.get(part) ?? {};
    parts.delete(part);
    return { json, tensors: own };
  });
  for (const stranger of parts.keys()) throw reader.corrupt(`it has tensors of an unknown part ${stranger}`);
  return states;
}

/** Machines are for two sides each, or for all pairs of the classes in one. */
function fits(machines: BinaryMachines, learner: SchemeName, classes: number): boolean {
  if (machines instanceof SeparateMachines)
    return machines.models.every((model) => model.classes.length === 2);
  return learner !== "one-vs-rest" && machines.model.trained.length === classes;
}
