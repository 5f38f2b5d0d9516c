import { spawn } from "node:child_process";
import { once } from "node:events";
import { type ClientHttp2Stream, connect as connectHttp2, constants } from "node:http2";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { loadSync } from "@grpc/proto-loader";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  expectFault,
  flowers,
  get,
  post,
  saveFlowers,
  saveSlow,
  servers,
  temporaryFolder,
  unlabelled,
} from "./fixtures.js";

const vouch = fileURLToPath(new URL("../../vouch/bin/vouch.js", import.meta.url));
const proto = fileURLToPath(new URL("../inference.proto", import.meta.url));
const folder = temporaryFolder();
const model = join(folder, "flowers.safetensors");
const start = servers();
const sockets: Socket[] = [];
const limits = { headerTime: 400, requestTime: 800 };

beforeAll(() => saveFlowers(model));
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

/** Connects and sends these bytes, and nothing else. */
function connectSilently(port: number, bytes = ""): { readonly closed: Promise<unknown> } {
  const socket = connect({ port, host: "127.0.0.1" });
  sockets.push(socket);
  socket.on("error", () => {});
  socket.resume().write(bytes);
  return { closed: new Promise((resolve) => socket.once("close", resolve)) };
}

/** Opens an HTTP/2 connection as a client of gRPC does. */
function openSession(target: string | undefined) {
  const session = connectHttp2(`http://${target}`);
  session.on("error", () => {});
  const call = (body: Buffer, end = true, method = "ServerLive"): ClientHttp2Stream => {
    const stream = session.request({
      ":method": "POST",
      ":path": `/inference.GRPCInferenceService/${method}`,
      "content-type": "application/grpc",
      te: "trailers",
    });
    stream.on("error", () => {}).write(body);
    return end ? stream.end() : stream;
  };
  return { session, call };
}

const EMPTY_MESSAGE = Buffer.alloc(5);

/** The status of gRPC in the headers of an answer without a message, or after its message. */
async function statusOf(stream: ClientHttp2Stream): Promise<string | undefined> {
  let status: string | undefined;
  for (const event of ["response", "trailers"]) {
    stream.on(event, (headers) => {
      status = headers["grpc-status"] ?? status;
    });
  }
  stream.resume();
  await once(stream, "end");
  return status;
}

