import type { Table } from "@vouch/core/internal/table/table";
import type { MonitorReport } from "./model-monitor.js";

/** The predicted class of a row, null if the model abstained, and its true class. */
export interface FeedbackItem {
  readonly predicted: string | null;
  readonly actual: string;
}

export interface ModelKey {
  readonly name: string;
  readonly version: string;
  /** SHA-256 of the file. */
  readonly digest: string;
}

const keys = new WeakMap<ModelKey, string>();

/** Returns the key of a monitored model. */
export function modelKeyText(model: ModelKey): string {
  const known = keys.get(model);
  if (known !== undefined) return known;
  const key = JSON.stringify([model.name, model.version, model.digest]);
  keys.set(model, key);
  return key;
}

/** Monitors of all models, in this process or in its parent. */
export interface Monitors {
  observe(model: ModelKey, table: Table): void;
  feedback(model: ModelKey, items: readonly FeedbackItem[]): Promise<void>;
  report(model: ModelKey): Promise<MonitorReport>;
}
