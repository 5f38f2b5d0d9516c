import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { hasRedis, RedisServer } from "../../../cluster/test/redis-server.js";
import { bin, Desk, flowersCsv, type Running } from "../vouch.js";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const FOLDER = "deploy/cluster";
const PASSWORD = "secret";
/** Variables that compose.yaml may use; Compose refuses to start if one with a message is not set. */
const variables: Readonly<Record<string, string>> = { VOUCH_REDIS_PASSWORD: PASSWORD };
const compose = parse(
  read(`${FOLDER}/compose.yaml`).replaceAll(/\$\{(\w+)(?::\?[^}]+)?\}/g, (_, name) => variables[name]),
);
const manifests = parseAllDocuments(read(`${FOLDER}/kubernetes.yaml`)).map((document) => {
  expect(document.errors).toEqual([]);
  return document.toJS();
});
const manifest = (kind: string) => manifests.find((each) => each.kind === kind);
/** The arguments of redis-server in a command line. */
const redisOptions = (command: string) => /redis-server (.*)$/.exec(command)?.[1].split(" ") ?? [];

describe("the image", () => {
  it("is made of files and scripts that exist, and starts the command", () => {
    const steps = read("deploy/Dockerfile");
    const { scripts } = JSON.parse(read("package.json"));
    const npmScripts = Array.from(steps.matchAll(/npm run (\S+)/g), ([, name]) => name);
    expect(npmScripts).not.toEqual([]);
    for (const name of npmScripts) expect(Object.keys(scripts)).toContain(name);
    for (const [, source] of steps.matchAll(/^COPY (?!--from)(\S+) \S+$/gm))
      expect(existsSync(join(root, source)), source).toBe(true);
    expect(read("scripts/pack.mjs")).toContain('join(root, "build", "packages")');
    const { name, bin: programs } = JSON.parse(read("packages/vouch/package.json"));
    const [, path] = /ENTRYPOINT \["node", "([^"]+)"/.exec(steps) ?? [];
    expect(path).toBe(join("node_modules", name, programs.vouch));
    // It builds and runs with the same Node, one that still gets security fixes.
    const bases = Array.from(steps.matchAll(/^FROM (\S+)/gm), ([, image]) => image);
    expect(bases).toEqual([expect.stringMatching(/^node:24\.\d+\.\d+-slim$/), bases[0]]);
    const [, port] = /EXPOSE (\d+)/.exec(steps) ?? [];
    expect(steps).toMatch(new RegExp(`HEALTHCHECK[^]*127\\.0\\.0\\.1:${port}/v2/health/ready`));
  });

  it("has the dependencies of the lock file, and does not run as root", () => {
    const steps = read("deploy/Dockerfile").replaceAll("\\\n", "");
    const commands = Array.from(steps.matchAll(/^RUN (.*)$/gm), ([, command]) => command);
    for (const command of commands) execFileSync("bash", ["-n", "-c", command]);
    expect(steps).not.toMatch(/npm (?:install|i)\b/);
    const { name } = JSON.parse(read("packages/vouch/package.json"));
    expect(commands.filter((command) => command.startsWith("npm ci "))).toEqual([
      expect.stringMatching(new RegExp(`--omit=dev --ignore-scripts .*--workspace=${name}$`)),
    ]);
    // The packed files of each published package go to the folder that node_modules links to.
    const [, pattern] = /sed -E '([^']+)'/.exec(steps) ?? [];
    const files = ["vouch-0.1.0.tgz", "vouch-serve-0.1.0.tgz", "vouch-formats-10.20.30.tgz"];
    const folders = execFileSync("sed", ["-E", pattern ?? ""], { input: files.join("\n"), encoding: "utf8" });
    expect(folders.split("\n")).toEqual(["vouch", "serve", "formats"]);
    expect(steps.indexOf("\nUSER node\n")).toBeGreaterThan(steps.lastIndexOf("\nRUN "));
  });

  it("is that of the workers, with the version of the packages", () => {
    const { version } = JSON.parse(read("packages/vouch/package.json"));
    const { worker } = compose.services;
    const [container] = manifest("Deployment").spec.template.spec.containers;
    for (const image of [worker.image, container.image]) expect(image).toBe(`vouch:${version}`);
    const context = resolve(root, FOLDER, worker.build.context);
    expect(context).toBe(resolve(root));
    expect(existsSync(join(context, worker.build.dockerfile))).toBe(true);
    const [, path] = /ENTRYPOINT \["node", "([^"]+)"/.exec(read("deploy/Dockerfile")) ?? [];
    expect(worker.entrypoint).toEqual(["node", path]);
    expect(container.command).toEqual(["node", path]);
  });
});

