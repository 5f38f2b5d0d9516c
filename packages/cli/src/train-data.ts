import { readData } from "@vouch/formats/browser";
import {
  parseTrainRequest,
  planTraining,
  readerOptions,
  type Trained,
  type TrainRequest,
  type TrainRequestInput,
  type TrainServices,
  type TrainSource,
  tableSource,
  trainFrom,
} from "vouch/command";
import { Table } from "vouch/train";

/** Trains on a table or on a file of a browser as `vouch train` does. */
export async function trainData(
  data: Blob | Table,
  options: TrainRequestInput = {},
  services: TrainServices = {},
): Promise<Trained> {
  const request = parseTrainRequest(options);
  const source = data instanceof Table ? tableSource(data) : blobSource(data, request, services);
  return trainFrom(source, await planTraining(request), services);
}

function blobSource(data: Blob, request: TrainRequest, { signal, onProgress }: TrainServices): TrainSource {
  const options = { ...readerOptions(request), signal, onProgress };
  return {
    read: async (target, keepSpelling) => ({
      rows: await readData(data, { ...options, target, keepSpelling }),
    }),
  };
}
