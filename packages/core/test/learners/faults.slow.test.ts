import { afterEach, describe, expect, it, vi } from "vitest";
import { type Learner, learnerNamed, learnerNames, type Model } from "vouch";
import type { Features, Sample } from "vouch/extend";
import { VouchError } from "#core/runtime/vouch-error.js";
import { WasmMemory, wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import { QUICK_OPTIONS } from "./short-fits.mjs";
import { smallSample } from "./small-fits.js";

/** Places to fail at, of all that a fit has: the first ones, the last one, and some in between. */
const PLACES = 8;

/** Less work than in other tests: each learner is fitted about twenty times. */
const FEWER: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ...QUICK_OPTIONS,
  mlp: { epochs: 2 },
  sae: { epochs: 2, pretrainEpochs: 1 },
  dbn: { epochs: 2, pretrainEpochs: 1 },
  forest: { trees: 5 },
  "random-trees": { trees: 5 },
  "boosted-trees": { rounds: 5 },
  "cascade-forest": { trees: 2, layers: 2, folds: 2 },
  gcforest: { trees: 2, layers: 2, folds: 2 },
  mddf: { trees: 2, layers: 2, folds: 2 },
};

async function smallFit(name: string): Promise<{ learner: Learner; sample: Sample<Features> }> {
  const kind = await learnerNamed(name);
  const learner = kind.create(FEWER[name]);
  return { learner, sample: smallSample(learner, kind.multiclass ? 3 : 2) };
}

function places(count: number): number[] {
  const even = Array.from(
    { length: PLACES },
    (_, i) => 1 + Math.floor((i * i * (count - 1)) / (PLACES - 1) ** 2),
  );
  return [...new Set(even)].filter((place) => place >= 1 && place <= count);
}

async function outcome(fit: Promise<Model>): Promise<unknown> {
  return fit.then(
    () => undefined,
    (error: unknown) => error,
  );
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(learnerNames())("%s", (name) => {
  it("releases its memory and explains itself, whichever allocation fails", async () => {
    const { learner, sample } = await smallFit(name);
    const expected = (await learner.fit(sample)).toState();
    const before = wasmMemory().used;
    let count = 0;
    let failing = 0;
    const allocate = WasmMemory.prototype.allocate;
    vi.spyOn(WasmMemory.prototype, "allocate").mockImplementation(function (this: WasmMemory, bytes) {
      count++;
      if (count === failing) throw new VouchError("memory/exhausted", "The test has no more memory.");
      return allocate.call(this, bytes);
    });
    await learner.fit(sample);
    expect(wasmMemory().used).toBe(before);
    for (const place of places(count)) {
      count = 0;
      failing = place;
      const error = await outcome(learner.fit(sample));
      expect(wasmMemory().used, `after allocation ${place} failed`).toBe(before);
      expect(error, `allocation ${place}`).toMatchObject({ code: "memory/exhausted" });
    }
    failing = 0;
    expect((await learner.fit(sample)).toState()).toEqual(expected);
  });

  it("releases its memory and stops, whichever checkpoint it is interrupted at", async () => {
    const { learner, sample } = await smallFit(name);
    await learner.fit(sample);
    const before = wasmMemory().used;
    const { count } = await interruptedAt(0, learner, sample);
    expect(count).toBeGreaterThan(0);
    for (const place of places(count)) {
      const { error, reached } = await interruptedAt(place, learner, sample);
      expect(wasmMemory().used, `after checkpoint ${place}`).toBe(before);
      // A quicker fit has fewer checkpoints, because the event loop has fewer turns; the first is always there.
      if (reached || place === 1) {
        expect(error, `checkpoint ${place}`).toMatchObject({ code: "run/interrupted" });
      }
    }
  });
});

/** Fits with a signal that is aborted when it is looked at for the given time; counts how often that is. */
async function interruptedAt(place: number, learner: Learner, sample: Sample<Features>) {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  let aborted = false;
  Object.defineProperty(signal, "aborted", {
    get() {
      count++;
      if (count === place) {
        aborted = true;
        controller.abort();
      }
      return aborted;
    },
  });
  const error = await outcome(learner.fit(sample, { signal }));
  return { error, count, reached: aborted };
}
