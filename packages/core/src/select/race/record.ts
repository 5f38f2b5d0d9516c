import * as z from "zod";
import { nonNegativeInteger, positiveInteger, realNumber } from "../../runtime/codec/schema-numbers.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { CandidateCounts } from "../candidates.js";
import { CANDIDATE_STATUSES, type Candidate } from "./candidate.js";

/**
 * What the clock decided in a race: which configuration took part in which rounds, and what there was time for at the
 * end.
 */
const raceRecordSchema = z.strictObject({
  seed: realNumber,
  folds: positiveInteger,
  /** Number of training rows. */
  dataRows: positiveInteger,
  /** Every tried or listed configuration, in order. */
  contenders: z.array(
    z.strictObject({
      learner: z.string(),
      options: z.record(z.string(), z.json()),
      /** The rounds that it took part in. */
      rounds: z.array(nonNegativeInteger),
      fate: z.enum(CANDIDATE_STATUSES),
      reason: z.string(),
      /** Number of rows that there was time to fit it to; absent if it could not win. */
      rows: positiveInteger.optional(),
    }),
  ),
  /** Number of configurations that could have won. */
  among: positiveInteger,
  /**
   * Number of those whose models may have a certificate from the training rows; absent in older records, where all
   * count.
   */
  certifiable: nonNegativeInteger.optional(),
  ended: z.enum(["decided", "by time", "by request"]),
  /** Indices of the candidates of an ensemble, best first; absent if none was formed. */
  pool: z.array(nonNegativeInteger).optional(),
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
  const { contenders: candidates, pool = [] } = read.data;
  const missing = pool.find((place) => place >= candidates.length);
  if (candidates.length > 0 && missing === undefined) return read.data;
  throw new VouchError("data/malformed", "This is not the record of a race: contenders are missing.", {
    hint: "Give a file that vouch train --record has written.",
  });
}

/** The parts of a race that its record keeps. */
interface RecordedRace extends CandidateCounts {
  readonly seed: number;
  readonly folds: number;
  readonly dataRows: number;
  readonly candidates: readonly { readonly candidate: Candidate; readonly rows?: number }[];
  readonly pool: readonly Candidate[] | undefined;
  readonly ended: RaceRecord["ended"];
}

/** Writes down what the clock has decided. */
export function writeRaceRecord({ candidates, pool, ...race }: RecordedRace): RaceRecord {
  return raceRecordSchema.parse({
    ...race,
    contenders: candidates.map(({ candidate: { learner, results, exit }, rows }) => ({
      learner: learner.name,
      options: Object.fromEntries(Object.entries(learner.options).filter(([, value]) => value !== undefined)),
      rounds: results.map(({ round }) => round),
      fate: exit?.status ?? "finished",
      reason: exit?.reason ?? "",
      ...(rows !== undefined && { rows }),
    })),
    ...(pool && { pool: pool.map(({ place }) => place) }),
  });
}
