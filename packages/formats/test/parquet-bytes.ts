import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

/** Writes the result of a query as Parquet. */
export async function parquetBytes(query: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "formats-test-"));
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const path = join(folder, "made.parquet");
    await connection.run(`COPY (${query}) TO '${path}' (FORMAT parquet)`);
    return readFileSync(path);
  } finally {
    connection.disconnectSync();
    instance.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
}
