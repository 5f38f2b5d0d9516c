import type { Matrix } from "../runtime/maths/matrix.js";
import type { SparseRows } from "../runtime/maths/sparse-rows.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { BinnedColumns } from "./binned-columns.js";

/** Features in one encoding. */
export type SingleFeatures = Matrix | BinnedColumns | SparseRows;

/** The same rows in several encodings, for learners whose members need different ones. */
export class JointFeatures {
  readonly rows: number;
  /** Number of features of all parts together. */
  readonly columns: number;
  readonly parts: readonly SingleFeatures[];

  constructor(parts: readonly SingleFeatures[]) {
    if (parts.length === 0) throw new VouchError("data/malformed", "Joint features need at least one part.");
    const [{ rows }] = parts;
    const other = parts.find((part) => part.rows !== rows);
    if (other) {
      throw new VouchError(
        "data/malformed",
        `All parts of joint features have the same rows, but one has ${rows} and another ${other.rows}.`,
      );
    }
    this.rows = rows;
    this.columns = parts.reduce((sum, { columns }) => sum + columns, 0);
    this.parts = parts;
  }

  /** The index of the first feature of each part among all features. */
  get starts(): readonly number[] {
    let next = 0;
    return this.parts.map(({ columns }) => {
      next += columns;
      return next - columns;
    });
  }

  /** Copies the given rows, in this order; rows may repeat. */
  select(rows: ArrayLike<number>): JointFeatures {
    return new JointFeatures(this.parts.map((part) => part.select(rows)));
  }

  /** Returns rows `begin` … `end` − 1, as `slice` of each part does. */
  slice(begin: number, end: number): JointFeatures {
    return new JointFeatures(this.parts.map((part) => part.slice(begin, end)));
  }
}
