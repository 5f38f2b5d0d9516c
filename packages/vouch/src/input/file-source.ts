import { readText } from "@vouch/core/internal/runtime/files/read-text";
import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import type { Progress } from "@vouch/core/internal/runtime/parallel/run";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { type RaceRecord, readRaceRecord } from "@vouch/core/internal/select/race/record";
import { loadModel } from "@vouch/core/internal/train/file";
import type { TrainSource } from "@vouch/core/internal/train/train-source";
import type { ReadingFlags } from "../options/flags.js";
import { readAside, readNewData, readTrainingData } from "./reading.js";

/** Services for reading: threads, and callbacks for its caller. */
export interface ReadServices {
  readonly signal?: AbortSignal;
  readonly progress?: (progress: Progress) => void;
  readonly executor?: Executor;
  /** Tasks that will follow on the threads, which load them while a large file is read. */
  readonly tasks?: readonly string[];
}

/** Creates the source of DATA: a file, standard input, or the name of a data set. */
export function fileSource(argument: string, flags: ReadingFlags, services: ReadServices): TrainSource {
  const { tasks, ...others } = services;
  const reading = { flags, ...others };
  let name: string | undefined;
  return {
    read: async (target, kept) => {
      if (name !== undefined && argument === "-") throw notReadAgain(name);
      const data = await readTrainingData(argument, { ...reading, tasks, target, kept });
      name = data.rows.name;
      return data;
    },
    readTest: (file, { whole, target }) => readNewData(file, { ...reading, target, like: whole.columns }),
    readUnlabelled: async (file, { whole, target }) =>
      (await readTrainingData(file, { ...reading, target, like: whole.columns })).rows,
    readAside: (whole) => readAside(argument, whole, { flags, signal: services.signal }),
    ...trainingFiles,
  };
}

/** Reads the models and searches that a training repeats. */
export const trainingFiles: Pick<TrainSource, "readModel" | "readRecord"> = {
  readModel: loadModel,
  readRecord: readRecordFile,
};

/** Creates the error for a guessed target without classes, if the data cannot be read again for another target. */
function notReadAgain(name: string): VouchError {
  return new VouchError(
    "data/not-classes",
    `${name}: the column with the name of a target does not hold classes.`,
    {
      hint: "Standard input can be read only once: name the column with the class with --target.",
    },
  );
}

async function readRecordFile(file: string): Promise<RaceRecord> {
  const text = await readText(file).catch((cause: unknown) => {
    throw new VouchError("file/read", `Cannot read the record ${file}.`, { cause });
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new VouchError("data/malformed", `${file} is not JSON.`, {
      cause,
      hint: "Give a file that vouch train --record has written.",
    });
  }
  return readRaceRecord(json);
}
