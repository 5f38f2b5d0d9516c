import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { temporaryFolder } from "./fixtures.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const vouch = `${root}/packages/vouch/bin/vouch.js`;
const read = (path: string) => readFileSync(`${root}/${path}`, "utf8");
const blocks = (language: string) =>
  Array.from(read("docs/serve.md").matchAll(/^```(\w*)\n(.*?)^```$/gms)).flatMap(([, of, block]) =>
    of === language ? [block] : [],
  );

describe("docs/serve.md", () => {
  const folder = temporaryFolder();
  const stops: (() => void)[] = [];
  afterAll(() => {
    for (const stop of stops) stop();
  });
  const run = (command: string) => execFileSync("bash", ["-ec", command], { cwd: folder, encoding: "utf8" });

  it.skipIf(spawnSync("curl", ["--version"]).status !== 0)(
    "has commands and a program that work",
    async () => {
      const [start, ...requests] = blocks("sh");
      const [train, serve] = start.trim().split("\n");
      run(train.replace("vouch", `"${process.execPath}" "${vouch}"`));
      const child = spawn(process.execPath, [vouch, ...serve.split(" ").slice(1), "--port", "0"], {
        cwd: folder,
      });
      stops.push(() => child.kill());
      const [address] = await once(createInterface(child.stdout), "line");
      const answers = requests.flatMap((block) =>
        run(block.replaceAll("http://127.0.0.1:8080", String(address)).replaceAll("curl ", "echo; curl -s "))
          .trim()
          .split("\n"),
      );
      const [prediction, feedback, watch] = answers.map((line) => JSON.parse(line));
      expect(prediction).toMatchObject({
        model: "cells",
        prediction: "benign",
        reasons: { columns: [{}, {}] },
      });
      expect(feedback.feedback).toEqual({ rows: 1, errors: 0 });
      expect(watch).toEqual(feedback);
      const [program] = blocks("js");
      const text = program
        .replace('"@vouch/serve"', JSON.stringify(`${root}/packages/serve/dist/index.js`))
        .replace("8080", "0");
      const told = execFileSync(process.execPath, ["--input-type=module", "-e", text], {
        cwd: folder,
        encoding: "utf8",
      });
      expect(told).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
    },
  );

  it("and the files of deploy/ name options that exist", () => {
    const help = execFileSync(process.execPath, [vouch, "serve", "--help"], { encoding: "utf8" });
    const named = [
      "docs/serve.md",
      "docs/serve-operations.md",
      "deploy/Dockerfile",
      "deploy/kubernetes.yaml",
    ].flatMap((path) =>
      Array.from(
        read(path).matchAll(/(?:^|[\s`"])(--(?:host|port|grpc|workers|token|max|state|quiet)[\w-]*)/g),
        ([, flag]) => flag,
      ),
    );
    expect(named.length).toBeGreaterThan(10);
    for (const flag of named) expect(help).toContain(flag);
  });
});

describe("deploy/kubernetes.yaml", () => {
  it("is YAML whose parts fit together", () => {
    const parse = (text: string) => parseAllDocuments(text).map((document) => document.toJS());
    const [deployment, service, ...claims] = parse(read("deploy/kubernetes.yaml"));
    const { template, selector } = deployment.spec;
    expect(template.metadata.labels).toEqual(selector.matchLabels);
    expect(service.spec.selector).toEqual(selector.matchLabels);
    const [container] = template.spec.containers;
    const ports = container.ports.map(({ name }: { name: string }) => name);
    for (const { targetPort } of service.spec.ports) expect(ports).toContain(targetPort);
    const { startupProbe, readinessProbe, livenessProbe } = container;
    for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) {
      expect(ports).toContain(httpGet.port);
      expect(httpGet.path).toMatch(/^\/v2\/health\/(?:live|ready)$/);
    }
    const volumes = template.spec.volumes.map(({ name }: { name: string }) => name);
    for (const { name } of container.volumeMounts) expect(volumes).toContain(name);
    const claimed = template.spec.volumes.flatMap(
      (volume: { persistentVolumeClaim?: { claimName: string } }) =>
        volume.persistentVolumeClaim?.claimName ?? [],
    );
    expect(claims.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(claimed);
    const [loader] = parse(read("deploy/load-models.yaml"));
    const [models] = loader.spec.volumes;
    expect(models.persistentVolumeClaim).toEqual({ claimName: "vouch-models" });
    expect(loader.spec.containers[0].image).toBe(container.image);
    expect(claims[0].spec.accessModes).not.toContain("ReadOnlyMany");
  });
});
