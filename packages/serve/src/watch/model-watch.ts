import { type Classifier, type Table, VouchError } from "vouch/predict";

/** Watches one model in service: whether its certificate still holds by labelled feedback, and whether inputs have drifted. */
export interface ModelWatch {
  /** Adds rows that were predicted, as raw cells by column (for drift). Cheap: called for each request. */
  observe(table: Table): void;
  /** Adds labelled feedback: predicted and true class of one or more rows. Throws VouchError on unknown classes. */
  feedback(items: readonly { readonly predicted: string | null; readonly actual: string }[]): void;
  /** Describes the state in plain data, for JSON and the page. */
  report(): WatchReport;
  /** Returns the state to save, and restores from it (a restart goes on; state of another model version is refused). */
  state(): unknown;
}

/** The state of a watch, in plain data. */
export interface WatchReport {
  readonly certificate: {
    readonly measure: "error";
    readonly bound: number;
    readonly confidence: number;
  } | null;
  readonly feedback: { readonly rows: number; readonly errors: number };
  readonly evidence: { readonly logE: number; readonly threshold: number; readonly falseAlarm: number };
  readonly status: "no certificate" | "waiting" | "holds so far" | "doubtful";
  readonly columns: readonly {
    readonly name: string;
    readonly drift: number;
    readonly p: number;
    readonly drifted: boolean;
  }[];
  readonly sentence: string;
}

/** Starts to watch a model. Placeholder: it only counts feedback. The branch `watch` replaces this file. */
export function createModelWatch(
  classifier: Classifier,
  options: { readonly falseAlarm?: number; readonly state?: unknown } = {},
): ModelWatch {
  const { falseAlarm = 0.05 } = options;
  const saved = options.state;
  let rows = numberIn(saved, "rows");
  let errors = numberIn(saved, "errors");
  return {
    observe() {},
    feedback(items) {
      for (const { predicted, actual } of items) {
        for (const name of [predicted, actual]) {
          if (name !== null && !classifier.classes.includes(name)) {
            throw new VouchError("option/invalid", `The model has no class "${name}".`);
          }
        }
      }
      for (const { predicted, actual } of items) {
        if (predicted === null) continue;
        rows++;
        if (predicted !== actual) errors++;
      }
    },
    report: () => ({
      certificate: null,
      feedback: { rows, errors },
      evidence: { logE: 0, threshold: Math.log(1 / falseAlarm), falseAlarm },
      status: "no certificate",
      columns: [],
      sentence: `${errors} of ${rows} labelled rows were wrong.`,
    }),
    state: () => ({ rows, errors }),
  };
}

function numberIn(state: unknown, name: "rows" | "errors"): number {
  if (typeof state !== "object" || state === null) return 0;
  const value: unknown = Object.entries(state).find(([key]) => key === name)?.[1];
  return typeof value === "number" ? value : 0;
}
