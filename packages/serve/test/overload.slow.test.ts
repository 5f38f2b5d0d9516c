import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
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

const folder = temporaryFolder();
const start = servers();
const model = join(folder, "flowers.safetensors");
const slowModel = join(folder, "slow.safetensors");
const flower = { length: 2.5, width: 0.5, colour: "red", constructor: 3 };
const sockets: Socket[] = [];

beforeAll(async () => {
  await saveFlowers(model);
  await saveSlow(slowModel);
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

/** Sends the head of a request and the beginning of its body; what the server answers goes to `reply`. */
async function beginRequest(address: string, bytes: number) {
  const { port } = new URL(address);
  const socket = connect(Number(port), "127.0.0.1");
  sockets.push(socket);
  const sent = { socket, reply: "" };
  socket.setEncoding("utf8").on("data", (text: string) => {
    sent.reply += text;
  });
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(
    "POST /models/flowers/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n",
  );
  socket.write(" ".repeat(bytes));
  return sent;
}

describe("bodies in memory", () => {
  it("are bounded together; small requests are answered nevertheless", async () => {
    const limits = { maxBody: 1_000_000, maxBuffered: 2_000_000 };
    const { http } = await start({ models: [model], limits });
    const address = `${http}/models/flowers/predict`;
    const held = await Promise.all(Array.from({ length: 4 }, () => beginRequest(http, 900_000)));
    const refused = () => held.filter(({ reply }) => reply !== "");
    await vi.waitFor(() => expect(refused()).toHaveLength(2));
    for (const { reply } of refused()) {
      expect(reply).toMatch(/^HTTP\/1\.1 503 /);
      expect(reply.toLowerCase()).toMatch(/\r\nretry-after: 1\r\n/);
      expect(reply).toContain("too many large requests in memory");
    }
    expect((await post(address, flower)).status).toBe(200);
    const large = flowers(5000).map(unlabelled);
    expectFault(await post(address, large), 503, /too many large requests/);
    // A client that goes gives its memory back, and so does an answered request.
    for (const { socket } of held) socket.destroy();
    await vi.waitFor(async () => expect((await post(address, large)).status).toBe(200));
    for (let i = 0; i < 6; i++) expect((await post(address, large)).status).toBe(200);
  });

  it("leave nothing behind when their clients go, at any time", async () => {
    const server = await start({ models: [model], limits: { maxBody: 1_000_000, maxBuffered: 2_000_000 } });
    const address = `${server.http}/models/flowers/predict`;
    const large = JSON.stringify(flowers(5000).map(unlabelled));
    for (let delay = 0; delay < 40; delay += 2) {
      const all = Array.from({ length: 3 }, () => post(address, large, {}, AbortSignal.timeout(delay)));
      await Promise.allSettled(all);
    }
    await vi.waitFor(async () => {
      const all = await Promise.all([post(address, large), post(address, large)]);
      expect(all.map(({ status }) => status)).toEqual([200, 200]);
    }, 20_000);
  });

  it("wait for their turn, and are all answered", async () => {
    const { http } = await start({ models: [model] });
    const address = `${http}/models/flowers/predict`;
    const large = JSON.stringify(flowers(5000).map(unlabelled));
    const all = Array.from({ length: 12 }, () => post(address, large));
    all.push(post(address, `${large.slice(0, -2)},`));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses).toEqual([...Array(12).fill(200), 400]);
  });
});

describe("reasons", () => {
  const records = Array.from({ length: 100 }, (_, i) => ({
    ...Object.fromEntries(Array.from({ length: 40 }, (_, k) => [`c${k}`, (i + k) % 17])),
    length: 2 + i / 50,
  }));
  /** Seconds that this process and its threads have computed. */
  const seconds = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };

  it("are computed for so many rows at a time, and not for a client that has gone", async () => {
    const { http } = await start({ models: [slowModel, model] });
    const address = `${http}/models/slow/predict?reasons=3`;
    expect((await post(address, records[0])).status).toBe(200);
    const before = seconds();
    expect((await post(address, records.slice(0, 20))).status).toBe(200);
    const twenty = seconds() - before;
    const controller = new AbortController();
    const abandoned = Array.from({ length: 4 }, () => post(address, records, {}, controller.signal));
    const ends = Promise.allSettled(abandoned);
    await vi.waitFor(async () => {
      const more = await post(address, records);
      expectFault(more, 503, /reasons of too many rows/);
      expect(more.headers.get("retry-after")).toBe("1");
    });
    expect((await post(`${http}/models/flowers/predict`, flower)).status).toBe(200);
    expect((await get(`${http}/v2/health/live`)).status).toBe(200);
    const computed = seconds();
    controller.abort();
    for (const { status } of await ends) expect(status).toBe("rejected");
    // Their place is free at once.
    await vi.waitFor(async () => expect((await post(address, records[1])).status).toBe(200), 10_000);
    // All 400 rows would take 20 times as long.
    expect(seconds() - computed).toBeLessThan(5 * twenty);
  });
});
