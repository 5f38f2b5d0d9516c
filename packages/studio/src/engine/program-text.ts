import type { Json } from "@vouch/core/internal/runtime/codec/state";
import type { TrainRequest } from "@vouch/core/internal/train/request/request";
import { modelFields, modelRequest } from "@vouch/core/internal/train/request/request-text";
import type { Training } from "@vouch/core/internal/train/training";

/** Facts that a program needs to train the same model. */
interface ProgramFacts {
  readonly data: string;
  readonly request: TrainRequest;
  /** Learner options that differ from their defaults. */
  readonly options: Readonly<Record<string, Json>>;
}

const IMPORTS = [
  'import { describeVerdict, train } from "vouch";',
  'import { saveModel } from "vouch/node";',
] as const;

/** Writes a program for Node that trains the same model with the library. */
export function programText(
  { data, request, options }: ProgramFacts,
  training: Training,
  schema?: Parameters<typeof modelFields>[1],
): string {
  const own = {
    ...modelRequest(request, training),
    set: Object.keys(options).length > 0 ? options : undefined,
  };
  const lines = modelFields(own, schema).map(([{ name }, value]) => `  ${name}: ${JSON.stringify(value)},`);
  return `${IMPORTS.join("\n")}

const trained = await train(${JSON.stringify(data)}, {
${lines.join("\n")}
});
const { verdict, warnings } = describeVerdict(trained.verdict);
console.log([verdict, ...warnings].join("\\n"));
console.log(trained.certificates[0].statement);
await saveModel("model.safetensors", trained.classifier);
`;
}
