import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { flowers, get, post, saveFlowers, servers, temporaryFolder, unlabelled } from "./fixtures.js";

const python = "/usr/bin/python3";
const client = fileURLToPath(new URL("grpc_client.py", import.meta.url));
const proto = fileURLToPath(new URL("../inference.proto", import.meta.url));
const folder = temporaryFolder();
const start = servers();

/** Compiles the messages for Python; false if protoc or Debian's python3-grpcio is missing. */
function compiled(): boolean {
  mkdirSync(join(folder, "messages"));
  const args = [`--python_out=${join(folder, "messages")}`, `--proto_path=${join(proto, "..")}`, proto];
  if (spawnSync("protoc", args).status !== 0) return false;
  return spawnSync(python, ["-c", "import grpc, google.protobuf"]).status === 0;
}

describe("the Open Inference Protocol over gRPC", () => {
  it("answers Debian's python3-grpcio with the protocol's own messages", async ({ skip }) => {
    skip(!compiled());
    const model = join(folder, "flowers.safetensors");
    await saveFlowers(model);
    writeFileSync(join(folder, "tokens"), "secret\n");
    const server = await start({ models: [model], grpcPort: 0, tokenFile: join(folder, "tokens") });
    const rows = flowers(30, 4).map(unlabelled);
    const plain = await post(`${server.http}/models/flowers/predict`, rows, {
      Authorization: "Bearer secret",
    });
    const metadata = await get(`${server.http}/v2/models/flowers`, { Authorization: "Bearer secret" });
    expect(metadata.answer.parameters).toMatchObject({ verdict: { better: "yes" }, certificate: {} });
    const given = JSON.stringify({
      rows,
      target: server.grpc,
      messages: join(folder, "messages"),
      token: "secret",
    });
    const { stdout } = await promisify(execFile)(python, [client, given]);
    const told = JSON.parse(stdout);
    const predictions = plain.answer.predictions.map((each: { prediction: string }) => each.prediction);
    const probabilities = plain.answer.predictions.flatMap(
      (each: { probabilities: Record<string, number> }) => [
        each.probabilities.daisy,
        each.probabilities.rose,
      ],
    );
    expect(told).toEqual({
      live: true,
      ready: true,
      model_ready: true,
      other_ready: false,
      server: "vouch",
      model: {
        name: "flowers",
        versions: ["1"],
        inputs: ["length", "width", "colour", "constructor"],
        parameters: metadata.answer.parameters,
      },
      typed: { id: "7", predictions, probabilities },
      raw: { predictions, probabilities },
      faults: {
        unknown_model: ["NOT_FOUND", expect.stringContaining('no model "none"')],
        missing_column: ["INVALID_ARGUMENT", expect.stringContaining("lacks 3 columns")],
        short_contents: ["INVALID_ARGUMENT", expect.stringContaining("need 16")],
        no_token: ["UNAUTHENTICATED", expect.stringContaining("token")],
      },
    });
    const metrics = await fetch(`${server.http}/metrics`, { headers: { Authorization: "Bearer secret" } });
    expect(await metrics.text()).toContain('route="grpc:ModelInfer",status="200"} 2');
  });
});
