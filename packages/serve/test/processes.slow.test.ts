import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { loadSync } from "@grpc/proto-loader";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { flowers, get, post, saveFlowers, temporaryFolder, unlabelled } from "./fixtures.js";

const vouch = fileURLToPath(new URL("../../vouch/bin/vouch.js", import.meta.url));
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
  return startWith(model, ...flags);
}

async function startWith(file: string, ...flags: string[]) {
  const child = spawn(process.execPath, [vouch, "serve", file, "--port", "0", ...flags], { stdio: "pipe" });
  children.push(child);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const ended = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(errors);
    return String(value);
  };
  const http = await line();
  const grpc = flags.includes("--grpc-port") ? await line() : "";
  return { child, http, grpc, ended, errors: () => errors };
}

/** Lists the processes that a process has started. */
function childrenOf(pid: number | undefined): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? [] : text.split(" ").map(Number);
}

/** Tells whether a process runs. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Makes the gRPC message of some flowers: a length in five bytes, and the request. */
function grpcMessage(rows: ReturnType<typeof unlabelled>[]): Buffer {
  const proto = fileURLToPath(new URL("../inference.proto", import.meta.url));
  const service = loadSync(proto, { keepCase: true })["inference.GRPCInferenceService"];
  if ("format" in service) throw new Error("There is no service.");
  const shape = [rows.length];
  const body = service.ModelInfer.requestSerialize({
    model_name: "flowers",
    inputs: [
      {
        name: "length",
        datatype: "FP64",
        shape,
        contents: { fp64_contents: rows.map((row) => row.length ?? NaN) },
      },
      {
        name: "width",
        datatype: "FP64",
        shape,
        contents: { fp64_contents: rows.map((row) => row.width ?? NaN) },
      },
      {
        name: "constructor",
        datatype: "FP64",
        shape,
        contents: { fp64_contents: rows.map((row) => row.constructor) },
      },
      {
        name: "colour",
        datatype: "BYTES",
        shape,
        contents: { bytes_contents: rows.map((row) => Buffer.from(row.colour ?? "")) },
      },
    ],
  });
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
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
    const head = `POST /models/flowers/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
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

  it("answers a gRPC call that has begun before it ends on SIGTERM", async () => {
    const { http, grpc, child, ended } = await start("--grpc-port", "0");
    const session = connectHttp2(grpc.replace("grpc:", "http:"));
    const call = session.request({
      ":method": "POST",
      ":path": "/inference.GRPCInferenceService/ModelInfer",
      "content-type": "application/grpc",
      te: "trailers",
    });
    const message = grpcMessage(flowers(2000).map(unlabelled));
    call.write(message.subarray(0, 1000));
    const trailers = once(call, "trailers");
    // The server has begun to read this call.
    await post(`${http}/models/flowers/predict`, flower);
    child.kill("SIGTERM");
    await vi.waitFor(() => expect(fetch(`${http}/v2/health/live`)).rejects.toThrow(), 10_000);
    call.end(message.subarray(1000));
    let bytes = 0;
    for await (const chunk of call) bytes += chunk.length;
    expect((await trailers)[0]).toMatchObject({ "grpc-status": "0" });
    expect(bytes).toBeGreaterThan(2000 * 2 * 8);
    expect(await ended).toEqual([0, null]);
    session.destroy();
  });

  it.runIf(process.platform === "linux")(
    "replaces a worker that dies, even if that fails at first",
    async () => {
      const file = join(folder, "replaced.safetensors");
      copyFileSync(model, file);
      const { http, child, ended, errors } = await startWith(file, "--workers", "2");
      const address = `${http}/models/replaced/predict`;
      const workers = childrenOf(child.pid);
      expect(workers).toHaveLength(2);
      /** Open files that the workers in service may have: a limit that each of them adds. */
      const files = async () => {
        const metrics = await (await fetch(`${http}/metrics`, { headers: { Connection: "close" } })).text();
        return Number(/^process_max_fds (\d+)/m.exec(metrics)?.[1]);
      };
      const both = await files();
      writeFileSync(file, "damaged");
      await vi.waitFor(() => expect(errors()).toContain("still answers"), 10_000);
      process.kill(workers[0], "SIGKILL");
      await vi.waitFor(() => expect(errors()).toContain("The next attempt is in"), 10_000);
      // The other worker still has the model that was loaded before.
      expect((await post(address, flower, { Connection: "close" })).status).toBe(200);
      expect(await files()).toBe(both / 2);
      copyFileSync(model, file);
      await vi.waitFor(async () => expect(await files()).toBe(both), 15_000);
      // Only the new worker is left to answer. A connection that the other one was given as it died may get no answer.
      process.kill(workers[1], "SIGKILL");
      for (let i = 0; i < 10; i++) {
        await vi.waitFor(async () => {
          const once = AbortSignal.timeout(2000);
          expect((await post(address, flower, { Connection: "close" }, once)).status).toBe(200);
        }, 15_000);
      }
      child.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
    },
  );

  it.runIf(process.platform === "linux")(
    "listens on the same ports after all workers were killed",
    async () => {
      const { http, grpc, child, ended } = await start("--workers", "2", "--grpc-port", "0");
      for (const worker of childrenOf(child.pid)) process.kill(worker, "SIGKILL");
      await vi.waitFor(async () => {
        const { status } = await fetch(`${http}/v2/health/ready`, { signal: AbortSignal.timeout(2000) });
        expect(status).toBe(200);
      }, 20_000);
      await vi.waitFor(async () => {
        const session = connectHttp2(grpc.replace("grpc:", "http:"));
        session.on("error", () => {});
        await once(session, "remoteSettings", { signal: AbortSignal.timeout(2000) });
        session.destroy();
      }, 20_000);
      child.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
    },
  );

  it.runIf(process.platform === "linux")("leaves no worker behind when it is killed", async () => {
    const { http, child, ended } = await start("--workers", "2");
    const workers = childrenOf(child.pid);
    child.kill("SIGKILL");
    await ended;
    await vi.waitFor(() => expect(workers.filter(isRunning)).toEqual([]), 10_000);
    await expect(get(`${http}/v2`)).rejects.toThrow();
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
