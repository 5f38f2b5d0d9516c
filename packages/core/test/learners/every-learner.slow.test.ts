import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  allLearners,
  type Learner,
  type LearnerKind,
  learnerNamed,
  learnerNames,
  type Model,
  threadExecutor,
  VouchError,
} from "vouch";
import { type Features, Sample, type State } from "vouch/extend";
import { describeOptions } from "#core/learners/options.js";
import type { Json, Tensor } from "#core/runtime/codec/state.js";
import { fault } from "../fault.js";
import { QUICK_OPTIONS } from "./short-fits.mjs";
import { ROWS, smallSample } from "./small-fits.js";

const executor = threadExecutor({ threads: 2 });
afterAll(() => executor.close());

/** Everything in a state that could be wrong, one thing at a time. */
function* damages({ json, tensors }: State): Generator<[what: string, state: State]> {
  for (const [name, tensor] of Object.entries(tensors)) {
    const { [name]: _, ...others } = tensors;
    yield [`without ${name}`, { json, tensors: others }];
    const changed = (what: string, other: Tensor): [string, State] => [
      `${name} ${what}`,
      { json, tensors: { ...tensors, [name]: other } },
    ];
    yield changed("with another axis", { ...tensor, shape: [...tensor.shape, 1] });
    yield changed("of another type", {
      shape: tensor.shape,
      data:
        tensor.data instanceof Float64Array
          ? Int32Array.from(tensor.data)
          : Float64Array.from(tensor.data, Number),
    });
    if (tensor.data.length === 0 || tensor.data instanceof BigUint64Array) continue;
    const isFloat = tensor.data instanceof Float64Array || tensor.data instanceof Float32Array;
    for (const value of [...(isFloat ? [Number.NaN] : []), 1e30, -1e30, 7, -3]) {
      const data = tensor.data.slice();
      data[data.length >> 1] = value;
      yield changed(`with ${value}`, { shape: tensor.shape, data });
    }
  }
  for (const [path, changed] of jsonDamages(json)) yield [`${path}`, { json: changed, tensors }];
}

function* jsonDamages(json: Json): Generator<[path: string, json: Json]> {
  const replacements: Json[] = [null, -1, 1e9, "odd", true, [], {}];
  for (const other of replacements) {
    if (JSON.stringify(other) !== JSON.stringify(json)) yield [`→ ${JSON.stringify(other)}`, other];
  }
  if (typeof json !== "object" || json === null) return;
  if (isList(json)) {
    const [first] = json;
    if (first === undefined) return;
    yield ["one item less", json.slice(1)];
    for (const [path, changed] of jsonDamages(first)) yield [`[0]${path}`, [changed, ...json.slice(1)]];
    return;
  }
  yield ["a further field", { ...json, further: 1 }];
  for (const [key, value] of Object.entries(json)) {
    const { [key]: _, ...others } = json;
    yield [`without ${key}`, others];
    for (const [path, changed] of jsonDamages(value)) yield [`${key}.${path}`, { ...json, [key]: changed }];
  }
}

const isList = (json: Json): json is readonly Json[] => Array.isArray(json);

/** How a damaged state is received: refused in words, or as a model that still predicts. */
function reception(kind: LearnerKind, state: State, sample: Sample<Features>): string {
  let model: Model;
  try {
    model = kind.restore(state);
  } catch (error) {
    if (error instanceof VouchError) return "refused";
    return `${error}`;
  }
  try {
    const predictions = model.predict(sample.features);
    return predictions.every((k) => k >= 0 && k < model.classes.length) ? "works" : "predicts no class";
  } catch (error) {
    return error instanceof VouchError ? "works" : `${error}`;
  }
}

