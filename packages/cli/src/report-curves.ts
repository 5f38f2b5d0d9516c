import type { LayerPretraining, TrainingCurve } from "@vouch/report";
import { AdaBoostModel, AdaBoostTreesModel, BoostedTreesModel, NetworkModel } from "vouch";
import { BinnedColumns, Matrix } from "vouch/learning";
import type { TrainedRun } from "./commands/train.js";

/** Error per round, where the model is made in rounds; loss per epoch, where it is a network. */
export function curveOf({ training }: TrainedRun): TrainingCurve | undefined {
  const { model } = training.classifier;
  if (model instanceof NetworkModel) return lossCurve(model);
  const { heldOut } = training.samples;
  const test = heldOut && stagedErrors(model, heldOut);
  const tested = test ? [{ role: "test" as const, name: "Held-out rows", values: test }] : [];
  if (model instanceof AdaBoostModel || model instanceof AdaBoostTreesModel) {
    const values = model.rounds.map((round) => round.trainingError);
    const bounds = model.trainingErrorBounds();
    return {
      step: "Round",
      series: [
        { role: "train", name: "Training rows", values },
        ...tested,
        { role: "bound", name: "Bound of Theorem 3.1 on the training error", values: bounds },
      ],
    };
  }
  const train = stagedErrors(model, training.samples.training);
  return (
    train && { step: "Round", series: [{ role: "train", name: "Training rows", values: train }, ...tested] }
  );
}

/** The losses of a network in all its epochs, also those after the best one. */
function lossCurve({ curve }: NetworkModel): TrainingCurve {
  const train = curve.map(({ trainingLoss }) => trainingLoss);
  const kept = curve.flatMap(({ validationLoss }) => (validationLoss === undefined ? [] : [validationLoss]));
  const validated =
    kept.length > 0
      ? [{ role: "test" as const, name: "Rows kept apart to know when to stop", values: kept }]
      : [];
  return {
    step: "Epoch",
    quantity: "loss",
    series: [{ role: "train", name: "Training rows", values: train }, ...validated],
  };
}

/** How the layers of a network were pre-trained, if they were. */
export function pretrainingOf(model: object): readonly LayerPretraining[] | undefined {
  if (!(model instanceof NetworkModel)) return undefined;
  return model.pretraining?.map(({ epochs, freeEnergies }, l) => ({
    name: `Layer ${l + 1}`,
    errors: epochs,
    ...(freeEnergies && { freeEnergies }),
  }));
}

/** The error on labelled rows after each round, where the model is made in rounds. */
function stagedErrors(
  model: object,
  { features, labels }: { readonly features: object; readonly labels: Int32Array },
): number[] | undefined {
  const errorOf = (predictions: Int32Array) =>
    predictions.filter((prediction, i) => prediction !== labels[i]).length / labels.length;
  if (model instanceof AdaBoostModel && features instanceof Matrix) {
    return Array.from(model.stagedPredictions(features), errorOf);
  }
  const inRounds = model instanceof BoostedTreesModel || model instanceof AdaBoostTreesModel;
  if (inRounds && features instanceof BinnedColumns) {
    return Array.from(model.stagedPredictions(features), errorOf);
  }
  return undefined;
}
