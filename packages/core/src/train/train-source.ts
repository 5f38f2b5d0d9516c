import type { RaceRecord } from "../select/race/record.js";
import type { Table } from "../table/table.js";
import type { Classifier } from "./classifier.js";
import type { TargetRule } from "./prepare-table.js";

/** The rows of DATA, and its official test rows if it has any. */
export interface SourceRows {
  readonly rows: Table;
  readonly test?: Table;
}

/** A table that was read, for files that belong to it. */
export interface TableRead {
  readonly whole: Table;
  readonly target: string;
}

/** Where the data of a training come from: a front reads paths, files of a browser or tables. */
export interface TrainSource {
  /**
   * Reads DATA. The target is read verbatim, and so are the `kept` columns. It is called again if the values of the target that the names
   * suggest turn out not to be classes.
   */
  readonly read: (target: TargetRule, kept: readonly string[]) => Promise<SourceRows>;
  /** Reads further labelled rows by the name of their file, such as a path. */
  readonly readTest?: (name: string, data: TableRead) => Promise<Table>;
  /** Reads rows for pre-training. */
  readonly readUnlabelled?: (name: string, data: TableRead) => Promise<Table>;
  /** Reads the ignored columns of DATA, for checks of the rows. */
  readonly readAside?: (whole: Table) => Promise<Table | undefined>;
  readonly readModel?: (name: string) => Promise<Classifier>;
  readonly readRecord?: (name: string) => Promise<RaceRecord>;
}

/** Makes the source of a table that was read before. */
export function tableSource(rows: Table): TrainSource {
  return { read: async () => ({ rows }) };
}