describe("compose.yaml and kubernetes.yaml", () => {
  it("refer to services, volumes, labels and secrets that they define", () => {
    expect(Object.keys(compose.services.worker.depends_on)).toEqual(["redis"]);
    expect(compose.services.redis.volumes).toEqual(
      Object.keys(compose.volumes).map((name) => `${name}:/data`),
    );
    expect(compose.services.redis.environment.REDISCLI_AUTH).toBe(PASSWORD);
    expect(compose.services.worker.environment.VOUCH_CLUSTER).toBe(`redis://:${PASSWORD}@redis:6379`);
    for (const { apiVersion, kind, metadata } of manifests) {
      expect(apiVersion).toMatch(/^(apps\/)?v1$/);
      expect([kind, typeof metadata.name]).toEqual([kind, "string"]);
    }
    const [service, redis, workers] = ["Service", "StatefulSet", "Deployment"].map(manifest);
    for (const each of [redis, workers])
      expect(each.spec.template.metadata.labels).toEqual(each.spec.selector.matchLabels);
    expect(service.spec.selector).toEqual(redis.spec.selector.matchLabels);
    expect(redis.spec.serviceName).toBe(service.metadata.name);
    // The command in the comment creates the secret with the keys that containers read.
    const secret = /secret generic (\S+) (.*)$/m.exec(read(`${FOLDER}/kubernetes.yaml`));
    const keys = Array.from((secret?.[2] ?? "").matchAll(/--from-literal=(\w+)=/g), ([, key]) => key);
    const variables = [redis, workers].flatMap((each) => each.spec.template.spec.containers[0].env);
    for (const { valueFrom } of variables) {
      expect(valueFrom.secretKeyRef.name).toBe(secret?.[1]);
      expect(keys).toContain(valueFrom.secretKeyRef.key);
    }
    const annotations = workers.spec.template.metadata.annotations;
    const [{ args, ports }] = workers.spec.template.spec.containers;
    expect(args[args.indexOf("--metrics-port") + 1]).toBe(annotations["prometheus.io/port"]);
    expect(ports[0].containerPort).toBe(Number(annotations["prometheus.io/port"]));
  });

  it("have no password of their own, and write to no root", () => {
    expect(read(`${FOLDER}/compose.yaml`)).toMatch(/--requirepass \$\{VOUCH_REDIS_PASSWORD:\?[^}]+\} /);
    for (const service of Object.values<{ read_only?: boolean }>(compose.services)) {
      expect(service.read_only).toBe(true);
    }
    const [container] = manifest("Deployment").spec.template.spec.containers;
    expect(container.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
  });

  it("start Redis in the same way", () => {
    const [{ command }] = manifest("StatefulSet").spec.template.spec.containers;
    const ofCompose = redisOptions(compose.services.redis.command);
    expect(redisOptions(command[2]).join(" ").replace('"$PASSWORD"', `${PASSWORD}`)).toBe(
      ofCompose.join(" "),
    );
  });
});

describe.skipIf(!hasRedis)("the commands of the files", () => {
  const desk = new Desk();
  const running: Running[] = [];
  afterAll(async () => {
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(running.map(({ outcome }) => outcome));
  });

  it("run workers that serve their metrics", async () => {
    const redis = await RedisServer.start(...redisOptions(compose.services.redis.command));
    const [container] = manifest("Deployment").spec.template.spec.containers;
    const { environment, command } = compose.services.worker;
    // The manifests name the same variable.
    const [variable] = Object.keys(environment);
    expect(container.env.map(({ name }: { name: string }) => name)).toEqual([variable]);
    const env = { [variable]: environment.VOUCH_CLUSTER.replace("@redis:6379", `@127.0.0.1:${redis.port}`) };
    const anyPort = (args: readonly string[]) => args.map((each) => (each === "9464" ? "0" : each));
    const workers = [command, container.args].map((args) => desk.start(anyPort(args), { env }));
    running.push(...workers);
    await Promise.all(workers.map(({ said }) => said("Metrics are at http://0.0.0.0:")));
    desk.file("flowers.csv", flowersCsv(2000));
    const train = ["train", "flowers.csv", "--learner", "forest", "--set", "trees=60"];
    await desk.print([...train, "--out", "compose.safetensors", "--quiet"], { env });
    for (const { child } of workers) child.kill("SIGTERM");
    const outcomes = await Promise.all(workers.map(({ outcome }) => outcome));
    const done = outcomes.map(({ stderr }) => Number(/^(\d+) tasks? done, 0 failed/m.exec(stderr)?.[1]));
    expect(done[0] + done[1]).toBeGreaterThan(0);
    await redis.stop();
  });

  it("are a script for Slurm that runs", async () => {
    const script = join(root, FOLDER, "slurm.sh");
    execFileSync("bash", ["-n", script]);
    // In place of Slurm: starts the command once, on this machine.
    const programs = join(desk.path, "programs");
    mkdirSync(programs);
    desk.file("programs/srun", '#!/bin/bash\nwhile [[ $1 == --* ]]; do shift; done\nexec "$@"\n');
    desk.file("programs/vouch", `#!/bin/bash\nexec "${process.execPath}" "${bin}" "$@"\n`);
    desk.file("programs/hostname", "#!/bin/bash\necho 127.0.0.1\n");
    for (const name of ["srun", "vouch", "hostname"]) chmodSync(join(programs, name), 0o755);
    desk.file("rows.csv", flowersCsv(2000));
    const train = ["train", "rows.csv", "--learner", "forest", "--set", "trees=60", "--out"];
    const { code, stderr } = await desk.run([...train, "slurm.safetensors"], {
      program: ["bash", script],
      env: {
        PATH: `${programs}:${dirname(process.execPath)}:${process.env.PATH}`,
        HOME: desk.path,
        SLURM_JOB_ID: String(process.pid),
        SLURM_NNODES: "1",
        SLURM_CPUS_PER_TASK: "2",
      },
    });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/The cluster ran \d+ tasks? on 1 worker/)]);
    await desk.print([...train, "alone.safetensors", "--quiet"]);
    expect(desk.bytes("slurm.safetensors").equals(desk.bytes("alone.safetensors"))).toBe(true);
  });
});
