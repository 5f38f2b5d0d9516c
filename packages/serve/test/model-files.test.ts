import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findModelFiles } from "#serve/model-files.js";
import { temporaryFolder } from "./fixtures.js";

it("a file that was named and goes while it is looked at is unreadable, and not just left out", async () => {
  const path = join(temporaryFolder(), "m.safetensors");
  writeFileSync(path, "model");
  for (let i = 0; i < 400; i++) {
    const finding = findModelFiles([path]);
    for (let turns = i % 8; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
    renameSync(path, `${path}.away`);
    const { files, unreadable } = await finding;
    expect(files.length + unreadable.size).toBe(1);
    renameSync(`${path}.away`, path);
  }
});
