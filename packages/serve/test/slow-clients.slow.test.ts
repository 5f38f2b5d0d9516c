import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import type { RunningServer } from "@vouch/serve";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { post, saveFlowers, servers, temporaryFolder } from "./fixtures.js";

const folder = temporaryFolder();
const model = join(folder, "flowers.safetensors");
const flower = { length: 2.5, width: 0.5, colour: "red", constructor: 3 };
const HEAD = "POST /models/flowers/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
const start = servers();
let server: RunningServer;
const timers: NodeJS.Timeout[] = [];

beforeAll(async () => {
  await saveFlowers(model);
  server = await start({ models: [model], limits: { headerTime: 400, requestTime: 800 } });
});
afterAll(() => {
  for (const timer of timers) clearInterval(timer);
});

/** Sends the beginning of a request, then one byte after the other, and never closes its own end. */
async function trickle(address: string, first: string) {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(address).port), allowHalfOpen: true });
  socket.on("error", () => {});
  let reply = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    reply += text;
  });
  await once(socket, "connect");
  const started = performance.now();
  socket.write(first);
  const timer = setInterval(() => socket.write("a"), 20);
  timers.push(timer);
  // Writing to a connection that the server has closed is an error, which closes this end, too.
  await new Promise((resolve) => socket.on("close", resolve));
  clearInterval(timer);
  return { reply, milliseconds: performance.now() - started };
}

describe("a client that sends", () => {
  it.each([
    ["its headers too slowly", `${HEAD}X-Slow: `, 400],
    ["its body too slowly", `${HEAD}Content-Length: 100000\r\n\r\n{"length":`, 800],
  ])("%s is told so and cut off, while others are answered", async (_, first, least) => {
    const slow = trickle(server.http, first);
    expect((await post(`${server.http}/models/flowers/predict`, flower)).status).toBe(200);
    const { reply, milliseconds } = await slow;
    expect(reply).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(reply).toContain("The request took too long.");
    expect(milliseconds).toBeGreaterThan(least - 50);
    expect(milliseconds).toBeLessThan(5000);
  });

  it("half a request does not keep the server from ending", async () => {
    const closing = await start({ models: [model], limits: { closingTime: 300 } });
    const slow = trickle(closing.http, `${HEAD}Content-Length: 100000\r\n\r\n{"length":`);
    await post(`${closing.http}/models/flowers/predict`, flower);
    const started = performance.now();
    await closing.close();
    await slow;
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
