import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { RunningServer } from "@vouch/serve";
import { beforeAll, describe, expect, it } from "vitest";
import { get, saveFlowers, servers, temporaryFolder } from "./fixtures.js";

const folder = temporaryFolder();
const model = join(folder, "flowers.safetensors");
const start = servers();
const flower = { length: 2.5, width: 0.5, colour: "red", constructor: 3 };
const mistake = { predicted: "rose", actual: "daisy" };
const JSON_TYPE = { "Content-Type": "application/json" };
const TENSORS = Object.entries(flower).map(([name, cell]) => ({
  name,
  shape: [1],
  datatype: typeof cell === "string" ? "BYTES" : "FP64",
  data: [cell],
}));
let server: RunningServer;
let behindProxy: RunningServer;

beforeAll(async () => {
  await saveFlowers(model);
  server = await start({ models: [model] });
  behindProxy = await start({ models: [model], host: "0.0.0.0", hostNames: ["Models.example.com"] });
});

/** Sends exactly these headers, which `fetch` does not allow. */
async function send(
  { http }: RunningServer,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
) {
  const { port } = new URL(http);
  const method = body ? "POST" : "GET";
  const asked = request({ host: "127.0.0.1", port, path, method, headers });
  asked.end(body && JSON.stringify(body));
  const [response] = await once(asked, "response");
  return { status: response.statusCode, headers: response.headers, answer: JSON.parse(await text(response)) };
}

const statusFor = async (running: RunningServer, host: string) =>
  (await send(running, "/models", { Host: host })).status;

describe("the Host header", () => {
  it.each([
    "127.0.0.1:8080",
    "localhost:8080",
    "LOCALHOST",
    "localhost.:80",
    "flowers.localhost",
    "[::1]:80",
    "192.0.2.7",
  ])("%s is a name of a server for this computer", async (host) =>
    expect(await statusFor(server, host)).toBe(200),
  );

  it.each([
    "elsewhere.example:8080",
    "vouch",
    "127.0.0.1.elsewhere.example",
    "localhost.elsewhere.example",
    "elsewhere.example@127.0.0.1",
  ])('"%s" is not: a page of another site may have given its name this address', async (host) => {
    const { status, answer } = await send(server, "/models", { Host: host });
    expect([status, answer.error]).toEqual([403, expect.stringContaining("does not answer to the name")]);
    expect((await send(server, "/models/flowers/predict", { ...JSON_TYPE, Host: host }, flower)).status).toBe(
      403,
    );
  });

  it("names a server for other computers by --host-name, by address, or without a dot", async () => {
    for (const host of ["models.example.com", "MODELS.example.com:443", "10.1.2.3:8080", "vouch:8080"]) {
      expect(await statusFor(behindProxy, host), host).toBe(200);
    }
    for (const host of ["elsewhere.example", "models.example.com.elsewhere.example"]) {
      expect(await statusFor(behindProxy, host), host).toBe(403);
    }
    const wrong = start({ models: [model], hostNames: ["https://models.example.com"] });
    await expect(wrong).rejects.toThrow(/must be a name without a port, not "https:/);
  });

  it("may be any at health checks, which load balancers send", async () => {
    for (const path of ["/v2/health/live", "/v2/health/ready"]) {
      expect((await send(server, path, { Host: "elsewhere.example" })).status).toBe(200);
    }
  });

  it.each(["Host: localhost\r\nHost: elsewhere.example", "Host:"])("must come once: %j", async (hosts) => {
    const socket = connect(Number(new URL(server.http).port), "127.0.0.1");
    socket.end(`GET /models HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /);
  });
});

describe("a page of another site", () => {
  const host = "localhost:8080";
  it.each<Readonly<Record<string, string>>>([
    { Origin: "https://elsewhere.example" },
    { Origin: "http://localhost:3000" },
    { Origin: "null" },
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
  ])("cannot send feedback or rows with %j", async (headers) => {
    const all = { Host: host, ...JSON_TYPE, ...headers };
    const { status, answer } = await send(server, "/models/flowers/feedback", all, mistake);
    expect([status, answer.error]).toEqual([403, "This request comes from a page of another site."]);
    expect((await send(server, "/models/flowers/predict", all, flower)).status).toBe(403);
    expect((await send(server, "/v2/models/flowers/infer", all, { inputs: TENSORS })).status).toBe(403);
    expect((await get(`${server.http}/models/flowers/watch`)).answer.feedback.rows).toBe(0);
  });

  it("cannot send a type that a browser sends without asking, or none", async () => {
    const types: Readonly<Record<string, string>>[] = [
      {},
      { "Content-Type": "text/plain" },
      { "Content-Type": "multipart/form-data; boundary=x" },
    ];
    for (const type of types) {
      const headers = { Host: host, ...type };
      for (const [action, body] of Object.entries({ feedback: mistake, predict: flower })) {
        const { status, answer } = await send(server, `/models/flowers/${action}`, headers, body);
        expect([status, answer.error]).toEqual([415, expect.stringContaining("Content-Type")]);
      }
    }
    const tensors = { Host: host, "Content-Type": "text/plain" };
    expect((await send(server, "/v2/models/flowers/infer", tensors, { inputs: TENSORS })).status).toBe(415);
    expect((await get(`${server.http}/models/flowers/watch`)).answer.feedback.rows).toBe(0);
  });

  it("is not what the server's own pages are, with and without a proxy that encrypts", async () => {
    const own = { Host: host, Origin: `http://${host}`, "Sec-Fetch-Site": "same-origin", ...JSON_TYPE };
    expect((await send(server, "/models/flowers/predict", own, flower)).status).toBe(200);
    // A proxy may keep the name of the client, or send the address of the server instead.
    for (const name of ["models.example.com", "10.1.2.3:8080"]) {
      const headers = { ...own, Host: name, Origin: "https://models.example.com" };
      expect((await send(behindProxy, "/models/flowers/predict", headers, flower)).status, name).toBe(200);
    }
  });
});

describe("answers", () => {
  it.each(["/", "/page.js", "/models", "/v2/health/live", "/nothing"])(
    "at %s must not be guessed at, framed or used by other sites",
    async (path) => {
      const { headers } = await fetch(`${server.http}${path}`);
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("Content-Security-Policy")).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
      expect(headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
    },
  );
});
