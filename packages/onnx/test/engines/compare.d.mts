import type { Classifier, Table } from "vouch";
import type { Engine } from "./engines.mjs";

/** How the answers of a runtime differ from those of the library. */
export interface Differences {
  readonly bytes: number;
  readonly rows: number;
  /** Predictions that differ although scores are not tied. */
  readonly different: number;
  readonly tied: number;
  readonly sets: number;
  /** The largest differences, relative to numbers above 1. */
  readonly scores: number;
  readonly probabilities: number;
}

export function compareWith(
  engine: Engine,
  classifier: Classifier,
  table: Table,
  options?: { readonly bytes?: Uint8Array; readonly batch?: number },
): Promise<Differences>;
