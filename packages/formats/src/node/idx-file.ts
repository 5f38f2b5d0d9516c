import { basename, dirname, join } from "node:path";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { NumericValues } from "@vouch/core/internal/table/column";
import type { Table } from "@vouch/core/internal/table/table";
import { checkedIdxHeader, readIdx, readIdxNumbers } from "../idx.js";
import type { Input, InputOptions } from "../input.js";
import type { ReadOptions } from "../read-options.js";
import { type FileInput, withFileInput } from "./file-input.js";

/**
 * Reads an IDX file. If a label file with the usual name lies beside it (`…-images-idx3-ubyte` and
 * `…-labels-idx1-ubyte`), the labels become a categorical column `label`.
 */
export function readIdxFile(input: FileInput, options: ReadOptions, rows: number): AsyncGenerator<Table> {
  return readIdx(input, options, rows, () => labelsBeside(input, options));
}

/** Reads the labels from the file beside the images, if it exists. */
async function labelsBeside(input: FileInput, options: InputOptions): Promise<NumericValues | undefined> {
  if (input.path === undefined) return undefined;
  const file = basename(input.path);
  const plain = file.replace(/\.gz$/i, "").replace("images", "labels").replace(/idx\d/, "idx1");
  if (!/labels/.test(plain) || /labels/.test(file)) return undefined;
  for (const candidate of [plain, `${plain}.gz`]) {
    const path = join(dirname(input.path), candidate);
    try {
      return await withFileInput(path, path, { signal: options.signal }, readLabels);
    } catch (error) {
      if (!(error instanceof VouchError) || error.code !== "file/missing") throw error;
    }
  }
  return undefined;
}

async function readLabels(input: Input): Promise<NumericValues> {
  const header = await checkedIdxHeader(input);
  for await (const columns of readIdxNumbers(input, header, header.rows)) {
    if (columns.length === 1) return columns[0];
  }
  throw new VouchError("data/malformed", `${input.name} should have one label per row.`, {
    hint: `It has ${header.width}. Rename the file if it does not contain labels.`,
  });
}
