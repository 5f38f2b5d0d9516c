import { parseNumber } from "../cell.js";
import { NumberEvidence, PLAIN_SHAPES, plainShape } from "../number-evidence.js";

/**
 * Collects evidence about records; their cells count when the record is complete. How plain numbers are written matters
 * only if something else is in their column or in the file. The first rows are therefore parsed again, in detail, if
 * `needsDetail` says so. Most files do not need it, and a detailed survey takes twice as long.
 */
export class RecordEvidence {
  readonly #columns: readonly NumberEvidence[];
  readonly isDetailed: boolean;
  /** Plain numbers of the record; only in detail. */
  readonly #values: Float64Array;
  /** Positions of plain numbers in the text; −1 for other cells. */
  readonly #from: Float64Array;
  readonly #to: Float64Array;
  /** Counts of the shapes of plain numbers, by column. */
  readonly #shapes: Uint32Array;
  readonly #isExact: boolean;
  /** Cells of the record that are not plain numbers; undefined if missing. */
  #texts: { readonly j: number; readonly text: string | undefined }[] = [];
  /** By column: number of cells that are not plain numbers, and of missing ones among them. */
  readonly #unusual: Uint32Array;
  readonly #missing: Uint32Array;
  #records = 0;
  /** By column: number of records until it turned out to be text. */
  readonly #probed: Uint32Array;

  /**
   * @param isExact whether plain numbers are computed rather than typed by people, so that they say nothing about
   * notation
   */
  constructor(columns: number, isExact: boolean, isDetailed: boolean) {
    const details = isDetailed ? columns : 0;
    this.isDetailed = isDetailed;
    this.#isExact = isExact;
    this.#columns = Array.from({ length: columns }, () => new NumberEvidence());
    this.#unusual = new Uint32Array(columns);
    this.#missing = new Uint32Array(columns);
    this.#probed = new Uint32Array(columns);
    this.#values = new Float64Array(details);
    this.#from = new Float64Array(details);
    this.#to = new Float64Array(details);
    this.#shapes = new Uint32Array(PLAIN_SHAPES * details);
  }

  /** Adds a plain number. */
  number(j: number, value: number, from: number, to: number): void {
    this.#values[j] = value;
    this.#from[j] = from;
    this.#to[j] = to;
  }

  /** Adds a cell that is not an unquoted plain number; undefined if it is missing. */
  text(j: number, text: string | undefined): void {
    if (!this.isDetailed && text !== undefined && parseNumber(text) !== undefined) return;
    if (this.isDetailed) this.#from[j] = -1;
    this.#texts.push({ j, text });
  }

  /** Counts the cells of a complete record in columns with one action; text columns get the other action. */
  countRecord(bytes: Uint8Array, actions: Uint8Array, probe: number, ofText: number): void {
    this.#records++;
    if (this.isDetailed) this.#countNumbers(bytes, actions, probe);
    if (this.#texts.length === 0) return;
    for (const { j, text } of this.#texts) {
      const column = this.#columns[j];
      this.#unusual[j]++;
      if (text === undefined) this.#missing[j]++;
      else column.add(text);
      if (!column.isText) continue;
      this.#probed[j] = this.#records;
      actions[j] = ofText;
    }
    this.#texts = [];
  }

  #countNumbers(bytes: Uint8Array, actions: Uint8Array, probe: number): void {
    for (let j = 0; j < actions.length; j++) {
      const from = this.#from[j];
      if (actions[j] !== probe || from < 0) continue;
      if (this.#isExact) this.#columns[j].addExact(this.#values[j]);
      else {
        this.#shapes[PLAIN_SHAPES * j + plainShape(bytes, from, this.#to[j])]++;
        this.#columns[j].addValue(this.#values[j]);
      }
    }
  }

  /** Whether a column mixes numbers with other values, or has numbers that are not plain. */
  get needsDetail(): boolean {
    if (this.isDetailed) return false;
    return this.#columns.some((column, j) => {
      const words = this.#unusual[j] - this.#missing[j];
      return words > 0 && (column.numbers > 0 || this.#plain(j) > 0);
    });
  }

  /** Returns the evidence by column, after the last record. */
  finish(): readonly NumberEvidence[] {
    for (const [j, column] of this.#columns.entries()) {
      if (!this.isDetailed) column.numbers += this.#plain(j);
      else if (!this.#isExact) column.addShapes(this.#shapes, PLAIN_SHAPES * j);
    }
    return this.#columns;
  }

  /** Counts the plain numbers of a column. */
  #plain(j: number): number {
    return (this.#probed[j] || this.#records) - this.#unusual[j];
  }
}
