import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { ClassifiedTable } from "@vouch/core/internal/train/classified-table";
import type { Classifier } from "@vouch/core/internal/train/classifier";

/** Metadata of a tensor; −1 is any size. */
export interface TensorMetadata {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
}

/** An output by the Open Inference Protocol. */
export interface OutputTensor extends TensorMetadata {
  readonly data: readonly string[] | Float64Array | readonly boolean[];
}

/** An output that a request asks for. */
export interface RequestedOutput {
  readonly name: string;
  readonly binary: boolean;
}

/** Lists the inputs of a model: one tensor per raw column. */
export function inputMetadata({ encoder }: Classifier): TensorMetadata[] {
  return encoder.schema.columns.map(({ name, kind }) => ({
    name,
    datatype: kind === "numeric" ? "FP64" : "BYTES",
    shape: [-1],
  }));
}

/** Lists the outputs of a model: prediction, probabilities (or decision values), and sets if it gives any. */
export function outputMetadata(classifier: Classifier): TensorMetadata[] {
  const { classes, decision, model } = classifier;
  const probable = decision.calibrator !== undefined || model.scoring === "probability";
  return [
    { name: "prediction", datatype: "BYTES", shape: [-1] },
    { name: probable ? "probabilities" : "scores", datatype: "FP64", shape: [-1, classes.length] },
    ...(decision.sets ? [{ name: "set", datatype: "BOOL", shape: [-1, classes.length] }] : []),
  ];
}

/** Returns the outputs of classified rows. The prediction of a row that the model does not answer is "". */
export function outputTensors(classifier: Classifier, classified: ClassifiedTable): OutputTensor[] {
  const { classes } = classifier;
  const rows = classified.predictions.length;
  const { probabilities, scores, sets } = classified;
  return [
    { name: "prediction", datatype: "BYTES", shape: [rows], data: classified.predictions },
    {
      name: probabilities ? "probabilities" : "scores",
      datatype: "FP64",
      shape: [rows, classes.length],
      data: Float64Array.from((probabilities ?? scores).values),
    },
    ...(sets
      ? [
          {
            name: "set",
            datatype: "BOOL",
            shape: [rows, classes.length],
            data: sets.flatMap((members) => {
              const inSet = new Set(members);
              return classes.map((name) => inSet.has(name));
            }),
          },
        ]
      : []),
  ];
}

/**
 * Returns the outputs that a request asks for, in its order; all of them if it names none. Throws if it names one twice: a short
 * request could otherwise ask for a very long answer.
 */
export function chosenOutputs(
  outputs: readonly OutputTensor[],
  requested: readonly RequestedOutput[],
  binaryByDefault: boolean,
): { readonly output: OutputTensor; readonly binary: boolean }[] {
  if (requested.length === 0) return outputs.map((output) => ({ output, binary: binaryByDefault }));
  const names = new Set<string>();
  return requested.map(({ name, binary }) => {
    const output = outputs.find((each) => each.name === name);
    if (!output) {
      throw new VouchError("option/invalid", `The model has no output "${name}".`, {
        hint: `It has ${outputs.map((each) => each.name).join(", ")}.`,
      });
    }
    if (names.has(name)) {
      throw new VouchError("option/invalid", `The request asks for the output "${name}" twice.`, {
        hint: "Name each output once.",
      });
    }
    names.add(name);
    return { output, binary };
  });
}
