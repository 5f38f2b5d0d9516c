import type { RaceRecord } from "../select/race/record.js";
import type { Table } from "../table/table.js";
import type { Classifier } from "./classifier.js";
import type { TargetRule } from "./prepare-table.js";

/** The rows of DATA, and its official test rows if there are any. */
export interface SourceRows {
  readonly rows: Table;
  readonly test?: Table;
}

/** A table that was read, for files that belong to it. */
export interface TableRead {
  readonly whole: Table;
  readonly target: string;
}

/** Source of a training's data: a front end reads paths, browser files or tables. */
export interface TrainSource {
  /**
   * Reads DATA. The target and the `kept` columns are read verbatim. Called again if the values of the guessed target
   * turn out not to be classes.
   */
  readonly read: (target: TargetRule, kept: readonly string[]) => Promise<SourceRows>;
  /** Reads more labelled rows by the name of their file, such as a path. */
  readonly readTest?: (name: string, data: TableRead) => Promise<Table>;
  /** Reads rows for pre-training. */
  readonly readUnlabelled?: (name: string, data: TableRead) => Promise<Table>;
  /** Reads the ignored columns of DATA, for checks of the rows. */
  readonly readAside?: (whole: Table) => Promise<Table | undefined>;
  readonly readModel?: (name: string) => Promise<Classifier>;
  readonly readRecord?: (name: string) => Promise<RaceRecord>;
}

/** Creates a source from an existing table. */
export function tableSource(rows: Table): TrainSource {
  return { read: async () => ({ rows }) };
}
