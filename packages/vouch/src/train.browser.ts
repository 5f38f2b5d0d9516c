import type { Table } from "@vouch/core/internal/table/table";
import type { TrainRequestInput } from "@vouch/core/internal/train/request/request";
import type { Trained, TrainServices } from "@vouch/core/internal/train/train-table";
import type { TableSource } from "@vouch/formats";
import { trainData, withExecutor } from "./input/train-data.js";

/** The browser version of `train`. */
export async function train(
  data: TableSource | Table,
  options: TrainRequestInput = {},
  services: TrainServices = {},
): Promise<Trained> {
  return withExecutor(services, (services) => trainData(data, options, services));
}
