import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Temporary folder for the files of one test file, removed after its tests. */
export class FixtureFolder {
  readonly path = mkdtempSync(join(tmpdir(), "formats-test-"));

  constructor() {
    afterAll(() => rmSync(this.path, { recursive: true, force: true }));
  }

  /** Writes a file and returns its path. */
  file(name: string, contents: string | Uint8Array): string {
    const path = join(this.path, name);
    writeFileSync(path, contents);
    return path;
  }
}
