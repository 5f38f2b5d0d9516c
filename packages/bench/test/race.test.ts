import { describe, expect, it } from "vitest";
import { type Contestant, medianSeconds, race } from "#bench/race.js";

/** A contestant that notes its runs in a log and takes the given times, the first of which warms up. */
function runner(name: string, times: number[], log: string[], absence?: string): Contestant {
  return {
    name,
    prepare: async () => absence,
    run: async () => {
      log.push(name);
      return { seconds: times.shift() ?? Number.NaN, facts: { runs: log.length } };
    },
    close: async () => {
      log.push(`${name} closed`);
    },
  };
}

describe("a race", () => {
  it("runs contestants in turn and compares medians with the first, without the warm-up", async () => {
    const log: string[] = [];
    const { standings } = await race(
      "sums",
      [runner("vouch", [9, 1, 3, 2], log), runner("peer", [9, 8, 4, 6], log)],
      3,
    );
    const turns = ["vouch", "peer", "vouch", "peer", "vouch", "peer", "vouch", "peer"];
    expect(log).toEqual([...turns, "vouch closed", "peer closed"]);
    expect(standings.map(({ seconds, ratio }) => [seconds, ratio])).toEqual([
      [2, 1],
      [6, 3],
    ]);
  });

  it("reports why a peer is absent", async () => {
    const log: string[] = [];
    const { standings } = await race(
      "sums",
      [runner("vouch", [1, 1], log), runner("peer", [], log, "no Python")],
      1,
    );
    expect(standings[1]).toEqual({ name: "peer", absent: "no Python" });
    expect(log).not.toContain("peer");
  });

  it("closes all contestants if a run fails", async () => {
    const log: string[] = [];
    const failing = { ...runner("peer", [], log), run: () => Promise.reject(new Error("out of memory")) };
    await expect(race("sums", [runner("vouch", [1, 1], log), failing], 1)).rejects.toThrow("out of memory");
    expect(log).toContain("vouch closed");
    expect(log).toContain("peer closed");
  });
});

describe("the median", () => {
  it("is the middle time, or the mean of the two middle ones", () => {
    const laps = (...seconds: number[]) => seconds.map((each) => ({ seconds: each }));
    expect(medianSeconds(laps(5, 1, 3))).toBe(3);
    expect(medianSeconds(laps(4, 1, 2, 9))).toBe(3);
  });
});
