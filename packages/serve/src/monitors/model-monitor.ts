import { DriftMonitor } from "@vouch/core/internal/checks/drift-monitor";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Table } from "@vouch/core/internal/table/table";
import { SequentialErrorTest } from "@vouch/core/internal/theory/held-out/sequential-error-test";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import {
  type MonitoredCertificate,
  monitoredCertificate,
} from "@vouch/core/internal/train/monitored-certificate";
import * as z from "zod";
import { modelIdentity } from "./model-identity.js";
import { monitorSentence } from "./monitor-sentence.js";

/**
 * Monitors a model in service: whether its certificate still holds, by labelled feedback, and whether its inputs have
 * drifted.
 */
export interface ModelMonitor {
  /** Adds predicted rows, as raw cells by column, to the drift test. Cheap enough to call for each request. */
  observe(table: Table): void;
  /**
   * Adds labelled feedback: the predicted class of each row, null if the model abstained, and the true class. Throws
   * `data/not-classes` on a class that the model lacks; none of the rows then count.
   */
  feedback(items: readonly FeedbackItem[]): void;
  /** Returns the state as plain data for JSON and the page. */
  report(): MonitorReport;
  /** Returns the state to save as JSON. `createModelMonitor` continues from it exactly. */
  state(): MonitorState;
}

/** The predicted class of a row, null if the model abstained, and its true class. */
interface FeedbackItem {
  readonly predicted: string | null;
  readonly actual: string;
}

/** The state of a monitor as plain data. */
export interface MonitorReport {
  /** The monitored bound; null if there is none. */
  readonly certificate: {
    readonly measure: "error";
    readonly bound: number;
    readonly confidence: number;
    /** Whether the bound is about all rows or about answered rows. */
    readonly rows: "all" | "answered";
  } | null;
  /** Numbers of labelled rows and of errors among them. Rows without an answer do not count. */
  readonly feedback: { readonly rows: number; readonly errors: number };
  /** Evidence that the error exceeds the bound; once `logE` reaches `threshold`, an alarm is raised. */
  readonly evidence: {
    /** Current ln E of the e-process. */
    readonly logE: number;
    /** Largest ln E so far: an alarm stays. */
    readonly largestLogE: number;
    /** ln(1/falseAlarm). */
    readonly threshold: number;
    /** Probability that an alarm is ever raised although the bound holds, and likewise for drift in any column. */
    readonly falseAlarm: number;
  };
  readonly status: "no certificate" | "waiting" | "holds so far" | "doubtful";
  /** Drift of each column; empty for a model without a profile of its training rows. */
  readonly columns: readonly {
    readonly name: string;
    readonly drift: number;
    readonly p: number;
    readonly drifted: boolean;
  }[];
  readonly sentence: string;
}

/** Options of `createModelMonitor`. */
export interface ModelMonitorOptions {
  /**
   * Probability that a false alarm is ever raised, in (0, 1), separately for the certificate and for drift. Default
   * 0.01.
   */
  readonly falseAlarm?: number;
  /** State of an earlier monitor of the same model, as read from JSON. */
  readonly state?: unknown;
}

const FALSE_ALARM = 0.01;
/** Increase this if an older state would be misread. */
const STATE_VERSION = 1;

const stateSchema = z.strictObject({
  version: z.literal(STATE_VERSION),
  model: z.string(),
  falseAlarm: z.number().gt(0).lt(1),
  /** Absent if there is no certificate. */
  error: z.unknown().optional(),
  /** Absent if the model has no profile. */
  drift: z.unknown().optional(),
});

/** State of a monitor as plain JSON; `createModelMonitor` checks the content. */
export type MonitorState = z.infer<typeof stateSchema>;

/**
 * Creates the monitor of a classifier, fresh or from an earlier state. Throws if the state is malformed or belongs to
 * another model.
 */
