import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import * as vouch from "vouch";
import * as z from "zod";
import { describeOptions } from "#core/learners/options.js";

const library = fileURLToPath(new URL("../../../vouch/", import.meta.url));
const tsc = join(library, "../../node_modules/typescript/bin/tsc");

const messageSchema = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  result: z.unknown().optional(),
});
const hoverSchema = z.object({ contents: z.object({ value: z.string() }) });

/** Starts TypeScript's language server, as editors do. */
function startLanguageServer() {
  const server = spawn(process.execPath, [tsc, "--lsp", "--stdio"], { stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map<number | string, (result: unknown) => void>();
  let received = Buffer.alloc(0);
  let requests = 0;

  function send(message: object): void {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  function receive(text: string): void {
    const { id, method, result } = messageSchema.parse(JSON.parse(text));
    if (id === undefined) return;
    // The server asks to be told of changes; nothing changes.
    if (method !== undefined) send({ id, result: null });
    else waiting.get(id)?.(result);
  }
  server.stdout.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const [header, length] =
        /^(?:.*\r\n)*?Content-Length: (\d+)\r\n(?:.+\r\n)*\r\n/.exec(received.toString("latin1")) ?? [];
      const end = (header?.length ?? 0) + Number(length);
      if (header === undefined || received.length < end) return;
      receive(received.toString("utf8", header.length, end));
      received = received.subarray(end);
    }
  });
  return {
    notify: (method: string, params: object) => send({ method, params }),
    request: (method: string, params: object) =>
      new Promise<unknown>((resolve) => {
        requests++;
        waiting.set(requests, resolve);
        send({ id: requests, method, params });
      }),
    stop: () => server.kill(),
  };
}

/** A user's project in a folder of its own. */
function createProject(program: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "vouch-hovers-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(library, join(folder, "node_modules/vouch"), "junction");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "nodenext",
    noEmit: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  writeFileSync(join(folder, "program.ts"), program);
  return folder;
}

it("editors show the help text and the default of every option of every learner", async () => {
  const kinds = await vouch.allLearners();
  const calls = Object.entries(vouch).flatMap(([name, exported]) => {
    const kind = kinds.find((one) => Object.is(one, exported));
    return kind === undefined ? [] : [{ name, options: describeOptions(kind.options) }];
  });
  expect(calls).toHaveLength(kinds.length);

  const program = [`import { ${calls.map(({ name }) => name).join(", ")} } from "vouch";`];
  const hovered = calls.flatMap(({ name, options }) => {
    program.push(`${name}({`);
    const lines = options.map((option) => {
      const line = program.push(`  ${option.name}: ${JSON.stringify(option.default)},`) - 1;
      return { learner: name, position: { line, character: 2 }, ...option };
    });
    program.push("});");
    return lines;
  });
  const text = program.join("\n");
  const uri = pathToFileURL(join(createProject(text), "program.ts")).href;

  const server = startLanguageServer();
  onTestFinished(() => void server.stop());
  await server.request("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
  server.notify("initialized", {});
  const textDocument = { uri, languageId: "typescript", version: 1, text };
  server.notify("textDocument/didOpen", { textDocument });
  for (const { learner, position, name, description, default: usual } of hovered) {
    const hover = await server.request("textDocument/hover", { textDocument: { uri }, position });
    const { value } = hoverSchema.parse(hover).contents;
    expect(value, learner).toContain(`(property) ${name}?: `);
    expect(value, learner).toContain(`${description} Default: \`${JSON.stringify(usual)}\`.`);
  }
}, 60_000);
