import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Table } from "@vouch/core/internal/table/table";
import { withDeclaredKinds } from "../column-roles.js";
import type { PartsOfData } from "../data-part.js";
import { withDeclaredMissing } from "../declared-missing.js";
import { openData } from "../open-data.js";
import type { ReadOptions } from "../read-options.js";
import { wholeTable } from "../table-chunks.js";
import { withFileInput } from "./file-input.js";
import { readTable } from "./read-table.js";

/**
 * Reads the rows of one of several shards. Of a CSV file, these are the rows that start in its part of the file; of a
 * Parquet file, its row groups. There can also be a separate file for each shard. The concatenated tables of all shards
 * equal the result of `readTable`. All shards must call this together. Dates stay categories.
 *
 * ```ts const part = await readTableShard("clicks.csv", group, { target: "clicked" }); ```
 *
 * @param source a file that all shards can read, or one for each shard
 */
export async function readTableShard(
  source: string | readonly string[],
  part: PartsOfData,
  options: ReadOptions = {},
): Promise<Table> {
  if (typeof source !== "string") return readOwnFile(source, part, options);
  return withFileInput(source, options.name ?? source, options, async (input) => {
    const { format, input: data, notices } = await openData(input, options, input.path);
    const dialect = format === "tsv" ? { delimiter: "\t", ...options } : options;
    if (format === "csv" || format === "tsv") {
      const { readCsvShard } = await import("./read-csv-shard.js");
      const table = withDeclaredMissing(await readCsvShard(data, dialect, part), options);
      return withDeclaredKinds(table, options, true).withNotices(notices);
    }
    if (format === "parquet") {
      const { readParquet } = await import("./parquet.js");
      const table = await wholeTable(readParquet(input, options, Number.POSITIVE_INFINITY, part));
      return withDeclaredKinds(withDeclaredMissing(table, options), options, true);
    }
    throw new VouchError("file/format", `${input.name} is ${format}, which cannot be read in shards.`, {
      hint: "Use a CSV or Parquet file, or give one file for each shard.",
    });
  });
}

async function readOwnFile(
  files: readonly string[],
  { shard, shards }: PartsOfData,
  options: ReadOptions,
): Promise<Table> {
  if (files.length !== shards) {
    throw new VouchError("option/invalid", `There are ${files.length} files for ${shards} shards.`, {
      hint: "Give one file for each shard, or one that all shards read.",
    });
  }
  return readTable(files[shard], { ...options, name: options.name ?? files[shard] });
}
