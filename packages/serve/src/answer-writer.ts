import type { Classifier } from "vouch/predict";
import type { RowReasons } from "vouch/train";
import type { Classified } from "./classified.js";

/**
 * Writes answers to records as JSON. It is made once per model: names of classes are quoted then, and a row only adds its numbers.
 */
export class AnswerWriter {
  readonly #head: string;
  readonly #quoted: ReadonlyMap<string, string>;
  /** The texts before the probability or score of each class. */
  readonly #before: readonly string[];
  readonly #abstains: boolean;

  constructor(name: string, version: string, { classes, decision }: Classifier) {
    this.#head = `{"model":${JSON.stringify(name)},"version":${JSON.stringify(version)},`;
    this.#quoted = new Map(classes.map((each) => [each, JSON.stringify(each)]));
    this.#before = classes.map((each, k) => `${k === 0 ? "" : ","}${JSON.stringify(each)}:`);
    this.#abstains = decision.abstention !== undefined;
  }

  /** Writes the answer to one record. */
  one(classified: Classified): string {
    return `${this.#head}${this.#row(classified, 0)}${noticesText(classified)}}`;
  }

  /** Writes the answers to several records. */
  several(classified: Classified): string {
    const rows = classified.answers.predictions.length;
    let text = `${this.#head}"predictions":[`;
    for (let row = 0; row < rows; row++) {
      text += row === 0 ? "{" : ",{";
      text += this.#row(classified, row);
      text += "}";
    }
    return `${text}]${noticesText(classified)}}`;
  }

  #row({ answers, reasons }: Classified, row: number): string {
    const { predictions, probabilities, scores, sets } = answers;
    const prediction = predictions[row];
    let text = `"prediction":${this.#quoted.get(prediction) ?? "null"}`;
    if (this.#abstains) text += prediction === "" ? ',"abstained":true' : ',"abstained":false';
    if (sets) text += `,"set":${JSON.stringify(sets[row])}`;
    const { values, columns } = probabilities ?? scores;
    text += probabilities ? ',"probabilities":{' : ',"scores":{';
    for (let k = 0; k < columns; k++) text += this.#before[k] + numberText(values[row * columns + k]);
    text += "}";
    return reasons ? `${text},"reasons":${JSON.stringify(reasonsOf(reasons[row]))}` : text;
  }
}

/** Writes a number; JSON has no infinite ones. */
function numberText(value: number): number | "null" {
  return Number.isFinite(value) ? value : "null";
}

function reasonsOf({ of, unit, base, score, reasons }: RowReasons): object {
  return { class: of, unit, base, score, columns: reasons };
}

function noticesText({ notices }: Classified): string {
  return notices.length === 0 ? "" : `,"notices":${JSON.stringify(notices)}`;
}
