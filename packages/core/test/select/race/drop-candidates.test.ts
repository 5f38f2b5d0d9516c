import { describe, expect, it } from "vitest";
import { stump } from "#core/learners/stump/stump.js";
import { ERROR } from "#core/metrics/objective-metric.js";
import { Candidate } from "#core/select/race/candidate.js";
import { CandidateFamily } from "#core/select/race/candidate-family.js";
import { promote } from "#core/select/race/drop-candidates.js";

const families = (count: number) =>
  Array.from({ length: count }, (_, i) => new CandidateFamily([new Candidate(`c${i}`, stump(), i, ERROR)]));

describe("promotion to the next stage", () => {
  const ranked = families(6);
  /** Seconds per round: the second takes longest. */
  const seconds = new Map(ranked.map((family, i) => [family, i === 1 ? 10 : 1]));
  const others: CandidateFamily[] = [];
  const secondsOf = (family: CandidateFamily) => seconds.get(family) ?? 0;

  it("takes all in all rounds if there is time", () => {
    const time = { secondsOf, seconds: 75, lanes: 1, rounds: { most: 5, least: 1 } };
    expect(promote({ ranked, forEnsemble: ranked.slice(0, 2), bestOfKinds: others }, time)).toEqual({
      families: expect.any(Array),
      rounds: 5,
    });
    expect(
      promote({ ranked, forEnsemble: ranked.slice(0, 2), bestOfKinds: others }, time).families,
    ).toHaveLength(6);
  });

  it("prefers the best of each kind to the rest, and leaves out what takes too long", () => {
    const kinds = [ranked[0], ranked[4]];
    const time = { secondsOf, seconds: 15, lanes: 1, rounds: { most: 5, least: 5 } };
    const { families: promoted, rounds } = promote({ ranked, forEnsemble: kinds, bestOfKinds: others }, time);
    expect(promoted).toEqual([ranked[0], ranked[4], ranked[2]]);
    expect(rounds).toBe(5);
  });

  it("prefers quick families of other kinds to the rest", () => {
    const quick = new Map([...seconds, [ranked[5], 0.1]]);
    const time = {
      secondsOf: (family: CandidateFamily) => quick.get(family) ?? 0,
      ...{ seconds: 10, lanes: 1, rounds: { most: 5, least: 5 } },
    };
    // The fifth takes half of the stage, so that its rank decides; the sixth a twentieth.
    const given = { ranked, forEnsemble: [ranked[0]], bestOfKinds: [ranked[4], ranked[5]] };
    expect(promote(given, time).families).toEqual([ranked[0], ranked[5]]);
    expect(promote({ ...given, bestOfKinds: [] }, time).families).toEqual([ranked[0], ranked[2]]);
  });

  it("gives up rounds before it gives up kinds, but no fewer than are needed", () => {
    const kinds = [ranked[0], ranked[2], ranked[3], ranked[4]];
    const time = { secondsOf, seconds: 8, lanes: 1, rounds: { most: 5, least: 1 } };
    expect(promote({ ranked, forEnsemble: kinds, bestOfKinds: others }, time).rounds).toBe(2);
    const needed = promote(
      { ranked, forEnsemble: kinds, bestOfKinds: others },
      { ...time, rounds: { most: 5, least: 4 } },
    );
    expect(needed).toEqual({ families: [ranked[0], ranked[2]], rounds: 4 });
  });

  it("takes quick ones although there is no time for the leader", () => {
    const slow = [ranked[1], ranked[0], ...ranked.slice(2)];
    const time = { secondsOf, seconds: 3, lanes: 1, rounds: { most: 5, least: 1 } };
    expect(promote({ ranked: slow, forEnsemble: [slow[0]], bestOfKinds: others }, time)).toEqual({
      families: [ranked[0], ranked[2], ranked[3]],
      rounds: 1,
    });
    expect(
      promote({ ranked, forEnsemble: [ranked[0]], bestOfKinds: others }, { ...time, seconds: 0 }).families,
    ).toEqual([]);
  });

  it("counts threads", () => {
    const two = { secondsOf, seconds: 7.5, lanes: 2, rounds: { most: 5, least: 5 } };
    expect(promote({ ranked, forEnsemble: [ranked[0]], bestOfKinds: others }, two).families).toEqual([
      ranked[0],
      ranked[2],
      ranked[3],
    ]);
  });
});
