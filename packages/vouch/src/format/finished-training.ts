import type { TargetGuess } from "@vouch/core/internal/table/guess-target";
import type { Table } from "@vouch/core/internal/table/table";
import type { TrainCommandRequest, TrainRequest } from "@vouch/core/internal/train/request/request";
import type { Training } from "@vouch/core/internal/train/training";

/** A finished training. */
export interface FinishedTraining {
  readonly data: string;
  readonly flags: Pick<TrainCommandRequest, "out" | "report" | "reportWithout" | "budget" | "verbose">;
  /** With the seed of a repeated model or search. */
  readonly request: TrainRequest;
  readonly table: Table;
  readonly training: Training;
  readonly seconds: number;
  /** How the target was guessed; absent if the user named it. */
  readonly guess?: TargetGuess | undefined;
}
