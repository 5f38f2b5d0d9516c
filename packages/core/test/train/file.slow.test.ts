import { execFile } from "node:child_process";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withTemporaryPath } from "#core/runtime/files/temporary-files.js";
import { writeFileAtomic } from "#core/runtime/files/write-file.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { loadModel } from "#core/train/file.js";

const run = promisify(execFile);
const moduleOf = (path: string) => JSON.stringify(new URL(`../../dist/${path}`, import.meta.url).href);
const OLD = Uint8Array.of(1, 2, 3);
const NEW = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vouch-file-"));
});
afterEach(async () => {
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true });
});

async function failure(work: Promise<unknown>): Promise<VouchError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof VouchError) return error;
  throw new Error(`expected a VouchError, got ${error}`);
}

/** A module that runs in a process of its own. */
function script(body: string): string {
  return `import { writeFileAtomic } from ${moduleOf("runtime/files/write-file.js")};\n${body}`;
}

describe("writeFileAtomic", () => {
  it("writes a new file and replaces an old one, leaving nothing else", async () => {
    const path = join(folder, "model.safetensors");
    await writeFileAtomic(path, OLD);
    await writeFileAtomic(path, NEW);
    expect(new Uint8Array(await readFile(path))).toEqual(NEW);
    expect(await readdir(folder)).toEqual(["model.safetensors"]);
  });

  it("replaces the file behind symbolic links, not the links", async () => {
    const path = join(folder, "linked");
    await mkdir(join(folder, "sub"));
    await symlink("other", path);
    await symlink(join("sub", "model"), join(folder, "other"));
    for (const content of [OLD, NEW]) {
      await writeFileAtomic(path, content);
      expect(new Uint8Array(await readFile(join(folder, "sub", "model")))).toEqual(content);
    }
    expect(await readlink(path)).toBe("other");
    expect(await readlink(join(folder, "other"))).toBe(join("sub", "model"));
    expect(await readdir(join(folder, "sub"))).toEqual(["model"]);
  });

  it("rejects circular links", async () => {
    await symlink("b", join(folder, "a"));
    await symlink("a", join(folder, "b"));
    expect((await failure(writeFileAtomic(join(folder, "a"), NEW))).code).toBe("file/write");
    expect((await readdir(folder)).sort()).toEqual(["a", "b"]);
  });

  it("keeps a private file private", async () => {
    const path = join(folder, "model");
    await writeFile(path, OLD, { mode: 0o600 });
    await writeFileAtomic(path, NEW);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("leaves no listeners behind", async () => {
    const before = process.listenerCount("exit") + process.listenerCount("SIGINT");
    await writeFileAtomic(join(folder, "model"), NEW);
    expect(process.listenerCount("exit") + process.listenerCount("SIGINT")).toBe(before);
  });

  it("names a directory", async () => {
    await mkdir(join(folder, "sub"));
    const error = await failure(writeFileAtomic(join(folder, "sub"), NEW));
    expect(error.code).toBe("file/directory");
    expect(await readdir(folder)).toEqual(["sub"]);
  });

  it("names a missing folder", async () => {
    const error = await failure(writeFileAtomic(join(folder, "nowhere", "model"), NEW));
    expect(error.code).toBe("file/write");
    expect(error.message).toContain("nowhere does not exist");
  });

  it("reports a folder that is a file", async () => {
    await writeFile(join(folder, "file"), OLD);
    const error = await failure(writeFileAtomic(join(folder, "file", "model"), NEW));
    expect(error.code).toBe("file/write");
  });

  it("reports missing permission and keeps the old file", async () => {
    await writeFile(join(folder, "model"), OLD);
    await chmod(folder, 0o555);
    const root = process.geteuid?.() === 0;
    if (root) process.seteuid?.(65534);
    const error = await failure(writeFileAtomic(join(folder, "model"), NEW)).finally(() => {
      if (root) process.seteuid?.(0);
    });
    expect(error.code).toBe("file/permission");
    expect(error.message).toContain(folder);
    expect(new Uint8Array(await readFile(join(folder, "model")))).toEqual(OLD);
  });

  it("writes to a device without replacing it", async () => {
    await writeFileAtomic("/dev/null", NEW);
    await writeFileAtomic("/dev/null", NEW);
    expect(await readFile("/dev/null")).toHaveLength(0);
  });

  it("on a full disk leaves no partial file and keeps the old one", async () => {
    const path = join(folder, "model");
    await writeFile(path, OLD);
    await writeFile(
      join(folder, "write.mjs"),
      script(`
        try {
          await writeFileAtomic(process.argv[2], new Uint8Array(1_000_000));
        } catch (error) {
          console.log(JSON.stringify({ code: error.code, message: error.message, hint: error.hint }));
        }`),
    );
    // A limit of 8 kB per file, whose signal is ignored: write() then fails just as on a full disk.
    const limited = 'trap "" XFSZ; ulimit -f 8; exec "$0" "$1" "$2"';
    const { stdout } = await run("bash", ["-c", limited, process.execPath, join(folder, "write.mjs"), path]);
    const error = JSON.parse(stdout);
    expect(error.code).toBe("file/write");
    expect(error.message).toContain(path);
    expect(error.message).toContain("disk is full");
    expect(new Uint8Array(await readFile(path))).toEqual(OLD);
    expect((await readdir(folder)).sort()).toEqual(["model", "write.mjs"]);
  });

  it("writes pieces as they come, and keeps the old file if they end in an error", async () => {
    const path = join(folder, "model");
    async function* pieces(fails: boolean) {
      for (let at = 0; at < NEW.length; at += 999) {
        if (fails && at > 50_000) throw new Error("no more rows");
        yield NEW.subarray(at, at + 999);
      }
    }
    await writeFileAtomic(path, pieces(false));
    expect(new Uint8Array(await readFile(path))).toEqual(NEW);
    await writeFileAtomic(path, OLD);
    await expect(writeFileAtomic(path, pieces(true))).rejects.toThrow("no more rows");
    expect(new Uint8Array(await readFile(path))).toEqual(OLD);
    expect(await readdir(folder)).toEqual(["model"]);
  });

  it("writes a file whose name has the maximum length", async () => {
    const name = "模".repeat(85);
    await writeFileAtomic(join(folder, name), NEW);
    expect(await readdir(folder)).toEqual([name]);
  });
});

/** A program that begins to write two files in the folder of its argument; `then` is what it does in the middle. */
function writer(then: string): string {
  return script(`
    import { readdirSync } from "node:fs";
    const folder = process.argv[2];
    for (const name of ["one", "two"]) {
      writeFileAtomic(folder + "/" + name, new Uint8Array(100_000_000)).then(() => console.log("finished"));
    }
    const temporary = () => readdirSync(folder).filter((name) => name.endsWith(".tmp"));
    while (temporary().length < 2) await new Promise(setImmediate);
    console.log("interrupted");
    ${then}`);
}

describe("temporary files", () => {
  const temporary = async () => (await readdir(folder)).filter((name) => name.endsWith(".tmp"));

  it("are removed at process.exit", async () => {
    await writeFile(join(folder, "write.mjs"), writer("process.exit(0);"));
    const { stdout } = await run(process.execPath, [join(folder, "write.mjs"), folder]);
    expect(stdout).toBe("interrupted\n");
    expect(await readdir(folder)).toEqual(["write.mjs"]);
  });

  it.each(["SIGTERM", "SIGKILL"])(
    "that %s left are removed when the folder is next written to",
    async (signal) => {
      await writeFile(join(folder, "write.mjs"), writer(`process.kill(process.pid, "${signal}");`));
      const ended = await run(process.execPath, [join(folder, "write.mjs"), folder]).catch((error) => error);
      expect(ended.signal).toBe(signal);
      expect(await temporary()).toHaveLength(2);
      await writeFileAtomic(join(folder, "three"), NEW);
      expect((await readdir(folder)).sort()).toEqual(["three", "write.mjs"]);
    },
  );

  it("of a live process, of another machine and of the user are kept; very old ones are not", async () => {
    let own = "";
    await withTemporaryPath(folder, "x", async (path) => {
      own = basename(path);
    });
    const [, host] = /\.([0-9a-f]{8})-/.exec(own) ?? [];
    const [other, random] = ["01234567", "0123456789abcdef"];
    const kept = [
      `.x.${host}-${process.pid}-${random}.tmp`,
      `.x.${host}-${process.ppid}-${random}.tmp`,
      `.x.${other}-999999999-${random}.tmp`,
      ".x.tmp",
      `x.${host}-999999999-${random}.tmp`,
      `.x.${host}-999999999-${random}.tmp.csv`,
    ];
    const removed = [`.y.${host}-999999999-${random}.tmp`, `.old.${other}-1-${random}.tmp`];
    const reused = `.reused.${host}-${process.pid}-${random}.tmp`;
    const sub = join(folder, "sub");
    await mkdir(sub);
    for (const name of [...kept, ...removed, reused]) await writeFile(join(sub, name), OLD);
    const days = (n: number) => new Date(Date.now() - n * 24 * 3600 * 1000);
    await utimes(join(sub, removed[1]), days(8), days(8));
    await utimes(join(sub, reused), days(2), days(2));
    await writeFileAtomic(join(sub, "model"), NEW);
    expect((await readdir(sub)).sort()).toEqual([...kept, "model"].sort());
  });

  it("of a thread that was terminated can be removed by the thread that knows of them", async () => {
    const lines = `
      import { parentPort, workerData } from "node:worker_threads";
      import { onTemporaryPath } from ${moduleOf("runtime/files/temporary-files.js")};
      import { writeFileAtomic } from ${moduleOf("runtime/files/write-file.js")};
      onTemporaryPath((path, exists) => parentPort.postMessage({ path, exists }));
      await writeFileAtomic(workerData + "/first", new Uint8Array(10));
      async function* endless() {
        for (;;) yield new Uint8Array(1000);
      }
      await writeFileAtomic(workerData + "/second", endless());`;
    await writeFile(join(folder, "write.mjs"), lines);
    const worker = new Worker(join(folder, "write.mjs"), { workerData: folder });
    const known = new Set<string>();
    worker.on("message", ({ path, exists }) => (exists ? known.add(path) : known.delete(path)));
    // Until the second file is there, the first one may still have its temporary name.
    const isSecond = (path: string) => basename(path).startsWith(".second.");
    while (!(await temporary()).some(isSecond) || known.size !== 1 || ![...known].every(isSecond)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await worker.terminate();
    expect([...known].map((path) => basename(path))).toEqual(await temporary());
    for (const path of known) await rm(path, { recursive: true, force: true });
    expect((await readdir(folder)).sort()).toEqual(["first", "write.mjs"]);
  });
});

describe("loadModel", () => {
  it("names a missing file, a directory and a file that is not a model", async () => {
    expect(await failure(loadModel(join(folder, "absent")))).toMatchObject({
      code: "file/missing",
      message: expect.stringContaining("absent"),
    });
    expect((await failure(loadModel(folder))).code).toBe("file/directory");
    await writeFile(join(folder, "data.csv"), "a,b,label\n1,2,x\n");
    expect(await failure(loadModel(join(folder, "data.csv")))).toMatchObject({
      code: "model/unknown",
      message: expect.stringContaining("data.csv"),
    });
    await symlink(join(folder, "absent"), join(folder, "dangling"));
    expect((await failure(loadModel(join(folder, "dangling")))).code).toBe("file/missing");
  });
});
