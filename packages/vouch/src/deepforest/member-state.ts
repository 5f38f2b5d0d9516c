import { z } from "zod";
import { restoreEncoder } from "../data/encoder-state.js";
import type { LearnerLookup } from "../learning/learner.js";
import { nestedState, withPrefix } from "../state/nested-state.js";
import type { State } from "../state/state.js";
import type { StateReader } from "../state/state-reader.js";
import { readTrees, treeTensorNames, treeTensors } from "../tree/index.js";
import type { EncodedModel } from "./encoded-model.js";
import type { FittedMember } from "./member.js";

/** The structured part of a member. */
export const memberSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("forest"), name: z.enum(["forest", "random-trees"]) }),
  z.strictObject({
    kind: z.literal("learner"),
    name: z.string(),
    folds: z.array(z.strictObject({ encoder: z.json(), model: z.json() })).min(1),
  }),
]);

/** A member as a model file holds it; its tensors have the prefix. */
export function memberState(member: FittedMember, prefix: string): State {
  if (member.kind === "forest") {
    return { json: { kind: "forest", name: member.name }, tensors: treeTensors(member.trees, prefix) };
  }
  const folds = member.folds.map((fold, f) => foldState(fold, `${prefix}fold${f + 1}.`));
  return {
    json: { kind: "learner", name: member.name, folds: folds.map(({ json }) => json) },
    tensors: Object.assign({}, ...folds.map(({ tensors }) => tensors)),
  };
}

function foldState({ encoder, model }: EncodedModel, prefix: string): State {
  const [ofEncoder, ofModel] = [encoder.toState(), model.toState()];
  return {
    json: { encoder: ofEncoder.json, model: ofModel.json },
    tensors: {
      ...withPrefix(ofEncoder.tensors, `${prefix}encoder.`),
      ...withPrefix(ofModel.tensors, `${prefix}model.`),
    },
  };
}

/** Where a member is read from. */
export interface MemberSource {
  readonly reader: StateReader;
  readonly tensors: State["tensors"];
  readonly prefix: string;
  readonly classes: readonly string[];
  /** How many columns its layer sees. */
  readonly columns: number;
  readonly lookup: LearnerLookup;
}

/** The member behind what `memberState` gave. */
export function restoreMember(json: z.output<typeof memberSchema>, source: MemberSource): FittedMember {
  const { reader, prefix, classes, columns } = source;
  if (json.kind === "forest") {
    const trees = readTrees(reader, { classes: classes.length, columns }, prefix);
    return { kind: "forest", name: json.name, trees };
  }
  const definition = source.lookup(json.name);
  const folds = json.folds.map((fold, f): EncodedModel => {
    const own = `${prefix}fold${f + 1}.`;
    const encoder = restoreEncoder(nestedState(source.tensors, `${own}encoder.`, fold.encoder));
    const model = definition.restore(nestedState(source.tensors, `${own}model.`, fold.model));
    if (model.scoring !== "probability" || model.classes.length !== classes.length) {
      throw reader.corrupt(`a layer has a ${json.name} that does not fit`);
    }
    return { encoder, model };
  });
  return { kind: "learner", name: json.name, folds };
}

/** The names of the tensors that a member may have. */
export function memberTensorNames(json: z.output<typeof memberSchema>, source: MemberSource): string[] {
  if (json.kind === "forest") return treeTensorNames(source.prefix);
  // Encoders and models refuse tensors of theirs that they do not know.
  const parts = json.folds.flatMap((_, f) =>
    ["encoder.", "model."].map((part) => `${source.prefix}fold${f + 1}.${part}`),
  );
  return Object.keys(source.tensors).filter((name) => parts.some((part) => name.startsWith(part)));
}
