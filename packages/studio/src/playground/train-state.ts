import type { Encoder } from "@vouch/core/internal/encode/encoder";
import { labelledSample } from "@vouch/core/internal/encode/encoder";
import { fitEncoder } from "@vouch/core/internal/encode/fit-encoder";
import type { Features, Sample } from "@vouch/core/internal/encode/sample";
import { createLearner, learnerNamed, withLearners } from "@vouch/core/internal/learners/index";
import type { Model } from "@vouch/core/internal/learners/model";
import { parseSettings } from "@vouch/core/internal/learners/settings";
import { formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { stratifiedHoldout } from "@vouch/core/internal/table/splits";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { boundText } from "@vouch/core/internal/theory/certificate-words";
import { certify } from "@vouch/core/internal/train/certify";
import { learnerForm } from "../options/learner-form.js";
import { settingTexts } from "../options/settings.js";
import { cellTable, decisionRegions, planeTable } from "./decision-regions.js";
import { modelStages } from "./model-stages.js";
import { modelStructure, readStumps } from "./model-structure.js";
import { sketchNetwork } from "./network-sketch.js";
import { CLASS_LETTERS, generatePoints, halfSide } from "./plane-problem.js";
import { completeSettings, withPlaygroundDefaults } from "./playground-defaults.js";
import type { PlaygroundState } from "./playground-state.js";
import type {
  ErrorCount,
  PlaygroundRows,
  ShownBound,
  TrainingEvent,
  TrainingOutcome,
} from "./training-events.js";

/** Fraction of held-out rows. */
const HELD_OUT = 0.4;

const CONFIDENCE = 0.95;

/** Milliseconds between two progress messages. */
const PROGRESS_PAUSE = 100;

/** Trains a state and reports events. Rejects with `run/interrupted` when aborted. */
export async function trainState(
  state: PlaygroundState,
  tell: (event: TrainingEvent) => void,
  signal?: AbortSignal,
): Promise<void> {
  const kind = await learnerNamed(state.learner);
  const settings = completeSettings(state.learner, state.settings);
  tell({ kind: "form", form: withPlaygroundDefaults(await learnerForm(state.learner, settings)) });
  const rows = splitPoints(state);
  tell({ kind: "rows", rows });
  checkRows(rows);
  const options = await withLearners(() => parseSettings(kind, settingTexts(settings)));
  const learner = await createLearner(state.learner, options);
  const data = encodedRows(rows, learner.encoding);
  const half = halfSide(rows);
  const cells = cellTable(half);
  const progress = progressTeller(tell);
  const run = { seed: state.seed, progress, signal };
  let model: Model | undefined;
  for await (const stage of modelStages(learner, data.training, run)) {
    model = stage.model;
    signal?.throwIfAborted();
    const regions = decisionRegions(model, data.encoder, cells, { half, letters: rows.letters });
    const { step, unit } = stage;
    const margins = Float32Array.from(model.margins(data.training)).sort();
    const network = sketchNetwork(model, data.encoder.encode(cells));
    const frame = { step, unit, regions, ...measureErrors(model, data), margins, stumps: readStumps(model) };
    tell({ kind: "frame", frame: { ...frame, ...(network && { network }) } });
  }
  if (!model) throw new TypeError("A learner has no stages.");
  const outcome = measureOutcome(model, data);
  const structure = modelStructure(model, data.encoder.encode(cells), data.all.features);
  tell({ kind: "done", outcome: { ...outcome, ...(structure && { structure }) } });
}

/** Generates the rows of a state and holds some out at random. */
export function splitPoints(state: PlaygroundState): PlaygroundRows {
  const points = generatePoints(state);
  const letters = [...new Set(points.classOf)].sort((a, b) => a - b);
  const heldOut = new Uint8Array(points.classOf.length);
  if (heldOut.length >= 2) {
    for (const row of stratifiedHoldout(points.classOf, HELD_OUT, state.seed).test) heldOut[row] = 1;
  }
  return { ...points, letters, heldOut };
}

/** Throws unless there are rows and classes to train and test on. */
function checkRows({ letters, classOf }: PlaygroundRows): void {
  const counts = letters.map((letter) => classOf.filter((k) => k === letter).length);
  if (letters.length >= 2 && counts.every((count) => count >= 3)) return;
  throw new VouchError("data/too-few-rows", "There are not enough points to learn from.", {
    hint: "Draw at least 3 points of each class, and at least two classes.",
  });
}

/** Encoded rows, and the encoder of their coordinates. */
interface EncodedRows {
  readonly encoder: Encoder;
  readonly all: Sample<Features>;
  readonly training: Sample<Features>;
  readonly heldOut: Uint8Array;
}

function encodedRows(rows: PlaygroundRows, encoding: Encoder["encoding"]): EncodedRows {
  const { x, y, classOf, heldOut, letters } = rows;
  const features = planeTable(x, y);
  const labels = Int32Array.from(classOf, (k) => letters.indexOf(k));
  const chosen = Int32Array.from(labels.keys()).filter((i) => heldOut[i] === 0);
  const training = { features: features.select(chosen), labels: Int32Array.from(chosen, (i) => labels[i]) };
  const classes = letters.map((letter) => CLASS_LETTERS[letter]);
  const encoder = fitEncoder(training.features, { target: "class", classes }, encoding);
  return {
    encoder,
    all: labelledSample(encoder, { features, labels }),
    training: labelledSample(encoder, training),
    heldOut,
  };
}

/** Predicts all rows and counts training and test errors. */
function measureErrors(model: Model, { all, heldOut }: EncodedRows) {
  const predictions = model.predict(all.features);
  const count = (part: number): ErrorCount => {
    const own = Array.from(predictions.keys()).filter((i) => heldOut[i] === part);
    return { rows: own.length, errors: own.filter((i) => predictions[i] !== all.labels[i]).length };
  };
  return { predicted: Uint8Array.from(predictions), training: count(0), test: count(1) };
}

/** Certifies the finished model from held-out rows, and from training rows if its learner supports it. */
function measureOutcome(model: Model, data: EncodedRows): TrainingOutcome {
  const { encoder } = data;
  const heldOut = { ...measureErrors(model, data).test, drawn: "stratified" as const };
  const card = { heldOut, data: { features: 2 } };
  const certificates = certify({ card, model, encoder }, { confidence: CONFIDENCE });
  return {
    bounds: certificates.filter(({ measure }) => measure === "error").map(shownBound),
    confidence: formatRoundPercent(CONFIDENCE),
    notices: model.notices ?? [],
  };
}

function shownBound(certificate: Certificate): ShownBound {
  const { name, value, statement, reference, reason } = certificate;
  const shown = boundText(certificate, value);
  return { name, value, shown, statement, reference, reason };
}

/** Throttles progress events. */
function progressTeller(tell: (event: TrainingEvent) => void) {
  let last = Number.NEGATIVE_INFINITY;
  return ({ stage, done, total }: { stage: string; done: number; total?: number }): void => {
    const now = performance.now();
    if (now - last < PROGRESS_PAUSE) return;
    last = now;
    tell({ kind: "progress", text: total === undefined ? stage : `${stage}: ${done} of ${total}` });
  };
}
