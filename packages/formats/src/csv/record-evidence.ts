import { NumberEvidence } from "../number-evidence.js";

/** Collects the evidence of records: their cells count when the record is complete. */
export class RecordEvidence {
  /** By column. */
  readonly columns: readonly NumberEvidence[];
  readonly #isExact: boolean;
  readonly #values: Float64Array;
  /** Where plain numbers are in the text; −1 for other cells. */
  readonly #from: Float64Array;
  readonly #to: Float64Array;
  readonly #texts: (string | undefined)[] = [];

  /** @param isExact whether plain numbers are values and not written by people, so that they say nothing about notations */
  constructor(columns: number, isExact: boolean) {
    this.#isExact = isExact;
    this.columns = Array.from({ length: columns }, () => new NumberEvidence());
    this.#values = new Float64Array(columns);
    this.#from = new Float64Array(columns);
    this.#to = new Float64Array(columns);
  }

  /** Takes a plain number. */
  number(j: number, value: number, from: number, to: number): void {
    this.#values[j] = value;
    this.#from[j] = from;
    this.#to[j] = to;
  }

  /** Takes another cell; undefined if it is missing. */
  text(j: number, text: string | undefined): void {
    this.#from[j] = -1;
    this.#texts[j] = text;
  }

  /** Counts the cell of a column in the record that is complete now. */
  count(j: number, bytes: Uint8Array): void {
    const from = this.#from[j];
    const text = this.#texts[j];
    if (from >= 0 && this.#isExact) this.columns[j].addExact(this.#values[j]);
    else if (from >= 0) this.columns[j].addPlain(this.#values[j], bytes, from, this.#to[j]);
    else if (text !== undefined) this.columns[j].add(text);
  }
}
