import { describe, expect, it } from "vitest";
import { learners } from "vouch";
import { Desk } from "./vouch.js";

const desk = new Desk();

describe.concurrent("the number of threads changes no byte of the model file", () => {
  it.each(learners.map(({ name }) => name))("%s", async (name) => {
    const files = await Promise.all(
      ["1", "2", "4"].map(async (threads) => {
        const out = `${name}-${threads}.st`;
        await desk.print(["train", "breastcancer", "--learner", name, "--threads", threads, "--out", out]);
        return desk.bytes(out);
      }),
    );
    expect(files[1].equals(files[0])).toBe(true);
    expect(files[2].equals(files[0])).toBe(true);
  });

  it("the choice among all learners", async () => {
    const files = await Promise.all(
      ["1", "2"].map(async (threads) => {
        const out = `choice-${threads}.st`;
        await desk.print(["train", "ionosphere", "--threads", threads, "--out", out]);
        return desk.bytes(out);
      }),
    );
    expect(files[1].equals(files[0])).toBe(true);
  });
});
