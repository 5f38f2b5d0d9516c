import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { findPython, peerScript } from "#bench/contestants.js";

const python = findPython(["sklearn", "xgboost"]);

/** Runs a Python program beside expert.py and returns what it prints as JSON. */
function printed(program: string): unknown {
  const folder = dirname(peerScript("expert.py"));
  const text = `import json, sys\nsys.path.insert(0, ${JSON.stringify(folder)})\nimport numpy as np\nimport expert\n${program}`;
  return JSON.parse(execFileSync(python ?? "", ["-c", text], { encoding: "utf8" }));
}

it.skipIf(!python)("encodes rows as the training rows say", () => {
  const encoded = printed(`
train = np.array([[1, 0], [3, 1], [np.nan, -1]], dtype=float)
test = np.array([[np.nan, -1], [5, 2]], dtype=float)
kinds = ["numeric", "categorical"]
plain = expert.Encoder(kinds, train)
scaled = expert.Encoder(kinds, train, standardise=True)
kept = expert.Encoder(kinds, train, keeps_missing=True).encode(test)
print(json.dumps([plain.encode(test).tolist(), scaled.encode(train).mean(axis=0).round(9).tolist(), bool(np.isnan(kept[0, 0]))]))`);
  // The mean of 1 and 3, then a column for each of missing, 0 and 1; category 2 is new.
  expect(encoded).toEqual([
    [
      [2, 1, 0, 0],
      [5, 0, 0, 0],
    ],
    [0, 0, 0, 0],
    true,
  ]);
});

it.skipIf(!python)("drops a candidate that is too slow, or slow and far behind, or failed", () => {
  const verdicts = printed(`
from types import SimpleNamespace
division = SimpleNamespace(name="set-0", folds=[(None, range(100))])
names = expert.CANDIDATES[:5]
first = {"error": 0.1, "seconds": 11}
outcomes = [first, {**first, "error": 0.3}, {"error": 0.3, "seconds": 9}, {"error": 0, "seconds": 51}, {"failed": "no"}]
journal = SimpleNamespace(of=lambda _, name: dict([(0, outcomes[names.index(name)])]) if name in names else {})
limits = expert.Limits(SimpleNamespace(candidate_limit=300, behind_limit=60), journal)
print(json.dumps([limits.verdict(division, name) for name in names]))`);
  // The best one in time has error 0.1; the one without errors takes too long to count.
  expect(verdicts).toEqual([null, { behind: 0.3 }, null, { tooSlow: 51 }, { failed: "no" }]);
});
