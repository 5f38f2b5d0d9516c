import { parseSettings } from "@vouch/core/internal/learners/settings";
import { describe, expect, it } from "vitest";
import { createLearner, learnerNamed, learnerNames } from "vouch";
import { fitEncoder, labelledSample } from "vouch/extend";
import { CELLS, cellMiddle, cellTable, findCell, planeTable } from "#studio/playground/decision-regions.js";
import { watchedSteps } from "#studio/playground/model-stages.js";
import { halfSide } from "#studio/playground/plane-problem.js";
import { completeSettings } from "#studio/playground/playground-defaults.js";
import { initialState, type PlaygroundState } from "#studio/playground/playground-state.js";
import { splitPoints, trainState } from "#studio/playground/train-state.js";
import type { TrainingEvent, TrainingFrame, TrainingOutcome } from "#studio/playground/training-events.js";

/** Options that make slow learners quick. */
const quick: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "boosted-trees": { rounds: "6" },
  adaboost: { rounds: "6" },
  mlp: { layers: "4", epochs: "6" },
  sae: { layers: "3", epochs: "4", pretrainEpochs: "2" },
  dbn: { layers: "3", epochs: "4", pretrainEpochs: "2" },
  forest: { trees: "5" },
  "random-trees": { trees: "5" },
  "cascade-forest": { trees: "4", layers: "2" },
  gcforest: { trees: "4", layers: "2" },
  mddf: { trees: "4", layers: "2" },
  ensemble: { members: '[{"learner":"tree"},{"learner":"logistic"}]' },
};

async function trained(part: Partial<PlaygroundState>) {
  const events: TrainingEvent[] = [];
  const settings = quick[part.learner ?? ""] ?? {};
  await trainState({ ...initialState, rows: 60, settings, ...part }, (event) => events.push(event));
  const frames: TrainingFrame[] = [];
  let outcome: TrainingOutcome | undefined;
  for (const event of events) {
    if (event.kind === "frame") frames.push(event.frame);
    if (event.kind === "done") outcome = event.outcome;
  }
  if (!outcome) throw new Error("The training has no outcome.");
  return { events, frames, last: frames[frames.length - 1], outcome };
}

/** Fits the learner of a state by the library alone, and predicts the cells. */
async function predictedCells(state: PlaygroundState): Promise<Uint8Array> {
  const rows = splitPoints(state);
  const chosen = Int32Array.from(rows.classOf.keys()).filter((i) => rows.heldOut[i] === 0);
  const completed = completeSettings(state.learner, state.settings);
  const settings = Object.entries(completed).map(([name, text]) => `${name}=${text}`);
  const learner = await createLearner(
    state.learner,
    parseSettings(await learnerNamed(state.learner), settings),
  );
  const features = planeTable(rows.x, rows.y).select(chosen);
  const encoder = fitEncoder(features, { target: "class", classes: ["A", "B"] }, learner.encoding);
  const labels = Int32Array.from(chosen, (i) => rows.classOf[i]);
  const model = await learner.fit(labelledSample(encoder, { features, labels }), { seed: state.seed });
  return Uint8Array.from(model.predict(encoder.encode(cellTable(halfSide(rows)))));
}

