import { expect, it } from "vitest";
import { Desk } from "./vouch.js";

const desk = new Desk();

it("shows the spaces around a class wherever a command names it", async () => {
  const rows = Array.from({ length: 200 }, (_, i) => `${i % 50},${i % 50 < 25 ? "No" : "No "}`);
  const data = desk.file("spaces.csv", `age,label\n${rows.join("\n")}\n`);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await desk.run(args);
    expect(code, stderr).toBe(0);
    return stdout + stderr;
  };
  await run("train", data, "--learner", "tree", "--target", "label", "-o", "spaces.safetensors");
  const evaluated = await run("evaluate", "spaces.safetensors", data);
  expect(evaluated).toMatch(/predicted →\s+No\s+No␣/);
  expect(evaluated).toMatch(/^\s*No␣\s/m);
  expect(await run("inspect", "spaces.safetensors")).toContain("label: No, No␣");
  expect(await run("predict", "spaces.safetensors", data, "-o", "answers.csv")).toContain(", No␣ 100");
  expect(await run("certify", "spaces.safetensors")).not.toContain('"No "');
});
