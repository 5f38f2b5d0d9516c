import { VouchError } from "vouch/predict";
import { shown } from "../cell.js";
import { ArffTokens } from "./arff-tokens.js";

/** One `@attribute` line. */
export interface ArffAttribute {
  readonly name: string;
  readonly kind: "numeric" | "nominal" | "text";
  /** The values that a nominal attribute may have. */
  readonly values: ReadonlySet<string>;
}

const NUMERIC = new Set(["numeric", "real", "integer"]);
const TEXT = new Set(["string", "date"]);

/** Reads the part of the file before `@data`, line by line. */
export class ArffHeader {
  readonly attributes: ArffAttribute[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Takes one line; true when it is `@data`, the end of the header. */
  take(line: string, number: number): boolean {
    if (line === "" || line.startsWith("%")) return false;
    const keyword = /^@(\w+)/.exec(line)?.[1]?.toLowerCase();
    if (keyword === "data") {
      if (this.attributes.length > 0) return true;
      throw this.#fault(number, "there is no @attribute before @data");
    }
    if (keyword === "attribute") this.attributes.push(this.#attribute(line.slice(10), number));
    else if (keyword !== "relation") {
      throw this.#fault(number, `${shown(line)} is neither @relation, @attribute nor @data`);
    }
    return false;
  }

  #attribute(declaration: string, number: number): ArffAttribute {
    const tokens = new ArffTokens(declaration);
    const name = tokens.token(" \t{");
    if (name === undefined || name.text === "") throw this.#fault(number, "the attribute has no name");
    // A name without quotes ends before white space, which is still to be skipped.
    const type = new ArffTokens(tokens.rest);
    if (type.take("{"))
      return { name: name.text, kind: "nominal", values: this.#nominalValues(type, number) };
    const word = type.rest.split(/\s/)[0].toLowerCase();
    if (NUMERIC.has(word)) return { name: name.text, kind: "numeric", values: new Set() };
    if (TEXT.has(word)) return { name: name.text, kind: "text", values: new Set() };
    if (word === "relational") {
      throw new VouchError(
        "data/malformed",
        `${this.#file}, line ${number}: attribute "${name.text}" is relational, which is not supported.`,
        { hint: "Flatten the nested table into attributes of their own." },
      );
    }
    throw this.#fault(number, `attribute "${name.text}" has the unknown type ${shown(type.rest)}`);
  }

  #nominalValues(tokens: ArffTokens, number: number): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const value = tokens.token(",}");
      if (value === undefined) throw this.#fault(number, "a quote is not closed");
      values.add(value.text);
      if (tokens.take("}")) return values;
      if (!tokens.take(",")) throw this.#fault(number, "the list of values is not closed");
    }
  }

  #fault(line: number, what: string): VouchError {
    return new VouchError("data/malformed", `${this.#file}, line ${line}: ${what}.`, {
      hint: "An attribute is written @attribute name numeric, or @attribute name {value, value}.",
    });
  }
}
