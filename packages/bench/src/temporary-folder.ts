import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs work with a folder of its own, which is removed afterwards. */
export async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await temporaryFolder();
  try {
    return await work(folder);
  } finally {
    await removeFolder(folder);
  }
}

/** The same for work that gives its results one after the other. */
export async function* inTemporaryFolder<T>(work: (folder: string) => AsyncGenerator<T>): AsyncGenerator<T> {
  const folder = await temporaryFolder();
  try {
    yield* work(folder);
  } finally {
    await removeFolder(folder);
  }
}

function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "vouch-bench-"));
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