describe("training in the playground", () => {
  it.each(learnerNames())(
    "%s: the last regions are the predictions of the finished model",
    async (learner) => {
      const settings = quick[learner] ?? {};
      const { last, frames, outcome } = await trained({ learner, settings, rows: 40 });
      expect(last.regions.classes).toEqual(
        await predictedCells({ ...initialState, rows: 40, learner, settings }),
      );
      expect(last.training.rows).toBe(24);
      expect(last.test.rows).toBe(16);
      expect(frames.map(({ step }) => step)).toEqual(
        [...frames.map(({ step }) => step)].sort((a, b) => a - b),
      );
      const heldOut = outcome.bounds.find(({ name }) => name === "held-out-binomial");
      expect(heldOut?.value).toBeGreaterThan(last.test.errors / last.test.rows);
    },
  );

  it("shows every round of boosting as the library stages it", async () => {
    for (const name of ["adaboost", "boosted-trees"]) {
      const state = { ...initialState, learner: name, rows: 60, settings: { rounds: "6" } };
      const { frames } = await trained(state);
      const learner = await createLearner(name, { rounds: 6 });
      const rows = splitPoints(state);
      const chosen = Int32Array.from(rows.classOf.keys()).filter((i) => rows.heldOut[i] === 0);
      const features = planeTable(rows.x, rows.y).select(chosen);
      const encoder = fitEncoder(features, { target: "class", classes: ["A", "B"] }, learner.encoding);
      const labels = Int32Array.from(chosen, (i) => rows.classOf[i]);
      const model = await learner.fit(labelledSample(encoder, { features, labels }), { seed: state.seed });
      const staged = model.stagedPredictions?.(encoder.encode(cellTable(halfSide(rows)))) ?? [];
      const expected = Array.from(staged, (predictions) => Uint8Array.from(predictions));
      expect(frames.map(({ regions }) => regions.classes)).toEqual(expected);
    }
  });

  it("shows networks after the epochs that a fit of so many epochs has", async () => {
    const { frames } = await trained({ learner: "mlp", settings: { epochs: "5" } });
    expect(frames.map(({ step, unit }) => `${unit} ${step}`)).toEqual([
      "epoch 1",
      "epoch 2",
      "epoch 3",
      "epoch 4",
      "epoch 5",
    ]);
    const state = { ...initialState, rows: 60, learner: "mlp", settings: { epochs: "2" } };
    expect(frames[1].regions.classes).toEqual(await predictedCells(state));
  });

  it("learns circles, spirals and XOR with a network of default options, whose units all fit the picture", async () => {
    for (const problem of ["circles", "spirals", "xor"] as const) {
      const { last, events } = await trained({
        problem,
        classes: 2,
        noise: 0.05,
        rows: 200,
        learner: "mlp",
        settings: {},
      });
      expect(last.training.rows).toBe(120);
      expect(last.test.errors / last.test.rows, problem).toBeLessThan(0.1);
      const hidden = last.network?.layers.slice(1, -1) ?? [];
      expect(hidden.map(({ units, maps }) => [units, maps.length])).toEqual([
        [8, 8],
        [8, 8],
      ]);
      const [first] = events;
      const fields = first.kind === "form" ? first.form.options : [];
      expect(fields.find(({ name }) => name === "layers")?.initial).toBe("8,8");
    }
  });

  it("stages deep forests by layer", async () => {
    const settings = { trees: "10", maxDepth: "2", layers: "6" };
    const { frames } = await trained({
      problem: "circles",
      classes: 2,
      rows: 200,
      learner: "mddf",
      settings,
    });
    expect(frames.length).toBeGreaterThan(1);
    expect(frames.map(({ unit, step }) => `${unit} ${step}`)).toEqual(frames.map((_, t) => `layer ${t + 1}`));
  });

  it("gives each cell to one leaf of a cascade", async () => {
    const { outcome } = await trained({
      learner: "deep-cascade",
      rows: 200,
    });
    const { kind, leaves = [], nodes = [] } = outcome.structure ?? {};
    expect(kind).toBe("cascade");
    expect(leaves.length).toBeGreaterThan(1);
    const owners = Array.from(
      leaves[0].cells,
      (_, cell) => leaves.filter(({ cells }) => cells[cell] === 1).length,
    );
    expect(new Set(owners)).toEqual(new Set([1]));
    // In a chain, a gate keeps the points of its own leaf and passes those of all later leaves on.
    expect(nodes).toHaveLength(leaves.length - 1);
    for (const [place, { cells }] of nodes.entries()) {
      const kept = leaves[place].cells;
      const later = leaves.slice(place + 1);
      expect(cells).toEqual(
        kept.map((own, cell) => (own === 1 ? 1 : later.some((leaf) => leaf.cells[cell] === 1) ? 2 : 0)),
      );
    }
  });

  it("sends each cell through the nodes of a hierarchy to the class that it predicts", async () => {
    const { outcome, last } = await trained({ learner: "relaxed-hierarchy", problem: "blobs", classes: 4 });
    const parts = outcome.structure?.nodes ?? [];
    expect(outcome.structure?.kind).toBe("hierarchy");
    expect(parts[0].cells).not.toContain(0);
    const lost = parts.flatMap(({ cells, outcomes }) =>
      Array.from(last.regions.classes.keys()).filter((cell) => {
        const letter = "ABCD"[last.regions.classes[cell]];
        return cells[cell] > 0 && !outcomes[cells[cell] - 1].includes(letter);
      }),
    );
    expect(lost).toEqual([]);
  });

  it("draws the line of each round's stump", async () => {
    const { frames } = await trained({ learner: "adaboost" });
    const [{ regions, stumps }] = frames;
    const [{ coordinate, at, low, high, weight }] = stumps;
    const isAbove = (cell: number) => cellMiddle(cell, regions.half)[coordinate] > at;
    expect(regions.classes).toEqual(regions.classes.map((_, cell) => (isAbove(cell) ? high : low)));
    expect(weight).toBe(1);
    expect(frames.map((frame) => frame.stumps.length)).toEqual(frames.map(({ step }) => step));
  });

  it("tells the margins of the training rows: those of misclassified rows are not positive", async () => {
    const { last } = await trained({ learner: "adaboost", settings: { rounds: "5" } });
    expect(last.margins).toHaveLength(last.training.rows);
    expect(last.margins.filter((margin) => margin <= 0)).toHaveLength(last.training.errors);
    expect([...last.margins]).toEqual([...last.margins].sort((a, b) => a - b));
  });

  it("says what is missing from a drawing, and what is wrong with an option", async () => {
    await expect(trained({ problem: "drawn" })).rejects.toThrow("not enough points");
    await expect(trained({ learner: "adaboost", settings: { rounds: "0" } })).rejects.toThrow(
      "rounds must be",
    );
    await expect(trained({ learner: "adabost" })).rejects.toMatchObject({ code: "learner/unknown" });
    await expect(trained({ learner: "perceptron", problem: "blobs" })).rejects.toThrow("two classes");
  });

  it("describes the options of the learner and of its base", async () => {
    const { events } = await trained({
      learner: "one-vs-rest",
      settings: { base: "logistic", "base.C": "3" },
    });
    const [first] = events;
    if (first.kind !== "form") throw new Error("A training tells its form first.");
    expect(first.form.base?.name).toBe("logistic");
    expect(first.form.base?.options.map(({ name }) => name)).toContain("base.C");
  });

  it("stops when it is aborted", async () => {
    const controller = new AbortController();
    const told: string[] = [];
    const training = trainState(
      { ...initialState, learner: "mlp" },
      ({ kind }) => {
        told.push(kind);
        if (kind === "frame") controller.abort();
      },
      controller.signal,
    );
    await expect(training).rejects.toThrow();
    expect(told.filter((kind) => kind === "frame")).toHaveLength(1);
    expect(told).not.toContain("done");
  });
});

describe("steps to watch", () => {
  it("are all of a few, and about forty of many", () => {
    expect(watchedSteps(1)).toEqual([]);
    expect(watchedSteps(4)).toEqual([1, 2, 3]);
    const many = watchedSteps(1000);
    expect(many.length).toBeLessThan(40);
    expect(many[0]).toBe(1);
    expect(many.every((step, i) => step < 1000 && (i === 0 || step > many[i - 1]))).toBe(true);
  });
});

describe("cells", () => {
  it("contain their middles", () => {
    for (const cell of [0, CELLS - 1, CELLS, 17 * CELLS + 3, CELLS * CELLS - 1]) {
      const { x, y } = cellMiddle(cell, 1.5);
      expect(findCell(x, y, 1.5)).toBe(cell);
    }
  });
});
