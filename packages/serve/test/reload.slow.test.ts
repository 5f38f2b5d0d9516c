import { generateKeyPairSync } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { signFile } from "vouch/node";
import { expectFault, get, post, saveFlowers, servers, temporaryFolder } from "./fixtures.js";

const folder = temporaryFolder();
const start = servers();
const first = join(folder, "first.safetensors");
const second = join(folder, "second.safetensors");
const flower = { length: 2.5, width: 0.5, colour: "red", constructor: 3 };

beforeAll(async () => {
  await saveFlowers(first, { seed: 1 });
  await saveFlowers(second, { seed: 2, trees: 7 });
});

/** Replaces a file as careful programs do. */
function replace(path: string, by: string): void {
  copyFileSync(by, `${path}.new`);
  renameSync(`${path}.new`, path);
}

describe("models in service", () => {
  it("are exchanged when their file changes, and no request fails meanwhile", async () => {
    const path = join(folder, "changing.safetensors");
    copyFileSync(first, path);
    const server = await start({ models: [path], reloadInterval: 10 });
    const address = `${server.http}/models/changing/predict`;
    const before = (await post(address, flower)).answer.probabilities;
    let stop = false;
    const seen = new Map<string, number>();
    const clients = Array.from({ length: 8 }, async () => {
      while (!stop) {
        const { status, answer } = await post(address, flower);
        const key = `${status} ${JSON.stringify(answer.probabilities)}`;
        seen.set(key, (seen.get(key) ?? 0) + 1);
      }
    });
    for (let i = 0; i < 6; i++) {
      replace(path, i % 2 === 0 ? second : first);
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    replace(path, second);
    await vi.waitFor(
      async () => expect((await post(address, flower)).answer.probabilities).not.toEqual(before),
      10_000,
    );
    stop = true;
    await Promise.all(clients);
    const after = (await post(address, flower)).answer.probabilities;
    // Nothing but the answers of the one model and of the other.
    expect([...seen.keys()].sort()).toEqual(
      [`200 ${JSON.stringify(before)}`, `200 ${JSON.stringify(after)}`].sort(),
    );
    expect([...seen.values()].reduce((a, b) => a + b)).toBeGreaterThan(100);
    const metrics = await (await fetch(`${server.http}/metrics`)).text();
    expect(metrics).toMatch(/vouch_model_reloads_total\{model="changing",version="1"\} \d/);
  });

  it("stay when a new file is damaged, which log, page and metrics say without its path", async () => {
    const path = join(folder, "damaged.safetensors");
    copyFileSync(first, path);
    const server = await start({ models: [path] });
    const address = `${server.http}/models/damaged`;
    const before = (await post(`${address}/predict`, flower)).answer;
    const bytes = readFileSync(second);
    bytes[bytes.length - 5] ^= 1;
    writeFileSync(path, bytes);
    await vi.waitFor(() => expect(server.log.join()).toContain("still answers"), 10_000);
    expect((await post(`${address}/predict`, flower)).answer).toEqual(before);
    expect((await get(`${server.http}/v2/health/ready`)).status).toBe(200);
    const page = await (await fetch(server.http)).text();
    expect(page).toContain("The checksum of the file does not match");
    expect(page).not.toContain(folder);
    const metrics = await (await fetch(`${server.http}/metrics`)).text();
    expect(metrics).toContain('vouch_model_file_fault{model="damaged",version="1"} 1');
    expect(metrics).toContain('vouch_model_load_failures_total{model="damaged",version="1"} 1');
    replace(path, second);
    await vi.waitFor(
      async () => expect((await post(`${address}/predict`, flower)).answer).not.toEqual(before),
      10_000,
    );
    expect(await (await fetch(server.http)).text()).not.toContain("The checksum of the file does not match");
  });

  it("stay when a file that was named has gone", async () => {
    const path = join(folder, "going.safetensors");
    copyFileSync(first, path);
    const server = await start({ models: [path] });
    rmSync(path);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await post(`${server.http}/models/going/predict`, flower)).status).toBe(200);
  });

  it("come from folders with versions, the latest by default, and go with their files", async () => {
    const models = join(folder, "models");
    mkdirSync(join(models, "flowers"), { recursive: true });
    copyFileSync(first, join(models, "flowers", "9.safetensors"));
    copyFileSync(first, join(models, "other.safetensors"));
    const server = await start({ models: [models] });
    const address = `${server.http}/models/flowers`;
    expect((await post(`${address}/predict`, flower)).answer.version).toBe("9");
    copyFileSync(second, join(models, "flowers", "10.safetensors"));
    await vi.waitFor(
      async () => expect((await post(`${address}/predict`, flower)).answer.version).toBe("10"),
      10_000,
    );
    expect((await post(`${address}/versions/9/predict`, flower)).answer.version).toBe("9");
    expect((await get(`${server.http}/v2/models/flowers`)).answer.versions).toEqual(["9", "10"]);
    rmSync(join(models, "flowers", "10.safetensors"));
    rmSync(join(models, "other.safetensors"));
    await vi.waitFor(
      async () => expect((await post(`${address}/predict`, flower)).answer.version).toBe("9"),
      10_000,
    );
    expectFault(await post(`${server.http}/models/other/predict`, flower), 404, /no model "other"/);
  });

  it("are not ready while one of a folder cannot be loaded", async () => {
    const models = join(folder, "partly");
    mkdirSync(models);
    copyFileSync(first, join(models, "good.safetensors"));
    writeFileSync(join(models, "bad.safetensors"), "no model");
    const server = await start({ models: [models] });
    expect((await get(`${server.http}/v2/health/live`)).status).toBe(200);
    expect((await get(`${server.http}/v2/health/ready`)).status).toBe(503);
    expect((await get(`${server.http}/v2/models/bad/ready`)).status).toBe(503);
    expect((await get(`${server.http}/v2/models/good/ready`)).status).toBe(200);
    expectFault(await post(`${server.http}/models/bad/predict`, flower), 503, /not loaded/);
    copyFileSync(second, join(models, "bad.safetensors"));
    await vi.waitFor(
      async () => expect((await get(`${server.http}/v2/health/ready`)).status).toBe(200),
      10_000,
    );
  });

  it("stay when a second file of the same name and version comes, which the log says once", async () => {
    const models = join(folder, "doubled");
    mkdirSync(join(models, "flowers"), { recursive: true });
    copyFileSync(first, join(models, "flowers.safetensors"));
    const server = await start({ models: [models] });
    const address = `${server.http}/models/flowers/predict`;
    const before = (await post(address, flower)).answer;
    copyFileSync(second, join(models, "flowers", "1.safetensors"));
    copyFileSync(second, join(models, "other.safetensors"));
    // The rest of the folder is served as before.
    await vi.waitFor(
      async () => expect((await post(`${server.http}/models/other/predict`, flower)).status).toBe(200),
      10_000,
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    const said = server.log.filter((line) => line.includes('both version 1 of the model "flowers"'));
    expect(said).toHaveLength(1);
    expect((await post(address, flower)).answer).toEqual(before);
    expect(await (await fetch(`${server.http}/metrics`)).text()).not.toContain("vouch_model_reloads_total{");
  });

  it("must exist at the start, under names of their own", async () => {
    await expect(start({ models: [join(folder, "none")] })).rejects.toThrow("There is no file or folder");
    mkdirSync(join(folder, "empty"));
    await expect(start({ models: [join(folder, "empty")] })).rejects.toThrow("There is no model");
    mkdirSync(join(folder, "twin"));
    copyFileSync(first, join(folder, "twin", "first.safetensors"));
    const twins = [first, join(folder, "twin", "first.safetensors")];
    await expect(start({ models: twins })).rejects.toThrow('version 1 of the model "first"');
    writeFileSync(join(folder, "broken.safetensors"), "no model");
    await expect(start({ models: [join(folder, "broken.safetensors")] })).rejects.toThrow(
      "broken.safetensors",
    );
  });
});

