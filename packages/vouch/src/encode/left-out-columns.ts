import { fewNames } from "../runtime/names.js";
import { formatCount } from "../runtime/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";
import { OTHER_LEVELS } from "../table/levels.js";
import type { Table } from "../table/table.js";

/** What an encoder did not take over as it is; collected while it is fitted. */
export class LeftOutColumns {
  /** Columns with one value. */
  readonly constant: string[] = [];
  /** Columns with another category in every row. */
  readonly namesOfRows: string[] = [];
  /** Columns whose rarer categories share one group. */
  readonly grouped: string[] = [];

  notices(): string[] {
    const notices: string[] = [];
    if (this.constant.length > 0) {
      notices.push(
        `${formatCount(this.constant.length, "constant column")} left out: ${fewNames(this.constant)}.`,
      );
    }
    if (this.namesOfRows.length > 0) {
      notices.push(
        `${formatCount(this.namesOfRows.length, "column")} left out because no two rows share a category: ` +
          `${fewNames(this.namesOfRows)}.`,
      );
    }
    if (this.grouped.length > 0) {
      notices.push(
        `${formatCount(this.grouped.length, "column")} with many categories, the rarer of which are taken together ` +
          `as "${OTHER_LEVELS}": ${fewNames(this.grouped)}.`,
      );
    }
    return notices;
  }

  /** The error of a table of which nothing is left. */
  nothingLeft(table: Table): VouchError {
    return new VouchError(
      "data/no-features",
      `${table.name} has no column to learn from. ${this.notices().join(" ")}`.trim(),
    );
  }
}
