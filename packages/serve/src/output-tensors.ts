import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { ClassifiedTable } from "@vouch/core/internal/train/classified-table";
import type { Classifier } from "@vouch/core/internal/train/classifier";

/** Metadata of a tensor; −1 stands for any size. */
export interface TensorMetadata {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
}

/** An output tensor of the Open Inference Protocol. */
export interface OutputTensor extends TensorMetadata {
  readonly data: readonly string[] | Float64Array | readonly boolean[];
}

/** An output that a request asks for. */
export interface RequestedOutput {
  readonly name: string;
  readonly binary: boolean;
}

/** Lists the input tensors of a model, one per raw column. */
export function inputMetadata({ encoder }: Classifier): TensorMetadata[] {
  return encoder.schema.columns.map(({ name, kind }) => ({
    name,
    datatype: kind === "numeric" ? "FP64" : "BYTES",
    shape: [-1],
  }));
}

/** Lists the output tensors of a model: prediction, probabilities (or decision values), and sets if it has any. */
export function outputMetadata(classifier: Classifier): TensorMetadata[] {
  const { classes, decision, model } = classifier;
  const probable = decision.calibrator !== undefined || model.scoring === "probability";
  return [
    { name: "prediction", datatype: "BYTES", shape: [-1] },
    { name: probable ? "probabilities" : "scores", datatype: "FP64", shape: [-1, classes.length] },
    ...(decision.sets ? [{ name: "set", datatype: "BOOL", shape: [-1, classes.length] }] : []),
  ];
}

/** Returns the outputs for classified rows; the prediction is "" if the model abstains. */
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
 * Returns the requested outputs in order, by default all. Throws if an output is named twice; a short request could
 * otherwise ask for a very long answer.
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
