import {
  parseTrainRequest,
  planTraining,
  type Trained,
  type TrainRequestInput,
  type TrainServices,
  trainFrom,
} from "vouch/command";
import { type Table, threadExecutor } from "vouch/train";
import { fileSource, trainingFiles } from "./file-source.js";
import { trainData } from "./train-data.js";

/**
 * Trains a classifier as `vouch train` does: reads the data, finds the best learner within the budget unless one is named, measures and
 * certifies the error, and says whether the model is worth using. The options are those of the command, with the same names and
 * defaults; nothing is written or printed.
 *
 * ```ts
 * const { verdict, certificates, classifier } = await train("customers.csv", { target: "churned" });
 * ```
 *
 * @param data a path, the name of a data set, a file of a browser, or a table
 */
export async function train(
  data: string | Blob | Table,
  options: TrainRequestInput = {},
  services: TrainServices = {},
): Promise<Trained> {
  if (services.executor) return trainOn(data, options, services);
  const executor = threadExecutor();
  try {
    return await trainOn(data, options, { ...services, executor });
  } finally {
    await executor.close();
  }
}

async function trainOn(
  data: string | Blob | Table,
  options: TrainRequestInput,
  services: TrainServices,
): Promise<Trained> {
  if (typeof data !== "string") return trainData(data, options, services);
  const request = parseTrainRequest(options);
  const { executor, signal, onProgress: progress } = services;
  const source = fileSource(data, request, { executor, signal, progress });
  return trainFrom(source, await planTraining(request, trainingFiles), services);
}
