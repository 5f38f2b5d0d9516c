import * as z from "zod";
import { counted, countedFromOne, finiteReal } from "../runtime/number-ranges.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { CandidateCounts } from "./candidates.js";
import { type Contender, FATES } from "./contender.js";

/** What the clock has decided in a race: which configuration took part in which rounds, and what there was time for at the end. */
const raceRecordSchema = z.strictObject({
  seed: finiteReal,
  folds: countedFromOne,
  /** Number of training rows. */
  dataRows: countedFromOne,
  /** Every configuration that was tried or listed, in order. */
  contenders: z.array(
    z.strictObject({
      learner: z.string(),
      options: z.record(z.string(), z.json()),
      /** The rounds that it took part in. */
      rounds: z.array(counted),
      fate: z.enum(FATES),
      reason: z.string(),
      /** Number of rows that there was time to fit it to; absent if it could not win. */
      rows: countedFromOne.optional(),
    }),
  ),
  /** Number of configurations that could have won. */
  among: countedFromOne,
  /** Number of those whose models may have a certificate from the training rows; absent in older records, where all count. */
  certifiable: counted.optional(),
  ended: z.enum(["decided", "by time", "by request"]),
  /** Places of the contenders that an ensemble was formed of, best first; absent if none was. */
  pool: z.array(counted).optional(),
});

/** The record of a race, which reproduces it without a clock. */
export type RaceRecord = z.output<typeof raceRecordSchema>;

/** Reads a record from JSON; throws if it is not one. */
export function readRaceRecord(json: unknown): RaceRecord {
  const read = raceRecordSchema.safeParse(json);
  if (!read.success) {
    const [{ path, message }] = read.error.issues;
    throw new VouchError(
      "data/malformed",
      `This is not the record of a race: ${path.join(".")}: ${message}.`,
      {
        hint: "Give a file that vouch train --record has written.",
      },
    );
  }
  const { contenders, pool = [] } = read.data;
  const missing = pool.find((place) => place >= contenders.length);
  if (contenders.length > 0 && missing === undefined) return read.data;
  throw new VouchError("data/malformed", "This is not the record of a race: contenders are missing.", {
    hint: "Give a file that vouch train --record has written.",
  });
}

/** The parts of a race that its record keeps. */
interface RecordedRace extends CandidateCounts {
  readonly seed: number;
  readonly folds: number;
  readonly dataRows: number;
  readonly contenders: readonly { readonly contender: Contender; readonly rows?: number }[];
  readonly pool: readonly Contender[] | undefined;
  readonly ended: RaceRecord["ended"];
}

/** Writes down what the clock has decided. */
export function recordOf({ contenders, pool, ...race }: RecordedRace): RaceRecord {
  return raceRecordSchema.parse({
    ...race,
    contenders: contenders.map(({ contender: { learner, results, out }, rows }) => ({
      learner: learner.name,
      options: Object.fromEntries(Object.entries(learner.options).filter(([, value]) => value !== undefined)),
      rounds: results.map(({ round }) => round),
      fate: out?.fate ?? "finished",
      reason: out?.reason ?? "",
      ...(rows !== undefined && { rows }),
    })),
    ...(pool && { pool: pool.map(({ place }) => place) }),
  });
}
