import type { Table } from "@vouch/core/internal/table/table";
import { planTraining } from "@vouch/core/internal/train/plan-training";
import { parseTrainRequest, type TrainRequestInput } from "@vouch/core/internal/train/request/request";
import { type Trained, type TrainServices, trainFrom } from "@vouch/core/internal/train/train-table";
import type { TableSource } from "@vouch/formats";
import { fileSource, trainingFiles } from "./input/file-source.js";
import { trainData, withExecutor } from "./input/train-data.js";
import { threadTasks } from "./process/tasks-to-preload.js";

/**
 * Trains a classifier, for `vouch train` and for programs: reads the data, finds the best learner within the budget unless one is
 * named, measures and certifies the error, and judges whether the model is worth using. It takes the options of the command, with the
 * same names and defaults; nothing is written or printed.
 *
 * ```ts
 * const { verdict, certificates, classifier } = await train("customers.csv", { target: "churned" });
 * ```
 *
 * @param data a path (in a browser, an address), the name of a data set (in Node), a file, bytes, a stream, or a table
 */
export async function train(
  data: TableSource | Table,
  options: TrainRequestInput = {},
  services: TrainServices = {},
): Promise<Trained> {
  return withExecutor(services, async (services) => {
    if (typeof data !== "string") return trainData(data, options, services);
    const request = parseTrainRequest(options);
    const { executor, signal, onProgress: progress } = services;
    const plan = await planTraining(request, trainingFiles);
    const tasks = await threadTasks(plan.learner ? [plan.learner] : []);
    return trainFrom(fileSource(data, request, { executor, signal, progress, tasks }), plan, services);
  });
}
