export interface SampleFile {
  readonly format: "csv" | "tsv" | "json" | "ndjson" | "arff" | "libsvm" | "idx" | "parquet";
  readonly inserts: readonly string[];
  readonly bytes: Buffer;
}

export interface Mutant {
  readonly bytes: Buffer;
  /** Length before compression. */
  readonly length: number;
  readonly format?: SampleFile["format"];
}

export function seededIntegers(seed: number): (below: number) => number;
export function sampleFiles(): Promise<SampleFile[]>;
export function mutated(
  sample: Buffer,
  inserts: readonly string[],
  random: (below: number) => number,
): Buffer;
export function mutant(samples: readonly SampleFile[], seed: number): Mutant;
