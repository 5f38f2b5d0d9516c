import { threadExecutor } from "@vouch/core/internal/runtime/parallel/threads";
import { Table } from "@vouch/core/internal/table/table";
import { planTraining } from "@vouch/core/internal/train/plan-training";
import {
  parseTrainRequest,
  readerOptions,
  type TrainRequest,
  type TrainRequestInput,
} from "@vouch/core/internal/train/request/request";
import { type TrainSource, tableSource } from "@vouch/core/internal/train/train-source";
import { type Trained, type TrainServices, trainFrom } from "@vouch/core/internal/train/train-table";
import { readTable, type TableSource } from "@vouch/formats";

/** Trains on a table, or on data that `readTable` reads, like `vouch train`. */
export async function trainData(
  data: TableSource | Table,
  options: TrainRequestInput,
  services: TrainServices,
): Promise<Trained> {
  const request = parseTrainRequest(options);
  const source = data instanceof Table ? tableSource(data) : readableSource(data, request, services);
  return trainFrom(source, await planTraining(request), services);
}

function readableSource(data: TableSource, request: TrainRequest, services: TrainServices): TrainSource {
  const { executor, signal, onProgress } = services;
  const options = { ...readerOptions(request), executor, signal, onProgress };
  return {
    read: async (target, verbatim) => ({
      rows: await readTable(data, { ...options, target, verbatim }),
    }),
  };
}

/** Runs a training on the executor of its services, or on local threads. */
export async function withExecutor(
  services: TrainServices,
  run: (services: TrainServices) => Promise<Trained>,
): Promise<Trained> {
  if (services.executor) return run(services);
  const executor = threadExecutor();
  try {
    return await run({ ...services, executor });
  } finally {
    await executor.close();
  }
}
