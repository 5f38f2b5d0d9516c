import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type StudioServer, serveStudio } from "#vouch/process/studio-server.js";

const vouch = fileURLToPath(new URL("../bin/vouch.js", import.meta.url));
const data = fileURLToPath(new URL("../../datasets/data/", import.meta.url));

/** Lists the files that this process has open. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return [];
    }
  });
}

describe("the server of the studio", () => {
  let server: StudioServer | undefined;
  afterEach(() => server?.close());

  /** Serves a folder as if it were the page. */
  const serve = async (file?: string) => {
    server = await serveStudio({ site: data, headers: { "X-Test": "yes" }, host: "127.0.0.1", file });
    return new URL(server.address);
  };

  it("serves the files of its folder with the headers, and nothing else", async () => {
    const address = await serve();
    const found = await fetch(new URL("/iris.csv", address));
    expect(found.status).toBe(200);
    expect(found.headers.get("x-test")).toBe("yes");
    expect(found.headers.get("content-type")).toContain("text/csv");
    expect(await found.text()).toBe(readFileSync(`${data}iris.csv`, "utf8"));
    for (const path of ["/none.csv", "/../package.json", "/%2e%2e/package.json", "/iris.csv/"]) {
      expect((await fetch(new URL(path, address))).status).toBe(404);
    }
    expect((await fetch(new URL("/iris.csv?v=2", address))).status).toBe(200);
    expect((await fetch(new URL("/iris.csv", address), { method: "POST" })).status).toBe(405);
    const head = await fetch(new URL("/iris.csv", address), { method: "HEAD" });
    expect(Number(head.headers.get("content-length"))).toBeGreaterThan(1000);
  });

  it("answers addresses that are none", async () => {
    const { port } = await serve();
    for (const path of [
      "//",
      "///iris.csv",
      "/../../package.json",
      "/\\",
      "http://[",
      "/iris.csv?x=%",
      "*",
    ]) {
      const asked = request({ port, host: "127.0.0.1", path });
      asked.end();
      const [response] = await once(asked, "response");
      response.resume();
      expect(response.statusCode, path).toBe(path.startsWith("/iris.csv") ? 200 : 404);
    }
  });

  it.runIf(process.platform === "linux")("closes a file that a page stops reading", async () => {
    const folder = mkdtempSync(join(tmpdir(), "vouch-studio-"));
    const file = join(folder, "large.csv");
    writeFileSync(file, Buffer.alloc(1 << 25, "1\n"));
    const address = await serve(file);
    const controller = new AbortController();
    const { body } = await fetch(new URL(address.hash.replace("#open=", "/"), address), controller);
    await body?.getReader().read();
    expect(openFiles()).toContain(file);
    controller.abort();
    await vi.waitFor(() => expect(openFiles()).not.toContain(file));
    rmSync(folder, { recursive: true });
  });

  it("takes the preferred port, and a free one if that is taken", async () => {
    const first = await serveStudio({ site: data, headers: {}, host: "127.0.0.1" });
    const preferredPort = Number(new URL(first.address).port);
    server = await serveStudio({ site: data, headers: {}, host: "127.0.0.1", preferredPort });
    expect(Number(new URL(server.address).port)).not.toBe(preferredPort);
    first.close();
    server.close();
    server = await serveStudio({ site: data, headers: {}, host: "127.0.0.1", preferredPort });
    expect(Number(new URL(server.address).port)).toBe(preferredPort);
    const port = preferredPort;
    const again = serveStudio({ site: data, headers: {}, host: "127.0.0.1", port });
    await expect(again).rejects.toThrow(`port ${port}`);
  });

  it("does not send an unchanged file again", async () => {
    const address = new URL("/iris.csv", await serve());
    const tag = (await fetch(address)).headers.get("etag") ?? "";
    const again = await fetch(address, { headers: { "If-None-Match": tag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect((await fetch(address, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
  });

  it("serves the user's file under a path that nobody can guess", async () => {
    const address = await serve(vouch);
    const path = address.hash.replace("#open=", "/");
    expect(path).toMatch(/^\/files\/[0-9a-f]{32}\/vouch\.js$/);
    expect(await (await fetch(new URL(path, address))).text()).toBe(readFileSync(vouch, "utf8"));
    expect((await fetch(new URL("/files/vouch.js", address))).status).toBe(404);
  });

  it("does not answer pages of other names, which may point to this computer", async () => {
    const { port } = await serve();
    const asked = request({
      port,
      host: "127.0.0.1",
      path: "/iris.csv",
      headers: { Host: "elsewhere.example" },
    });
    asked.end();
    const [response] = await once(asked, "response");
    expect(response.statusCode).toBe(403);
    response.resume();
  });
});

describe("vouch studio", () => {
  it("prints the address, serves the page with isolation, and ends with Ctrl-C", async () => {
    const command = spawn(process.execPath, [vouch, "studio", "iris", "--quiet"], { stdio: "pipe" });
    const ended = once(command, "exit");
    const [line] = await once(createInterface(command.stdout), "line");
    expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#open=files\/[0-9a-f]{32}\/iris\.csv(?:\.gz)?$/);
    const page = await fetch(line);
    expect(page.headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(page.headers.get("cross-origin-embedder-policy")).toBe("require-corp");
    expect(await page.text()).toContain("Content-Security-Policy");
    command.kill("SIGINT");
    const [code] = await ended;
    expect(code).toBe(0);
  });

  it.each([
    ["./none.csv", "There is no file ./none.csv."],
    [data, `${data} is not a file.`],
  ])("says what is wrong with %s", async (argument, message) => {
    const command = spawn(process.execPath, [vouch, "studio", argument], { stdio: "pipe" });
    let text = "";
    command.stderr.on("data", (chunk) => {
      text += chunk;
    });
    const [code] = await once(command, "exit");
    expect(code).toBe(1);
    expect(text).toContain(message);
  });
});
