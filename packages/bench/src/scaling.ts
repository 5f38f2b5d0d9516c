import { fileURLToPath } from "node:url";
import { fitEncoder } from "@vouch/core/internal/encode/fit-encoder";
import { stratifiedHoldout } from "@vouch/core/internal/table/splits";
import {
  type Labelled,
  type LabelledRows,
  labelled,
  labelsFor,
  selectRows,
} from "@vouch/core/internal/table/target";
import { freshProcess, onThreads, pythonPeer } from "./contestants.js";
import { inTemporaryFolder, type PeerRows, writeRows } from "./peer-files.js";
import { type BenchmarkResult, ifAvailable, race, type Standing, withoutData } from "./race.js";
import { scalingWorks } from "./scaling-work.js";

type ScalingWork = (typeof scalingWorks)[string];

const scalingOnce = fileURLToPath(new URL("scaling-once.js", import.meta.url));

/**
 * Benchmarks complete trainings by the number of threads, from a table in memory to a tested and certified classifier,
 * each in a new process. The last result of each work shows its speed-ups. `serial ms` is the time in which no thread
 * had a task. Peers train on the same number of rows, without certificates.
 */
export async function* scalingBenchmark(
  threadCounts: readonly number[] = [1, 2],
): AsyncGenerator<BenchmarkResult> {
  for (const [name, work] of Object.entries(scalingWorks)) {
    const isHere = await ifAvailable(() => work.load());
    if (isHere) yield* inTemporaryFolder((folder) => races(name, work, folder, threadCounts));
    else yield withoutData(`scaling: ${work.title}`);
  }
}

async function* races(
  name: string,
  work: ScalingWork,
  folder: string,
  threadCounts: readonly number[],
): AsyncGenerator<BenchmarkResult> {
  const { title, peers = [] } = work;
  const rows = peers.length > 0 ? await rowsForPeers(work, `${folder}/rows`) : undefined;
  const own: Standing[] = [];
  for (const threads of threadCounts) {
    const result = await race(
      `scaling: ${title}, ${onThreads(threads)}`,
      [
        freshProcess({
          name: "vouch, the whole training",
          command: [process.execPath, scalingOnce, name, String(threads)],
          absence: "",
        }),
        ...(rows ? peers : []).map(({ name, script, module, args }) =>
          pythonPeer({ name, script, modules: [module], args: args(rows ?? ["", ""], threads), threads }),
        ),
      ],
      1,
      0,
    );
    yield result;
    own.push({ ...result.standings[0], name: onThreads(threads) });
  }
  yield speedUps(`scaling: ${title}, speed-up`, own);
}

/** Compares the times of all numbers of threads with the first. */
function speedUps(title: string, standings: readonly Standing[]): BenchmarkResult {
  const first = standings[0].seconds ?? Number.NaN;
  return {
    title,
    standings: standings.map(({ seconds = Number.NaN, ...standing }) => ({
      ...standing,
      seconds,
      ratio: seconds / first,
      facts: { "speed-up": first / seconds },
    })),
  };
}

/** Writes as many rows as our training uses, encoded as single-precision numbers. */
async function rowsForPeers(work: ScalingWork, folder: string): Promise<PeerRows> {
  const { train: table, test: official, target } = await work.load();
  const data = labelled(table, target);
  const { train, test } = official ? { train: data, test: labelsFor(official, data) } : quarterHeldOut(data);
  const encoding = { kind: "numeric", standardise: false, precision: "f32" } as const;
  const encoder = fitEncoder(train.features, train, encoding);
  const encoded = encoder.encode(test.features);
  const features = { train: encoder.encode(train.features), test: encoded, query: encoded };
  const labels = { train: train.labels, test: test.labels, query: test.labels };
  return writeRows(folder, features, labels);
}

function quarterHeldOut(data: Labelled): { train: Labelled; test: LabelledRows } {
  const { train, test } = stratifiedHoldout(data.labels, 0.25, 1);
  return { train: selectRows(data, train), test: selectRows(data, test) };
}
