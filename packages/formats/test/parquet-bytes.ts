import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

/** Writes the result of a query as Parquet; options are those of DuckDB's COPY, such as `COMPRESSION zstd`. */
export async function parquetBytes(query: string, ...options: string[]): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "formats-test-"));
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const path = join(folder, "made.parquet");
    await connection.run(`COPY (${query}) TO '${path}' (${["FORMAT parquet", ...options].join(", ")})`);
    return readFileSync(path);
  } finally {
    connection.disconnectSync();
    instance.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
}