describe("the state of monitors", () => {
  it("survives a restart, and belongs to one file", async () => {
    const path = join(folder, "watched.safetensors");
    const state = join(folder, "state");
    copyFileSync(first, path);
    const rows = async (http: string) => (await get(`${http}/models/watched/watch`)).answer.feedback.rows;
    const one = await start({ models: [path], state });
    await post(`${one.http}/models/watched/feedback`, Array(5).fill({ predicted: "rose", actual: "rose" }));
    await one.close();
    const two = await start({ models: [path], state });
    expect(await rows(two.http)).toBe(5);
    replace(path, second);
    await vi.waitFor(async () => expect(await rows(two.http)).toBe(0), 10_000);
    await post(`${two.http}/models/watched/feedback`, { predicted: "rose", actual: "rose" });
    replace(path, first);
    await vi.waitFor(async () => expect(await rows(two.http)).toBe(5), 10_000);
  });

  it("is renamed if it cannot be read, and a new monitor starts", async () => {
    const state = join(folder, "bad-state");
    const one = await start({ models: [first], state });
    await post(`${one.http}/models/first/feedback`, { predicted: "rose", actual: "rose" });
    await one.close();
    const [file] = readdirSync(state);
    writeFileSync(join(state, file), "half a sta");
    const two = await start({ models: [first], state });
    expect(two.log.join()).toContain("a new monitor was started");
    expect((await get(`${two.http}/models/first/watch`)).answer.feedback.rows).toBe(0);
    expect(readFileSync(join(state, `${file}.unreadable`), "utf8")).toBe("half a sta");
  });
});

describe("models that must be signed", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const [key, requireSignature] = [join(folder, "private.pem"), join(folder, "public.pem")];
  writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(requireSignature, publicKey.export({ type: "spki", format: "pem" }));

  it("are not served without a signature, or with that of another file", async () => {
    const path = join(folder, "unsigned.safetensors");
    copyFileSync(first, path);
    await expect(start({ models: [path], requireSignature })).rejects.toThrow("unsigned.safetensors.sig");
    await signFile(second, { key, signature: `${path}.sig` });
    await expect(start({ models: [path], requireSignature })).rejects.toThrow("not the file that was signed");
    await signFile(path, { key });
    const { http } = await start({ models: [path], requireSignature });
    expect((await post(`${http}/models/unsigned/predict`, flower)).status).toBe(200);
  });

  it.each([1, 2])("stay in service until the next one is signed, with %i processes", async (workers) => {
    const path = join(folder, `signed-${workers}.safetensors`);
    copyFileSync(first, path);
    await signFile(path, { key });
    const server = await start({ models: [path], requireSignature, workers });
    const ask = async () =>
      (await post(`${server.http}/models/signed-${workers}/predict`, flower)).answer.probabilities;
    const before = await ask();
    replace(path, second);
    await vi.waitFor(() => expect(server.log.join()).toContain("not the file that was signed"), 10_000);
    expect(server.log.join()).toContain("still answers");
    expect(await ask()).toEqual(before);
    rmSync(`${path}.sig`);
    await vi.waitFor(() => expect(server.log.join()).toContain(".sig"), 10_000);
    expect(await ask()).toEqual(before);
    await signFile(path, { key });
    await vi.waitFor(async () => expect(await ask()).not.toEqual(before), 10_000);
  });
});
