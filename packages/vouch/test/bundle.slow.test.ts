import { cpSync, existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { bin, Desk, flowersCsv } from "./vouch.js";

const built = (path: string) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url));

describe("the bundle of the command", () => {
  const desk = new Desk();
  const start = (path: string) => {
    const module = pathToFileURL(built(path)).href;
    const script = `import { supervise } from "${module}"; process.exitCode = await supervise(process.argv.slice(2));`;
    return {
      program: [
        process.execPath,
        join(desk.path, desk.file(`${dirname(path).replace("/", "-")}.mjs`, script)),
      ],
    };
  };

  it("trains and predicts on threads as the packages do", async () => {
    expect(existsSync(built("bundle/worker.js")), "run npm run build").toBe(true);
    // More than the 4 MiB from which on a file is read on threads.
    const data = desk.file("flowers.csv", flowersCsv(220_000));
    const outcomes = [];
    for (const [name, options] of [
      ["packages", start("process/supervise.js")],
      ["bundle", start("bundle/chunks/supervise.js")],
    ] as const) {
      const model = `${name}.safetensors`;
      const flags = [
        "--learner",
        "forest",
        "--set",
        "trees=20",
        "--rows",
        "3000",
        "--threads",
        "2",
        "--out",
        model,
      ];
      await desk.print(["train", data, ...flags, "--quiet"], options);
      const predictions = await desk.print(["predict", model, data, "--threads", "2"], options);
      outcomes.push({ model: desk.bytes(model), predictions });
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  it("finds what is not in it: the data sets, the version, libraries for charts and Parquet", async () => {
    const options = start("bundle/chunks/supervise.js");
    expect(await desk.print(["--version"], options)).toBe(await desk.print(["--version"]));
    const flags = ["--learner", "stump", "--out", "iris.safetensors", "--report", "iris.html"];
    expect(await desk.print(["train", "iris", ...flags], options)).toContain("model saved");
    expect(desk.read("iris.html")).toContain("<svg");
    const broken = desk.file("broken.parquet", "PAR1");
    const { stderr } = await desk.run(["train", broken], options);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain("too small to be a Parquet file");
  });
});

describe("the server in the bundle", () => {
  const desk = new Desk();

  it("finds its libraries, its page, its messages and the script of its workers", async () => {
    await desk.print(["train", "iris", "--learner", "stump", "--out", "iris.safetensors", "--quiet"]);
    const module = pathToFileURL(built("bundle/chunks/supervise.js")).href;
    const script = `import { supervise } from "${module}"; process.exitCode = await supervise(process.argv.slice(2));`;
    const program = [process.execPath, join(desk.path, desk.file("bundled.mjs", script))];
    const flags = ["--port", "0", "--grpc-port", "0", "--workers", "2"];
    const { child, outcome, said } = desk.start(["serve", "iris.safetensors", ...flags], { program });
    let printed = "";
    child.stdout?.on("data", (text: string) => {
      printed += text;
    });
    await said("Stop with Ctrl-C");
    const [, address] = /^(http:\S+)\ngrpc:/.exec(printed) ?? expect.fail(printed);
    expect(await (await fetch(`${address}/page.js`)).text()).toContain("fetch(");
    expect((await fetch(`${address}/v2/health/ready`)).status).toBe(200);
    child.kill("SIGTERM");
    expect((await outcome).code).toBe(0);
  });
});

describe("the start of the command", () => {
  const desk = new Desk();
  const at = (name: string, seconds: number, text = "") => {
    const path = join(desk.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    utimesSync(path, seconds, seconds);
  };
  const supervising = (name: string) =>
    `export async function supervise() { process.stdout.write("${name}"); return 0; }`;
  const command = join(desk.path, "packages/vouch/bin/vouch.js");
  const run = () => desk.print([], { program: [process.execPath, command] });

  it("takes the bundle unless a package has been built since", async () => {
    desk.file("package.json", '{ "type": "module" }');
    cpSync(dirname(bin), dirname(command), { recursive: true });
    at("packages/vouch/dist/process/supervise.js", 1, supervising("packages"));
    expect(await run()).toBe("packages");
    at("packages/vouch/dist/bundle/chunks/supervise.js", 1000, supervising("bundle"));
    at("packages/vouch/dist/bundle/worker.js", 1000);
    expect(await run()).toBe("bundle");
    at("packages/core/dist/.tsbuildinfo", 999);
    expect(await run()).toBe("bundle");
    at("packages/core/dist/.tsbuildinfo", 1001);
    expect(await run()).toBe("packages");
  });
});
