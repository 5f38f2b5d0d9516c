import { Random } from "@vouch/core/internal/runtime/maths/random";
import {
  formatNumber,
  formatPercent,
  formatRoundPercent,
} from "@vouch/core/internal/runtime/text/number-format";
import { SequentialErrorTest } from "@vouch/core/internal/theory/held-out/sequential-error-test";
import * as z from "zod";
import { defineExperiment, type ExperimentRun, partsOf, type Result, type Scale } from "../experiment.js";
import { markdownTable } from "../markdown-table.js";
import { withMarkedText } from "../marked-text.js";

const BOUNDS: Readonly<Record<Scale, readonly number[]>> = { quick: [0.2], paper: [0.01, 0.05, 0.2] };
/** Number of streams without a change, and their rows. */
const STREAMS: Readonly<Record<Scale, number>> = { quick: 20, paper: 1000 };
const ROWS: Readonly<Record<Scale, number>> = { quick: 500, paper: 20_000 };
/** Number of streams with a change, and of those that also test a single start. */
const CHANGED_STREAMS: Readonly<Record<Scale, number>> = { quick: 11, paper: 501 };
const SINGLE_START_STREAMS: Readonly<Record<Scale, number>> = { quick: 3, paper: 101 };
const CHANGES: Readonly<Record<Scale, readonly number[]>> = { quick: [0, 200], paper: [0, 1000, 10_000] };
/** Errors before the change as multiples of the bound: at the bound, and at a usual distance below it. */
const BEFORE = [1, 0.8];
/** Each error doubles. */
const FACTOR = 2;
const DELTAS = [0.1, 0.05, 0.01];
/** The rate of false alarms at which delays are measured: the default of `vouch serve`. */
const DELTA = 0.01;
/** Maximum number of rows after a change. */
const LONGEST = 100_000;
/** Number of rows after which the test with a single start is evaluated. */
const STEP = 20;

const delaySchema = z.strictObject({
  before: z.number(),
  after: z.number(),
  /** Number of rows before the change. */
  changedAfter: z.int().min(0),
  streams: z.int().min(1),
  /** Rows from the change to the alarm: median and 90% quantile; null without an alarm in time. */
  median: z.int().nullable(),
  late: z.int().nullable(),
  /** Median of a test that bets only from the first row on. */
  singleStart: z.int().nullable(),
  /** ln(1/δ)/D: mean delay of the best test that knows when and how the error changes. */
  limit: z.number(),
  /** Number of streams with an alarm before the change, which do not count for the delays. */
  early: z.int().min(0),
});

const partSchema = z.strictObject({
  bound: z.number(),
  streams: z.int().min(1),
  rows: z.int().min(1),
  alarms: z.array(z.strictObject({ delta: z.number(), streams: z.int().min(0) })),
  delays: z.array(delaySchema),
});

const dataSchema = z.strictObject({ delta: z.number(), parts: z.array(partSchema) });

type Delay = z.infer<typeof delaySchema>;

/** False alarms and delays of the test that watches a certified error. */
export const certificateWatch = defineExperiment({
  name: "certificates/watch",
  paper: "Ville (1939); Shiryaev (1963); Roberts (1966)",
  shows:
    "The sequential test of a certified error: alarms in streams without a change, and rows until the alarm after the error has doubled.",
  cost: {
    quick: "a few short streams: seconds",
    paper: "1,000 streams of 20,000 rows for each of 3 bounds: a few minutes",
  },
  data: dataSchema,
  async measure(run) {
    const bounds = BOUNDS[run.scale];
    const parts = await partsOf(run, bounds.map(String), partSchema, async (_, k) => {
      const bound = bounds[k];
      return {
        bound,
        streams: STREAMS[run.scale],
        rows: ROWS[run.scale],
        alarms: alarmsAt(bound, run),
        delays: BEFORE.flatMap((before) =>
          CHANGES[run.scale].map((changedAfter) => delayOf(bound, before * bound, changedAfter, run)),
        ),
      };
    });
    return { delta: DELTA, parts };
  },
  tables: (data) => tablesOf(data).join("\n\n"),
});

/** Replaces the tables between the marks of a Markdown page by a result's tables; throws if the page has no marks. */
export function withWatchTables(page: string, { data }: Result): string {
  return withMarkedText(page, "certificates/watch", tablesOf(dataSchema.parse(data)).join("\n\n"));
}

