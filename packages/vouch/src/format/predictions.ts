import { type CsvCell, type CsvStyle, csvCell, csvLine, csvRecord } from "@vouch/formats";

/** A column of predictions; cells are computed when they are written. */
export interface OutputColumn {
  readonly name: string;
  cell(row: number): CsvCell;
}

/** Formats predictions in parts. All parts have the columns of the first one. */
export interface PredictionText {
  /** Formats the next rows. */
  rows(columns: readonly OutputColumn[], count: number): string;
  /** Formats what follows the last row. */
  end(): string;
}

/** Writes CSV with a header. */
export class CsvText implements PredictionText {
  readonly #style: CsvStyle;
  #begun = false;

  constructor(style: CsvStyle) {
    this.#style = style;
  }

  rows(columns: readonly OutputColumn[], count: number): string {
    const names = columns.map(({ name }) => name);
    let text = this.#begun ? "" : csvLine(names, this.#style);
    this.#begun = true;
    for (let row = 0; row < count; row++) {
      let cells = "";
      for (let j = 0; j < columns.length; j++) {
        if (j > 0) cells += ",";
        cells += csvCell(columns[j].cell(row), this.#style);
      }
      text += csvRecord(cells);
    }
    return text;
  }

  end(): string {
    return "";
  }
}

/** Writes a JSON array of one object per row. */
export class JsonText implements PredictionText {
  #begun = false;

  rows(columns: readonly OutputColumn[], count: number): string {
    const byName = new Map(columns.map((column) => [column.name, column]));
    // The order of JavaScript objects, which put whole numbers first.
    const keys = Object.keys(Object.fromEntries(byName));
    const ordered = keys.flatMap((key) => byName.get(key) ?? []);
    const starts = keys.map((key, j) => `${j > 0 ? "," : "{"}${JSON.stringify(key)}:`);
    let text = "";
    for (let row = 0; row < count; row++) {
      text += this.#begun ? "," : "[";
      this.#begun = true;
      for (let j = 0; j < ordered.length; j++) {
        text += starts[j];
        text += JSON.stringify(ordered[j].cell(row) ?? null);
      }
      text += "}";
    }
    return text;
  }

  end(): string {
    return "]\n";
  }
}
