import type { Table } from "@vouch/core/internal/table/table";
import type { WatchReport } from "./watch/model-watch.js";

/** The predicted class of a row, null if the model did not answer, and its true class. */
export interface FeedbackItem {
  readonly predicted: string | null;
  readonly actual: string;
}

/** Identifies a watched model. */
export interface WatchedVersion {
  readonly name: string;
  readonly version: string;
  /** SHA-256 of the file. */
  readonly digest: string;
}

const keys = new WeakMap<WatchedVersion, string>();

/** Returns the key of a watched model. */
export function watchKey(model: WatchedVersion): string {
  const known = keys.get(model);
  if (known !== undefined) return known;
  const key = JSON.stringify([model.name, model.version, model.digest]);
  keys.set(model, key);
  return key;
}

/** Keeps the watches of all models: in this process, or in the one that started it. */
export interface WatchKeeper {
  observe(model: WatchedVersion, table: Table): void;
  feedback(model: WatchedVersion, items: readonly FeedbackItem[]): Promise<void>;
  report(model: WatchedVersion): Promise<WatchReport>;
}
