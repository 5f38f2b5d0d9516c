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
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import { loadModel, writeFileAtomic } from "#vouch/train/file.js";

const run = promisify(execFile);
const NODE_ENTRY = new URL("../../dist/node.js", import.meta.url).href;
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
  return `import { writeFileAtomic } from ${JSON.stringify(NODE_ENTRY)};\n${body}`;
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

  it.each([
    ["a signal", 'process.kill(process.pid, "SIGTERM");', "SIGTERM"],
    ["process.exit", "process.exit(0);", null],
  ])("removes its temporary files when interrupted by %s", async (_, interruption, signal) => {
    await writeFile(
      join(folder, "write.mjs"),
      script(`
        import { readdirSync } from "node:fs";
        const folder = process.argv[2];
        for (const name of ["one", "two"]) {
          writeFileAtomic(folder + "/" + name, new Uint8Array(100_000_000)).then(() => console.log("finished"));
        }
        const temporary = () => readdirSync(folder).filter((name) => name.endsWith(".tmp"));
        while (temporary().length < 2) await new Promise(setImmediate);
        console.log("interrupted");
        ${interruption}`),
    );
    const ended = await run(process.execPath, [join(folder, "write.mjs"), folder]).catch((error) => error);
    expect(ended.stdout).toBe("interrupted\n");
    expect(ended.signal ?? null).toBe(signal);
    expect(await readdir(folder)).toEqual(["write.mjs"]);
  });
});

describe("loadModel", () => {
  it("names a missing file, a directory and a file that is no model", async () => {
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
