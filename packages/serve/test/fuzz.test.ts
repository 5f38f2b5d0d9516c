import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const fuzzer = fileURLToPath(new URL("../fuzz.mjs", import.meta.url));

describe("malformed requests", () => {
  it.runIf(process.platform === "linux")("are all answered in words, and harm nothing", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      fuzzer,
      "--requests",
      "500",
      "--seed",
      "7",
    ]);
    const { requests, statuses, faults } = JSON.parse(stdout);
    expect(faults).toEqual([]);
    expect(requests).toBe(500);
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["200", "400", "404", "405", "413", "415"]));
  });
});