function tablesOf({ parts, delta }: z.infer<typeof dataSchema>): string[] {
  return [
    "Streams in which an alarm was ever raised, at an error of exactly the bound; at most the share δ of them should be:",
    markdownTable(
      ["bound", "streams", "rows of each", ...DELTAS.map((one) => `δ = ${formatRoundPercent(one)}`)],
      parts.map(({ bound, streams, rows, alarms }) => [
        formatRoundPercent(bound),
        formatNumber(streams),
        formatNumber(rows),
        ...alarms.map((one) => `${one.streams} (${formatPercent(one.streams / streams)})`),
      ]),
    ),
    `Labelled rows from the change of the error to the alarm at δ = ${formatRoundPercent(delta)}. A single start is the same test without bets that begin later. The limit is the mean of the best test that knows the change beforehand:`,
    markdownTable(
      [
        "bound",
        "error before",
        "after",
        "rows before",
        "median delay",
        "90% within",
        "single start",
        "limit",
      ],
      parts.flatMap(({ bound, delays }) =>
        delays.map((delay) => [formatRoundPercent(bound), ...formatCells(delay)]),
      ),
    ),
  ];
}

function formatCells({ before, after, changedAfter, median, late, singleStart, limit }: Delay): string[] {
  const rows = (delay: number | null) =>
    delay === null ? `> ${formatNumber(LONGEST)}` : formatNumber(delay);
  return [
    formatRoundPercent(before),
    formatRoundPercent(after),
    formatNumber(changedAfter),
    `**${rows(median)}**`,
    rows(late),
    rows(singleStart),
    formatNumber(Math.round(limit)),
  ];
}

/** Counts the streams that ever raise an alarm at an error of exactly the bound. */
function alarmsAt(bound: number, { seed, scale }: ExperimentRun) {
  const largest = Array.from({ length: STREAMS[scale] }, (_, stream) => {
    const random = new Random(seed).fork(0).fork(stream);
    const test = new SequentialErrorTest(bound);
    for (let row = 0; row < ROWS[scale]; row++) test.add(random.uniform() < bound ? 1 : 0, 1);
    return test.largestLogE;
  });
  return DELTAS.map((delta) => ({
    delta,
    streams: largest.filter((logE) => logE >= Math.log(1 / delta)).length,
  }));
}

/** Measures the delays of alarms after an error has doubled. */
function delayOf(bound: number, before: number, changedAfter: number, { seed, scale }: ExperimentRun): Delay {
  const after = FACTOR * before;
  const streams = CHANGED_STREAMS[scale];
  const delays: number[] = [];
  const single: number[] = [];
  for (let stream = 0; stream < streams; stream++) {
    const errors = () => errorStream(before, after, changedAfter, new Random(seed).fork(1).fork(stream));
    const delay = delayIn(errors(), bound, changedAfter);
    if (delay > 0) delays.push(delay);
    if (stream < SINGLE_START_STREAMS[scale]) {
      const later = singleStartDelay(errors(), bound, changedAfter);
      if (later > 0) single.push(later);
    }
  }
  return {
    before,
    after,
    changedAfter,
    streams,
    median: quantile(delays, 0.5),
    late: quantile(delays, 0.9),
    singleStart: quantile(single, 0.5),
    limit: Math.log(1 / DELTA) / relativeEntropy(after, bound),
    early: streams - delays.length,
  };
}

/** Yields whether each row is an error, up to the longest delay. */
function* errorStream(
  before: number,
  after: number,
  changedAfter: number,
  random: Random,
): Generator<number> {
  for (let row = 0; row < changedAfter + LONGEST; row++) {
    yield random.uniform() < (row < changedAfter ? before : after) ? 1 : 0;
  }
}

/** Counts the rows from the change to the alarm: infinity without an alarm, zero or less if it was raised before. */
function delayIn(errors: Iterable<number>, bound: number, changedAfter: number): number {
  const test = new SequentialErrorTest(bound);
  for (const error of errors) {
    test.add(error, 1);
    if (test.logE >= Math.log(1 / DELTA)) return test.rows - changedAfter;
  }
  return Number.POSITIVE_INFINITY;
}

/** Does the same for bets from the first row only: all rows in one call are such a bet with half of the capital. */
function singleStartDelay(errors: Iterable<number>, bound: number, changedAfter: number): number {
  let rows = 0;
  let wrong = 0;
  for (const error of errors) {
    rows++;
    wrong += error;
    if (rows % STEP !== 0) continue;
    const test = new SequentialErrorTest(bound);
    test.add(wrong, rows);
    if (2 * Math.exp(test.logE) - 1 >= 1 / DELTA) return rows - changedAfter;
  }
  return Number.POSITIVE_INFINITY;
}

/** Returns the smallest value that is not exceeded by a share of the values; null if it is infinite. */
function quantile(values: readonly number[], share: number): number | null {
  const ascending = [...values].sort((a, b) => a - b);
  const value = ascending[Math.ceil(share * ascending.length) - 1] ?? Number.POSITIVE_INFINITY;
  return Number.isFinite(value) ? value : null;
}

/** Computes the relative entropy of two error rates in nats. */
function relativeEntropy(p: number, q: number): number {
  return p * Math.log(p / q) + (1 - p) * Math.log((1 - p) / (1 - q));
}
