import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Calls `use` with the path of a file that does not exist yet, and removes what is there afterwards: when
 * `use` is done, when it fails, and when the process exits in between.
 */
export async function withTemporaryFile<T>(use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "vouch-"));
  const removeAtExit = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", removeAtExit);
  try {
    return await use(join(folder, "data"));
  } finally {
    process.off("exit", removeAtExit);
    await rm(folder, { recursive: true, force: true });
  }
}
