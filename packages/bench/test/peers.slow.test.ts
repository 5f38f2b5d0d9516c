import { describe, expect, it } from "vitest";
import { findPython, findR, linePeer, peerScript } from "#bench/contestants.js";
import { loadParts, numericWork } from "#bench/forest-work.js";
import { withTemporaryFolder, writeRows } from "#bench/peer-files.js";

const python = findPython(["sklearn"]);
const xgboost = findPython(["xgboost"]);
const r = findR("ranger");

describe("a peer that answers lines", () => {
  const echo = `require("readline").createInterface({ input: process.stdin })
    .on("line", () => console.log(JSON.stringify({ seconds: 2, facts: { given: Number(process.env.GIVEN) } })))`;

  it("works once for every run and exits when it is closed", async () => {
    const peer = linePeer({
      name: "echo",
      find: () => [process.execPath, "-e", echo],
      absence: "",
      environment: { GIVEN: "7" },
    });
    expect(await peer.prepare()).toBeUndefined();
    for (let run = 0; run < 3; run++) expect(await peer.run()).toEqual({ seconds: 2, facts: { given: 7 } });
    await peer.close();
  });

  it("is absent if it is not installed, and an error if it exits", async () => {
    expect(await linePeer({ name: "none", find: () => undefined, absence: "no R" }).prepare()).toBe("no R");
    const dying = linePeer({ name: "dying", find: () => [process.execPath, "-e", ""], absence: "" });
    await dying.prepare();
    await expect(dying.run()).rejects.toThrow("dying exited without an answer");
  });
});

/** The accuracy, in per cent, that a peer reaches on iris in one run. */
async function accuracyOnIris(command: (rows: readonly string[]) => string[]): Promise<number> {
  const { numeric, labels } = numericWork(await loadParts("iris"));
  return withTemporaryFolder(async (folder) => {
    const rows = await writeRows(`${folder}/iris`, numeric, labels);
    const peer = linePeer({ name: "peer", find: () => command(rows), absence: "" });
    await peer.prepare();
    try {
      return (await peer.run()).facts?.["accuracy %"] ?? Number.NaN;
    } finally {
      await peer.close();
    }
  });
}

it.skipIf(xgboost === undefined)("XGBoost classifies iris", async () => {
  const script = [xgboost ?? "", peerScript("xgboost_trees.py")];
  expect(await accuracyOnIris((rows) => [...script, ...rows, "20", "1"])).toBeGreaterThan(85);
});

it.skipIf(python === undefined)("scikit-learn's pruned tree classifies iris", async () => {
  const script = [python ?? "", peerScript("decision_tree.py"), "5"];
  expect(await accuracyOnIris((rows) => [...script, ...rows])).toBeGreaterThan(85);
});

describe("installed forests of peers classify iris", () => {
  for (const [job, kind] of [
    ["fit", "forest"],
    ["predict", "random-trees"],
  ]) {
    it.skipIf(python === undefined)(`scikit-learn: ${job}, ${kind}`, async () => {
      const script = [python ?? "", peerScript("forest.py"), job, kind];
      expect(await accuracyOnIris((rows) => [...script, ...rows, "30", "1"])).toBeGreaterThan(85);
    });
  }

  it.skipIf(r === undefined)("ranger", async () => {
    const script = [r ?? "", peerScript("ranger.R"), "fit"];
    expect(await accuracyOnIris((rows) => [...script, ...rows, "30", "1", "0"])).toBeGreaterThan(85);
  });

  it.skipIf(python === undefined)("a cascade of scikit-learn's forests", async () => {
    const script = [python ?? "", peerScript("cascade_forest.py")];
    expect(await accuracyOnIris((rows) => [...script, ...rows, "2", "10", "3", "1"])).toBeGreaterThan(85);
  });
});
