import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

let instance: Promise<DuckDBInstance> | undefined;

/**
 * Calls `use` with a connection of its own to the process's one in-memory DuckDB. The native library is loaded
 * at the first call, because that takes longer than most commands that never need it.
 */
export async function withDuckDb<T>(use: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  instance ??= import("@duckdb/node-api").then(({ DuckDBInstance }) => DuckDBInstance.create(":memory:"));
  const connection = await (await instance).connect();
  try {
    return await use(connection);
  } finally {
    connection.disconnectSync();
  }
}
