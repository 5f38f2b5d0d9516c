import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { flowers, get, post, saveFlowers, temporaryFolder, unlabelled } from "./fixtures.js";

const vouch = fileURLToPath(new URL("../../cli/bin/vouch.js", import.meta.url));
const folder = temporaryFolder();
const model = join(folder, "flowers.safetensors");
const flower = { length: 2.5, width: 0.5, colour: "red", constructor: 3 };
const children: ChildProcess[] = [];

beforeAll(() => saveFlowers(model));
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

/** Starts the command; gives its address once it listens. */
async function start(...flags: string[]) {
  const child = spawn(process.execPath, [vouch, "serve", model, "--port", "0", ...flags], { stdio: "pipe" });
  children.push(child);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const ended = once(child, "exit");
  const lines = createInterface(child.stdout);
  const [http] = await Promise.race([
    once(lines, "line"),
    ended.then(() => {
      throw new Error(errors);
    }),
  ]);
  return { child, http: String(http), ended, errors: () => errors };
}

describe("vouch serve", () => {
  it("prints its address and each model with its verdict", async () => {
    const { http, child, ended, errors } = await start();
    expect(http).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await vi.waitFor(() => expect(errors()).toContain("Stop with Ctrl-C"));
    expect(errors()).toMatch(/^flowers version 1: forest, predicts "species"\. Better than always answering/);
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
  });

  it("answers what has come before it ends on SIGTERM", async () => {
    const { http, child, ended } = await start();
    const body = JSON.stringify(flowers(5000).map(unlabelled));
    const { port } = new URL(http);
    const socket = connect(Number(port), "127.0.0.1");
    let reply = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      reply += text;
    });
    const closed = once(socket, "close");
    await once(socket, "connect");
    const head = `POST /models/flowers/predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(head + body.slice(0, 1000));
    // The server has begun to read this request.
    await post(`${http}/models/flowers/predict`, flower);
    child.kill("SIGTERM");
    await vi.waitFor(() => expect(fetch(`${http}/v2/health/live`)).rejects.toThrow(), 10_000);
    socket.write(body.slice(1000));
    await closed;
    expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(reply.toLowerCase()).toContain("connection: close");
    expect(JSON.parse(reply.slice(reply.indexOf("\r\n\r\n") + 4)).predictions).toHaveLength(5000);
    expect(await ended).toEqual([0, null]);
  });

  it("shares requests among workers, which count together and share the watch", async () => {
    const { http, child, ended, errors } = await start("--workers", "2", "--grpc-port", "0");
    const address = `${http}/models/flowers`;
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => post(`${address}/predict`, flower, { Connection: "close" })),
    );
    expect(new Set(answers.map(({ answer }) => JSON.stringify(answer))).size).toBe(1);
    for (let i = 1; i <= 6; i++) {
      const item = { predicted: "rose", actual: "rose" };
      const { answer } = await post(`${address}/feedback`, item, { Connection: "close" });
      expect(answer.feedback.rows).toBe(i);
    }
    const metrics = await (await fetch(`${http}/metrics`)).text();
    expect(metrics).toContain(
      'vouch_requests_total{model="flowers",route="/models/:name/predict",status="200"} 40',
    );
    expect(metrics).toContain('vouch_watch_feedback_rows{model="flowers",version="1"} 6');
    expect(metrics).toContain('vouch_model_ready{model="flowers",version="1"} 1');
    const unknown = await post(`${address}/feedback`, { predicted: "rose", actual: "oak" });
    expect(unknown).toMatchObject({ status: 400, answer: { error: expect.stringContaining("oak") } });
    expect(errors()).not.toContain("ended");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    await expect(get(`${http}/v2`)).rejects.toThrow();
  });

  it.each([
    [["--port", "99999"], 2, "port"],
    [["--token-file", "no-such-file"], 1, "Cannot read the tokens"],
    [["--max-body", "many"], 2, "max-body"],
    [["--workers", "2", "--host", "192.0.2.1"], 2, "Cannot listen"],
  ])("says what is wrong with %j", async (flags, code, words) => {
    const child = spawn(process.execPath, [vouch, "serve", model, "--port", "0", ...flags], {
      stdio: "pipe",
    });
    children.push(child);
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    expect(await once(child, "exit")).toEqual([code, null]);
    expect(errors.replaceAll(/\s+/g, " ")).toContain(words);
    expect(errors).not.toMatch(/^\s+at /m);
  });
});