describe("a gRPC client", () => {
  it.each([
    ["nothing", ""],
    ["half of its greeting", "PRI * HTTP/2.0\r\n"],
  ])("that sends %s is cut off", async (_, bytes) => {
    const { grpc } = await start({ models: [model], grpcPort: 0, limits });
    const started = performance.now();
    await connectSilently(Number(grpc?.split(":")[1]), bytes).closed;
    expect(performance.now() - started).toBeGreaterThan(300);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it("that sends half a call is told that it is too slow, while others are answered", async () => {
    const { grpc } = await start({ models: [model], grpcPort: 0, limits });
    const { session, call } = openSession(grpc);
    const slow = statusOf(call(EMPTY_MESSAGE.subarray(0, 3), false));
    expect(await statusOf(call(EMPTY_MESSAGE))).toBe("0");
    expect(await slow).toBe("4");
    // Calls at the same time are limited, so that few clients cannot fill the memory.
    expect(session.remoteSettings.maxConcurrentStreams).toBe(32);
    session.destroy();
  });

  it("takes no places from others, on however many connections it sends half a call", async () => {
    const { grpc } = await start({ models: [model], grpcPort: 0 });
    const half = EMPTY_MESSAGE.subarray(0, 3);
    for (const [connections, calls] of [
      [10, 30],
      [300, 1],
    ]) {
      const clients = Array.from({ length: connections }, () => openSession(grpc));
      const begun = clients.flatMap(({ call }) =>
        Array.from({ length: calls }, () => call(half, false, "ModelReady")),
      );
      const refused: unknown[] = [];
      for (const stream of begun) void statusOf(stream).then((status) => refused.push(status));
      await vi.waitFor(() => expect(refused).toHaveLength(44), 20_000);
      expect(new Set(refused)).toEqual(new Set(["14"]));
      const other = openSession(grpc);
      for (const method of ["ModelReady", "ServerLive", "ServerReady"]) {
        expect(await statusOf(other.call(EMPTY_MESSAGE, true, method)), method).toBe("0");
      }
      // A client with few calls keeps its places, while the one with the most loses its own.
      const slow = other.call(half, false, "ModelReady");
      for (const { call } of clients.slice(0, 10)) call(half, false, "ModelReady");
      await vi.waitFor(() => expect(refused.length).toBeGreaterThan(50));
      slow.end(EMPTY_MESSAGE.subarray(3));
      expect(await statusOf(slow)).toBe("0");
      for (const { session } of [...clients, other]) session.destroy();
    }
  });

  it("cannot send a health check without an end", async () => {
    const { grpc } = await start({ models: [model], grpcPort: 0 });
    const { session, call } = openSession(grpc);
    const endless = Buffer.alloc(2000);
    endless.writeUInt32BE(100_000, 1);
    expect(await statusOf(call(endless, false))).toBe("8");
    session.destroy();
  });

  it.each([
    ["half-sent", (call: Buffer) => call.fill(1, 5)],
    ["compressed", (call: Buffer) => Buffer.from(call.subarray(0, 1000)).fill(1, 0, 1)],
  ])("shares the memory of large requests with HTTP: %s calls", async (_, calls) => {
    const bounds = { maxBody: 1_000_000, maxBuffered: 2_000_000 };
    const { http, grpc } = await start({ models: [model], grpcPort: 0, limits: bounds });
    const { session, call } = openSession(grpc);
    const bytes = Buffer.alloc(900_005);
    bytes.writeUInt32BE(1_000_000, 1);
    const begun = Array.from({ length: 6 }, () => call(calls(bytes), false, "ModelInfer"));
    const refused: unknown[] = [];
    for (const stream of begun) void statusOf(stream).then((status) => refused.push(status));
    await vi.waitFor(() => expect(refused).toHaveLength(4));
    expect(refused).toEqual(["14", "14", "14", "14"]);
    const address = `${http}/models/flowers/predict`;
    const large = flowers(5000).map(unlabelled);
    expectFault(await post(address, large), 503, /too many large requests/);
    expect((await post(address, unlabelled(flowers(1)[0]))).status).toBe(200);
    expect(await statusOf(call(EMPTY_MESSAGE))).toBe("0");
    // Clients that go give their memory back.
    for (const stream of begun) stream.close(constants.NGHTTP2_CANCEL);
    await vi.waitFor(async () => expect((await post(address, large)).status).toBe(200));
    session.destroy();
  });

  it("that cancels a call ends its computation", async () => {
    const slowModel = join(folder, "slow.safetensors");
    await saveSlow(slowModel);
    const { http, grpc } = await start({ models: [slowModel], grpcPort: 0 });
    const rows = 40_000;
    const columns = ["length", ...Array.from({ length: 40 }, (_, k) => `c${k}`)];
    const request = {
      model_name: "slow",
      inputs: columns.map((name) => ({ name, datatype: "FP64", shape: [rows] })),
      raw_input_contents: columns.map((_, k) =>
        Buffer.from(Float64Array.from({ length: rows }, (_, i) => (i * k) % 17).buffer),
      ),
    };
    const service = Object(loadSync(proto, { keepCase: true })["inference.GRPCInferenceService"]);
    const message: Buffer = service.ModelInfer.requestSerialize(request);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    const { session, call } = openSession(grpc);
    const stream = call(Buffer.concat([head, message]), true, "ModelInfer");
    const metrics = async () => (await fetch(`${http}/metrics`)).text();
    await vi.waitFor(async () => expect(await metrics()).toContain(`vouch_rows_in_flight ${rows}`), 20_000);
    stream.close(constants.NGHTTP2_CANCEL);
    await vi.waitFor(
      async () => expect(await metrics()).toContain('route="grpc:ModelInfer",status="408"} 1'),
      20_000,
    );
    session.destroy();
  });

  it("does not keep the server from ending, even if it is silent", async () => {
    const server = await start({ models: [model], grpcPort: 0, limits: { closingTime: 300 } });
    const { closed } = connectSilently(Number(server.grpc?.split(":")[1]));
    const { session, call } = openSession(server.grpc);
    call(EMPTY_MESSAGE.subarray(0, 3), false);
    await once(session, "remoteSettings");
    const started = performance.now();
    await server.close();
    await closed;
    expect(performance.now() - started).toBeLessThan(3000);
    session.destroy();
  });
});

describe.runIf(process.platform === "linux")("a process with 256 descriptors", () => {
  it("answers over HTTP while 300 silent clients wait at its port for gRPC", async () => {
    const command = `ulimit -n 256; exec "${process.execPath}" "${vouch}" serve "${model}" --port 0 --grpc-port 0 --quiet`;
    const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      const http = String((await lines.next()).value);
      const port = Number(new URL(String((await lines.next()).value).replace("grpc:", "http:")).port);
      let closed = 0;
      for (let i = 0; i < 300; i++) void connectSilently(port).closed.then(() => closed++);
      await vi.waitFor(() => expect(closed).toBeGreaterThanOrEqual(236), 5000);
      for (let i = 0; i < 5; i++) {
        expect((await get(`${http}/v2/health/live`, { Connection: "close" })).status).toBe(200);
      }
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });
});
