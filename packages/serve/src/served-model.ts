import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { RowReasons } from "@vouch/core/internal/explain/reasons";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import { RecordReader } from "@vouch/core/internal/table/record-reader";
import { SchemaMatch } from "@vouch/core/internal/table/schema-match";
import { Table } from "@vouch/core/internal/table/table";
import type { ClassifiedTable } from "@vouch/core/internal/train/classified-table";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import { loadModel } from "@vouch/core/internal/train/file";
import { describeModel, type ModelFacts } from "./model-facts.js";

/** Requests that take longer than this, in milliseconds, run on threads, so that other requests need not wait. */
const LONGEST_ON_LOOP = 8;

/** Rows and rounds of the first classification, which compiles and times the code. */
const WARM_ROWS = 32;
const WARM_ROUNDS = 20;

/** Classified rows and notes about them. */
export interface Classified {
  readonly answers: ClassifiedTable;
  readonly notices: readonly string[];
  /** Reasons for each row; absent if they were not requested. */
  readonly reasons?: readonly RowReasons[];
}

/** A version of a model that is ready to answer. Immutable: a changed file becomes a new object. */
export class ServedModel {
  readonly name: string;
  readonly version: string;
  readonly classifier: Classifier;
  /** SHA-256 of the file. */
  readonly digest: string;
  readonly facts: ModelFacts;
  readonly reader: RecordReader;
  readonly #millisecondsPerRow: number;

  private constructor(name: string, version: string, classifier: Classifier, digest: string) {
    this.name = name;
    this.version = version;
    this.classifier = classifier;
    this.digest = digest;
    this.facts = describeModel(classifier);
    this.reader = new RecordReader(classifier.encoder.schema);
    this.#millisecondsPerRow = timePerRow(classifier);
  }

  /** Loads a model file and classifies a few rows, so that the first request is not slow. */
  static async load(name: string, version: string, path: string): Promise<ServedModel> {
    const classifier = await loadModel(path);
    return new ServedModel(name, version, classifier, await fileDigest(path));
  }

  /** Classifies rows: a few at once, many on threads. */
  classify(table: Table, run: () => Partial<Run>): Classified | Promise<Classified> {
    const match = new SchemaMatch(this.classifier.encoder.schema);
    if (table.rows * this.#millisecondsPerRow > LONGEST_ON_LOOP) {
      return this.classifier
        .classifyRows(table, { match, run: run() })
        .then((answers) => concluded(answers, match));
    }
    return concluded(this.classifier.classify(table, { match }), match);
  }
}

function concluded(answers: ClassifiedTable, match: SchemaMatch): Classified {
  match.check();
  return { answers, notices: match.notices() };
}

/** Classifies background rows, or empty rows, and returns the milliseconds per row. */
function timePerRow(classifier: Classifier): number {
  const { schema } = classifier.encoder;
  const known = classifier.background?.table;
  const rows = known ? Math.min(known.rows, WARM_ROWS) : WARM_ROWS;
  const table = known
    ? known.slice(0, rows)
    : new Table(
        "rows",
        rows,
        schema.columns.map(({ name }) => ({
          kind: "numeric",
          name,
          values: new Float64Array(rows).fill(Number.NaN),
        })),
      );
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < WARM_ROUNDS; round++) {
    const start = performance.now();
    classifier.classify(table);
    fastest = Math.min(fastest, performance.now() - start);
    if (round > 2 && fastest > LONGEST_ON_LOOP) break;
  }
  return fastest / rows;
}

async function fileDigest(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}