export function createModelMonitor(classifier: Classifier, options: ModelMonitorOptions = {}): ModelMonitor {
  const { falseAlarm = FALSE_ALARM } = options;
  if (!(falseAlarm > 0 && falseAlarm < 1)) {
    throw new VouchError("option/invalid", `falseAlarm must be between 0 and 1, not ${falseAlarm}.`);
  }
  const model = modelIdentity(classifier);
  const monitored = monitoredCertificate(classifier);
  const stored = options.state === undefined ? undefined : readState(options.state, model, falseAlarm);
  const test = errorTest(monitored, stored);
  const drift = createDriftMonitor(classifier, falseAlarm, stored);
  const classes = new Set(classifier.classes);
  const abstains = classifier.decision.abstention !== undefined;

  return {
    observe(table) {
      drift?.add(table);
    },
    feedback(items) {
      const { rows, errors } = countFeedback(items, classes, abstains);
      test.add(errors, rows);
    },
    report() {
      const columns = drift?.columns() ?? [];
      const facts = { monitored, test, falseAlarm, threshold: -Math.log(falseAlarm) };
      const status = monitorStatus(facts);
      return {
        certificate: monitored.certificate
          ? {
              measure: "error",
              bound: monitored.certificate.value,
              confidence: monitored.certificate.confidence,
              rows: monitored.rows,
            }
          : null,
        feedback: { rows: test.rows, errors: test.errors },
        evidence: {
          logE: test.logE,
          largestLogE: test.largestLogE,
          threshold: facts.threshold,
          falseAlarm,
        },
        status,
        columns,
        sentence: monitorSentence({ ...facts, status, columns }),
      };
    },
    state: () => ({
      version: STATE_VERSION,
      model,
      falseAlarm,
      error: test.state(),
      ...(drift && { drift: drift.state() }),
    }),
  };
}

function monitorStatus({
  monitored,
  test,
  threshold,
}: {
  readonly monitored: MonitoredCertificate;
  readonly test: SequentialErrorTest;
  readonly threshold: number;
}): MonitorReport["status"] {
  if (!monitored.certificate) return "no certificate";
  if (test.rows === 0) return "waiting";
  return test.largestLogE >= threshold ? "doubtful" : "holds so far";
}

/** Creates the test of the bound. Without a bound it only counts, because an error of at most 1 cannot be refuted. */
function errorTest(monitored: MonitoredCertificate, stored: MonitorState | undefined): SequentialErrorTest {
  const bound = monitored.certificate?.value ?? 1;
  if (!stored) return new SequentialErrorTest(bound);
  const test = SequentialErrorTest.restore(stored.error);
  if (test.bound === bound) return test;
  throw malformedState("it is about another bound than the model's");
}

function createDriftMonitor(
  { profile, encoder }: Classifier,
  falseAlarm: number,
  stored: MonitorState | undefined,
): DriftMonitor | undefined {
  if (!profile) return undefined;
  const drift = new DriftMonitor(profile, encoder.schema, falseAlarm);
  if (stored) drift.restore(stored.drift);
  return drift;
}

/** Checks the envelope of a state; its parts are checked when they are restored. */
function readState(state: unknown, model: string, falseAlarm: number): MonitorState {
  const parsed = stateSchema.safeParse(state);
  if (!parsed.success) throw malformedState(z.prettifyError(parsed.error));
  if (parsed.data.model !== model) {
    throw new VouchError("option/invalid", "The monitoring state belongs to another version of the model.", {
      hint: "Each version of a model has a monitor: start a new one.",
    });
  }
  if (parsed.data.falseAlarm !== falseAlarm) {
    throw new VouchError(
      "option/invalid",
      `The monitor was started with a rate of false alarms of ${parsed.data.falseAlarm}, not ${falseAlarm}.`,
      {
        hint: "Its promise would not hold if the rate depended on what was seen: keep it, or start a new monitor.",
      },
    );
  }
  return parsed.data;
}

function malformedState(fault: string): VouchError {
  return new VouchError("data/malformed", `This is not the state of a monitor: ${fault}.`, {
    hint: "Restore the file from a copy, or remove it to start a new monitor.",
  });
}

/** Counts answered rows and errors. Throws on the first class that the model lacks. */
function countFeedback(
  items: readonly FeedbackItem[],
  classes: ReadonlySet<string>,
  abstains: boolean,
): { readonly rows: number; readonly errors: number } {
  let rows = 0;
  let errors = 0;
  for (const [i, { predicted, actual }] of items.entries()) {
    if (!classes.has(actual)) throw unknownClass(i, "true", actual, classes);
    if (predicted === null) {
      if (abstains) continue;
      throw new VouchError(
        "data/not-classes",
        `Feedback ${i + 1} has no predicted class, but the model never abstains.`,
        {
          hint: "Send the class that the model predicted.",
        },
      );
    }
    if (!classes.has(predicted)) throw unknownClass(i, "predicted", predicted, classes);
    rows++;
    if (predicted !== actual) errors++;
  }
  return { rows, errors };
}

/** Maximum number of classes in a message. */
const LISTED = 10;

function unknownClass(index: number, which: string, name: string, classes: ReadonlySet<string>): VouchError {
  const listed = [...classes].slice(0, LISTED).join(", ");
  return new VouchError(
    "data/not-classes",
    `Feedback ${index + 1}: the ${which} class "${name}" is not a class of the model.`,
    { hint: `Its classes are ${listed}${classes.size > LISTED ? ", …" : ""}.` },
  );
}
