import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { clusterExecutor } from "@vouch/cluster";
import { afterAll, describe, expect, it } from "vitest";
import { inlineExecutor } from "vouch";
import { fingerprintOf } from "#cluster/build-fingerprint.js";
import { CLUSTER_VERSION } from "#cluster/keys.js";
import { hasRedis, RedisServer } from "./redis-server.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "vouch-build-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the fingerprint of a build", () => {
  const modules = (name: string, files: Readonly<Record<string, string>>) => {
    const place = join(folder, name);
    mkdirSync(join(place, "part"), { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text);
    return pathToFileURL(`${place}/`);
  };
  const files = { "a.js": "1", "part/b.js": "2" };
  const first = fingerprintOf([modules("first", files)]);

  it("is that of the names and bytes of its modules", () => {
    expect(first).toMatch(/^[0-9a-f]{8}$/);
    expect(fingerprintOf([modules("copy", { ...files, "a.js.map": "x", "a.d.ts": "y" })])).toBe(first);
    const others: readonly Readonly<Record<string, string>>[] = [
      { "a.js": "1", "part/b.js": "3" },
      { "a.js": "1" },
      { "a.js": "12", "part/b.js": "" },
    ];
    for (const [i, other] of others.entries())
      expect(fingerprintOf([modules(`other-${i}`, other)])).not.toBe(first);
  });

  it.skipIf(!hasRedis)("keeps a run from workers of another build, and says so", async () => {
    // The packages as they are, apart from a line of the library.
    const installed = join(folder, "node_modules");
    mkdirSync(join(installed, "@vouch"), { recursive: true });
    for (const [name, place] of [
      ["core", "@vouch/core"],
      ["cluster", "@vouch/cluster"],
    ])
      cpSync(join(root, "packages", name), join(installed, place), {
        recursive: true,
        filter: (path) =>
          !/\/(src|test|node_modules|kernels)(\/|$)|\.map$|\.d\.ts$/.test(path.slice(root.length)),
      });
    for (const name of ["bullmq", "ioredis", "zod", "prom-client", "aws4fetch"])
      symlinkSync(join(root, "node_modules", name), join(installed, name));
    appendFileSync(join(installed, "@vouch/core/dist/runtime/version.js"), "// Another build.\n");
    const script = join(folder, "worker.mjs");
    writeFileSync(
      script,
      'import { startWorker } from "@vouch/cluster";\nconst { version } = await startWorker({ url: process.argv[2], threads: 1 });\nconsole.log(version);\n',
    );
    const redis = await RedisServer.start();
    const worker: ChildProcess = spawn(process.execPath, [script, redis.url], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const version = await new Promise<string>((resolve) => {
      worker.stdout?.on("data", (text) => resolve(String(text).trim()));
      worker.once("exit", () => resolve("the worker has ended"));
    });
    try {
      expect(version.replace(/-[0-9a-f]{8}$/, "")).toBe(CLUSTER_VERSION.replace(/-[0-9a-f]{8}$/, ""));
      expect(version).not.toBe(CLUSTER_VERSION);
      const error = await clusterExecutor({ url: redis.url, local: inlineExecutor(), patience: 300 }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({
        code: "cluster/version",
        hint: expect.stringContaining("the same build"),
      });
      expect(String(error)).toContain(version);
      expect(String(error)).toContain(CLUSTER_VERSION);
    } finally {
      worker.kill("SIGKILL");
      await redis.stop();
    }
  });
});
