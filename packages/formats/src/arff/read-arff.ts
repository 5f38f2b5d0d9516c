import { formatCount, Table, VouchError } from "vouch/predict";
import { shown } from "../cell.js";
import { finiteNumber, placeText } from "../cell-fault.js";
import { CategoricalBuilder, NumericBuilder } from "../column-builder.js";
import { checkedNames, wishes } from "../column-plan.js";
import type { Input } from "../input/input.js";
import { readLines } from "../input/lines.js";
import type { ReadOptions } from "../read-options.js";
import { type ArffAttribute, ArffHeader } from "./arff-header.js";
import { type ArffToken, ArffTokens } from "./arff-tokens.js";

/**
 * Reads Weka's ARFF. Numeric, real and integer attributes are numbers; nominal, string and date attributes are
 * categories. In a sparse row an attribute that is not named has the value 0, or the first nominal value, as
 * in Weka; a string or date that is not named is missing.
 */
export async function readArff(input: Input, options: ReadOptions): Promise<Table> {
  const header = new ArffHeader(input.name);
  let rows: RowReader | undefined;
  for await (const { first, lines } of readLines(input)) {
    lines.forEach((line, index) => {
      const text = line.trim();
      if (rows !== undefined) rows.take(text, first + index);
      else if (header.take(text, first + index)) rows = new RowReader(input.name, header.attributes, options);
    });
  }
  if (rows === undefined) throw new VouchError("data/malformed", `${input.name} has no @data line.`);
  return rows.table();
}

type Builder = NumericBuilder | CategoricalBuilder;

/** Reads the lines after `@data`. */
class RowReader {
  readonly #file: string;
  readonly #attributes: readonly ArffAttribute[];
  /** By attribute; undefined is one that is left out. */
  readonly #builders: readonly (Builder | undefined)[];
  #rows = 0;

  constructor(file: string, attributes: readonly ArffAttribute[], options: ReadOptions) {
    const names = attributes.map(({ name }) => name);
    const wished = wishes(file, checkedNames(file, names), options);
    this.#file = file;
    this.#attributes = attributes;
    this.#builders = attributes.map(({ name, kind }) => {
      const wish = wished.get(name) ?? (kind === "numeric" ? "numeric" : "categorical");
      if (wish === "ignored") return undefined;
      return wish === "numeric" ? new NumericBuilder(name) : new CategoricalBuilder(name);
    });
  }

  take(line: string, number: number): void {
    if (line === "" || line.startsWith("%")) return;
    const tokens = new ArffTokens(line);
    if (tokens.take("{")) this.#sparse(tokens, number);
    else this.#dense(tokens, number);
    this.#rows++;
  }

  table(): Table {
    if (this.#rows === 0) throw new VouchError("data/no-rows", `${this.#file} has no rows after @data.`);
    return new Table(
      this.#file,
      this.#rows,
      this.#builders.flatMap((builder) => builder?.finish(this.#rows) ?? []),
    );
  }

  #dense(tokens: ArffTokens, line: number): void {
    const width = this.#attributes.length;
    let j = 0;
    do {
      const cell = this.#token(tokens, ",", line);
      if (j < width) this.#set(j, cell, line);
      j++;
    } while (tokens.take(","));
    if (tokens.next !== "") throw this.#fault(line, `${shown(tokens.rest)} after a closing quote`);
    if (j !== width) {
      throw new VouchError(
        "data/ragged",
        `${this.#file}, row ${this.#rows + 1} (line ${line}): ${formatCount(j, "cell")}, but there ${width === 1 ? "is" : "are"} ${formatCount(width, "attribute")}.`,
      );
    }
  }

  /** `{index value, …}`: indices count from 0 and ascend. */
  #sparse(tokens: ArffTokens, line: number): void {
    let j = 0;
    while (!tokens.take("}")) {
      const written = this.#token(tokens, " \t,}", line).text;
      const index = /^\d+$/.test(written) ? Number(written) : Number.NaN;
      if (!(index >= j && index < this.#attributes.length)) {
        throw this.#fault(
          line,
          `${shown(written)} is not an index that ascends up to ${this.#attributes.length - 1}`,
        );
      }
      while (j < index) this.#setDefault(j++, line);
      tokens.take(tokens.next.trim() === "" ? tokens.next : "");
      this.#set(j++, this.#token(tokens, ",}", line), line);
      if (!tokens.take(",") && tokens.next !== "}") throw this.#fault(line, "the sparse row is not closed");
    }
    if (tokens.next !== "") throw this.#fault(line, `${shown(tokens.rest)} after the row`);
    while (j < this.#attributes.length) this.#setDefault(j++, line);
  }

  #setDefault(j: number, line: number): void {
    const { kind, values } = this.#attributes[j];
    if (kind === "numeric") this.#set(j, { text: "0", quoted: false }, line);
    else if (kind === "nominal") this.#set(j, { text: [...values][0], quoted: true }, line);
  }

  #set(j: number, { text, quoted }: ArffToken, line: number): void {
    const builder = this.#builders[j];
    if (builder === undefined || (text === "?" && !quoted)) return;
    const { name, kind, values } = this.#attributes[j];
    const place = { file: this.#file, row: this.#rows + 1, line, column: name };
    if (kind === "nominal" && !values.has(text)) {
      throw new VouchError("data/malformed", `${placeText(place)}: ${shown(text)} is not a declared value.`, {
        hint: "Add it to the attribute's list of values, or correct the cell.",
      });
    }
    if (builder.kind === "categorical") builder.set(this.#rows, text);
    else builder.set(this.#rows, finiteNumber(place, text));
  }

  #token(tokens: ArffTokens, stops: string, line: number): ArffToken {
    const token = tokens.token(stops);
    if (token === undefined) throw this.#fault(line, "a quote is not closed");
    return token;
  }

  #fault(line: number, what: string): VouchError {
    return new VouchError("data/malformed", `${this.#file}, row ${this.#rows + 1} (line ${line}): ${what}.`);
  }
}
