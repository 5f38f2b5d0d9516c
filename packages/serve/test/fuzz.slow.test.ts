import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";

const fuzzer = fileURLToPath(new URL("../fuzz.mjs", import.meta.url));

// The requests take some ten seconds of two idle cores.
vi.setConfig({ testTimeout: 240_000 });

describe("malformed requests", () => {
  it.runIf(process.platform === "linux")(
    "are all answered in words, and leave no memory behind",
    async () => {
      // The first 2000 requests warm the server up. Its memory after them, and after 8000 more, is live memory.
      const flags = ["--requests", "2000", "--rounds", "5", "--seed", "7"];
      // After a fault its exit status is 1, and the output lists the faults.
      const { stdout } = await promisify(execFile)(process.execPath, [fuzzer, ...flags]).catch(
        (failed) => failed,
      );
      const { requests, statuses, megabytes, faults } = JSON.parse(stdout);
      expect(faults).toEqual([]);
      expect(requests).toBe(10_000);
      expect(megabytes).toHaveLength(5);
      expect(Object.keys(statuses)).toEqual(
        expect.arrayContaining(["200", "400", "404", "405", "413", "415"]),
      );
    },
  );
});