describe.each(learnerNames().map((name) => ({ name })))("$name", ({ name }) => {
  let kind: LearnerKind;
  let learner: Learner;
  let model: Model;
  let sample: Sample<Features>;

  beforeAll(async () => {
    await allLearners();
    kind = await learnerNamed(name);
    learner = kind.create(QUICK_OPTIONS[name]);
    sample = smallSample(learner, kind.multiclass ? 3 : 2);
    model = await learner.fit(sample, { seed: 3 });
  });

  it("describes itself and every option in one line, with a default", () => {
    expect(kind.title).toMatch(/^[A-Z][^.]{1,40}$/);
    expect(kind.summary).toMatch(/^[A-Z].*\.$/);
    for (const { description, allowed, default: usual } of describeOptions(kind.options)) {
      expect(description).toMatch(/^[A-Z“"γµλαρ].*\.$/);
      expect(description).not.toContain("\n");
      expect(description.length).toBeLessThanOrEqual(160);
      expect(allowed).not.toBe("");
      expect(usual).toBeDefined();
    }
    expect(Object.keys(learner.options)).toEqual(Object.keys(kind.options.shape));
  });

  it("gives scores, predictions and margins that belong together", () => {
    const scores = model.scores(sample.features);
    const predictions = model.predict(sample.features);
    const margins = model.margins(sample);
    expect([scores.rows, scores.columns]).toEqual([ROWS, sample.classes.length]);
    for (let i = 0; i < ROWS; i++) {
      const row = Array.from(scores.row(i));
      expect(row.every(Number.isFinite)).toBe(true);
      expect(row[predictions[i]]).toBe(Math.max(...row));
      if (model.scoring === "probability") expect(row.reduce((a, b) => a + b)).toBeCloseTo(1, 5);
      expect(Math.abs(margins[i])).toBeLessThanOrEqual(1);
      if (margins[i] > 0) expect(predictions[i]).toBe(sample.labels[i]);
      if (margins[i] < 0) expect(predictions[i]).not.toBe(sample.labels[i]);
    }
    expect(model.assess(sample)).toEqual({ scores, predictions, margins });
    expect(model.classify(sample.features)).toEqual({ scores, predictions });
  });

  it("scores a row the same, bit for bit, whatever rows are scored with it", () => {
    const whole = model.scores(sample.features);
    for (const size of [1, 7, 32]) {
      for (let from = 0; from < ROWS; from += size) {
        const rows = Int32Array.from({ length: Math.min(size, ROWS - from) }, (_, i) => from + i);
        const part = model.scores(sample.features.select(rows));
        expect(Array.from(part.values)).toEqual(
          Array.from(rows).flatMap((row) => Array.from(whole.row(row))),
        );
      }
    }
  });

  it("comes back from its state bit for bit", () => {
    const state = model.toState();
    const restored = kind.restore(state);
    expect(restored.toState()).toEqual(state);
    expect(restored.scores(sample.features)).toEqual(model.scores(sample.features));
    expect(restored.describe()).toEqual(model.describe());
    expect(restored.complexity()).toEqual(model.complexity());
    expect(restored.certificates?.({ confidence: 0.9 })).toEqual(model.certificates?.({ confidence: 0.9 }));
    expect(JSON.parse(JSON.stringify(state.json))).toEqual(state.json);
  });

  it("refuses damaged states, or makes a model of them that works", () => {
    const state = model.toState();
    const outcomes = Array.from(
      damages(state),
      ([what, damaged]) => `${reception(kind, damaged, sample)}: ${what}`,
    );
    expect(outcomes.filter((outcome) => !/^(refused|works):/.test(outcome))).toEqual([]);
    const mustBeRefused =
      /: (without .*|.* with another axis|.* of another type|.* with NaN|→.*|a further field)$/;
    const accepted = outcomes.filter((outcome) => outcome.startsWith("works") && mustBeRefused.test(outcome));
    const optional = accepted.filter((outcome) => !/^works: without \w+(\.\w+)*$/.test(outcome));
    expect(optional).toEqual([]);
    const { tensors, json } = state;
    const stranger = { shape: [1], data: Float64Array.of(1) };
    expect(reception(kind, { json, tensors: { ...tensors, stranger } }, sample)).toBe("refused");
  });

  it("is the same on two threads, and can be interrupted", async () => {
    const again = await learner.fit(sample, { seed: 3, executor });
    expect(again.toState()).toEqual(model.toState());
    await expect(learner.fit(sample, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: expect.stringMatching(/^run\/interrupted$/),
    });
  });

  it("has a share of δ if it has a certificate that is not for comparison", async () => {
    for (const classes of kind.multiclass ? [2, 3] : [2]) {
      const fitted = await learner.fit(smallSample(learner, classes), { seed: 3 });
      const certificates = fitted.certificates?.({ confidence: 0.5 }) ?? [];
      const own = certificates.filter(({ role }) => role !== "comparison");
      if (own.length > 0) expect(learner.uncertified).toBeUndefined();
    }
  });

  it("describes its structure in facts and sections", () => {
    const { facts, sections } = model.describe();
    for (const fact of facts) {
      expect(fact.name).toMatch(/\S/);
      expect(fact.name).not.toMatch(/[a-z][A-Z]/);
    }
    expect(facts.length + sections.length).toBeGreaterThan(0);
    const known = ["table", "tree", "curve", "importance", "layers", "hierarchy", "images"];
    for (const { kind, title } of sections) {
      expect(known).toContain(kind);
      expect(title).toMatch(/\S/);
    }
  });

  it("states with each bound from its training rows that they and the learner were given, and what the encoding took", () => {
    const bounds = (model.certificates?.({ confidence: 0.9 }) ?? []).filter(
      ({ confidence }) => confidence > 0,
    );
    for (const { premises } of bounds) {
      expect(premises.map(({ about }) => about)).toEqual(expect.arrayContaining(["rows", "learner"]));
      expect(premises.map(({ text }) => text).join("\n")).toMatch(
        /took only scales, offsets and bin boundaries|encoding of the columns .*as good as known|bin boundaries .*come from/,
      );
    }
  });

  it("refuses rows that nothing can be learned from", async () => {
    await expect(learner.fit(sample.select([]))).rejects.toMatchObject({ code: "data/no-rows" });
    const first = Array.from(sample.labels.keys()).filter((i) => sample.labels[i] === 0);
    await expect(learner.fit(sample.select(first))).rejects.toMatchObject({ code: "data/one-class" });
    const unknown = new Sample({
      ...sample,
      labels: sample.labels.map((label, i) => (i === 4 ? -1 : label)),
    });
    await expect(learner.fit(unknown)).rejects.toMatchObject({ code: "data/missing-target" });
    const wide = smallSample(learner, 5);
    if (!kind.multiclass) {
      await expect(learner.fit(wide)).rejects.toMatchObject({ code: "learner/unsupported" });
    }
    expect(fault(() => kind.create({ nonsense: 1 }))).toMatchObject({ code: "option/unknown" });
  });
});

it("an unknown name is an error with a suggestion", async () => {
  await expect(learnerNamed("forrest")).rejects.toMatchObject({
    code: "learner/unknown",
    hint: expect.stringContaining('Did you mean "forest"?'),
  });
  await expect(learnerNamed("xgboost")).rejects.toMatchObject({
    hint: expect.stringContaining('Did you mean "boosted-trees"?'),
  });
});
