import type { Encoder } from "../encode/encoder.js";
import { encoderRestorer, type RestoreEncoder } from "../encode/restore-encoder.js";
import { Background } from "../explain/background.js";
import { isLearnerName, loadedLearner, withLearners } from "../learners/index.js";
import type { LearnerKind } from "../learners/learner.js";
import type { Model } from "../learners/model.js";
import type { Decision } from "../metrics/decision.js";
import { decisionState, restoreDecision } from "../metrics/decision-state.js";
import {
  corrupt,
  isRecord,
  type Json,
  jsonText,
  parseJson,
  type State,
  type Tensor,
} from "../runtime/codec/state.js";
import { reserveMemory } from "../runtime/memory-limit.js";
import { yieldToEventLoop } from "../runtime/parallel/event-loop.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Column } from "../table/column.js";
import { Fingerprint } from "../table/fingerprint.js";
import { RowSketch } from "../table/row-sketch.js";
import type { Schema } from "../table/schema.js";
import { Table } from "../table/table.js";
import { TrainingProfile } from "../table/training-profile.js";
import { type Card, readCard } from "./card.js";
import { Classifier } from "./classifier.js";
import {
  headerEnd,
  layOutSafetensors,
  OPENING_BYTES,
  readHeader,
  readTensors,
  type SafetensorsHeader,
  type SafetensorsPieces,
  writeSafetensors,
} from "./safetensors.js";
import { blocksOf, sha256 } from "./sha256.js";

/**
 * Format version that is written, and the newest that can be read. Increase it if an older vouch could misread a file.
 */
const FORMAT = 1;

/** The digest comes first in the header, so that its position in the file is fixed. */
const BEFORE_DIGEST = '{"__metadata__":{"sha256":"';
const DIGEST_START = 8 + BEFORE_DIGEST.length;
const DIGEST_LENGTH = 64;
const NO_DIGEST = "0".repeat(DIGEST_LENGTH);

/** The parts with a state; their names are prefixes of tensor names, as in `model.weights`. */
const PARTS = [
  "encoder",
  "fingerprint",
  "sketch",
  "groups",
  "model",
  "decision",
  "background",
  "profile",
] as const;
type PartName = (typeof PARTS)[number];

/** The fields of the description. */
const FIELDS: readonly string[] = ["format", "card", ...PARTS];

/**
 * Writes a classifier as the bytes of a model file. It is a safetensors file: numbers are tensors `encoder.…`,
 * `fingerprint.…`, `model.…`, `decision.…`, `background.…` and `profile.…`, and everything else is JSON under `vouch`
 * in the metadata. `sha256` is the digest of the whole file with zeros in place of the digest. The same classifier
 * always gives the same bytes.
 */
export async function serialise(classifier: Classifier): Promise<Uint8Array<ArrayBuffer>> {
  const { metadata, tensors } = await fileContent(classifier);
  return writeSafetensors(metadata, tensors);
}

/** Returns the bytes of a model file in pieces, without a copy of the tensors. */
export async function serialisedPieces(classifier: Classifier): Promise<Iterable<Uint8Array>> {
  const { metadata, tensors } = await fileContent(classifier);
  return blocksOfFile(layOutSafetensors(metadata, tensors));
}

interface FileContent {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tensors: Readonly<Record<string, Tensor>>;
}

async function fileContent(classifier: Classifier): Promise<FileContent> {
  // Reading a card normalises the order of its fields, so that a loaded one is written identically.
  const content: Record<string, Json> = { format: FORMAT, card: readCard(classifier.card) };
  const named: [string, Tensor][] = [];
  for (const part of PARTS) {
    const state = part === "decision" ? decisionState(classifier.decision) : classifier[part]?.toState();
    if (!state) continue;
    content[part] = state.json;
    for (const [name, tensor] of Object.entries(state.tensors)) named.push([`${part}.${name}`, tensor]);
  }
  const tensors = Object.fromEntries(named);
  const vouch = jsonText(content);
  const digest = sha256();
  for (const block of blocksOfFile(layOutSafetensors({ sha256: NO_DIGEST, vouch }, tensors))) {
    digest.update(block);
    await yieldToEventLoop();
  }
  return { metadata: { sha256: await digest.hex(), vouch }, tensors };
}

function* blocksOfFile({ header, tensors }: SafetensorsPieces): Generator<Uint8Array> {
  for (const piece of [header, ...tensors]) {
    yield* blocksOf(piece.buffer, piece.byteOffset, piece.byteLength);
  }
}

/** The bytes of a model file, read once from start to end. */
export interface ByteReader {
  /** Length of the file. */
  readonly length: number;
  /** Reads the next bytes into a new buffer. */
  next(count: number): Promise<ArrayBuffer>;
}

/** How to load a model. */
export interface LoadOptions {
  /** Custom learners whose models the file may contain. */
  readonly learners?: readonly RestoringLearner[];
}

/** The part of a kind of learner that restores its models. */
type RestoringLearner = Pick<LearnerKind, "name" | "restore">;

/**
 * Reads a classifier from the bytes of a model file. Everything is checked before use: first that it is a vouch model
 * of a known version, then the digest, then the content.
 */
export async function deserialise(
  given: Uint8Array | ArrayBuffer,
  options: LoadOptions = {},
): Promise<Classifier> {
  const bytes = given instanceof ArrayBuffer ? new Uint8Array(given) : given;
  let place = 0;
  const next = async (count: number) => {
    place += count;
    return new Uint8Array(bytes.subarray(place - count, place)).buffer;
  };
  return readModel({ length: bytes.length, next }, options);
}

/** Reads a classifier like `deserialise`, from bytes that need not all be in memory. */
export async function readModel(
  reader: ByteReader,
  { learners: custom = [] }: LoadOptions = {},
): Promise<Classifier> {
  const start = await readStart(reader);
  const header = readHeader(start, reader.length);
  const content = readContent(header);
  reserveMemory("the model file", reader.length);
  const buffers = await readIntact(reader, start, header);
  const tensors = readTensors(header, buffers);
  try {
    const restoreEncoder = await encoderRestorer(content.encoder);
    return await withLearners(() => restore(content, tensors, { restoreEncoder, custom }));
  } catch (error) {
    if (error instanceof VouchError) throw error;
    throw corrupt("The parts of the model do not fit together.", error);
  }
}

/** Reads the file up to the end of its header. */
async function readStart(reader: ByteReader): Promise<Uint8Array> {
  const opening = new Uint8Array(await reader.next(Math.min(OPENING_BYTES, reader.length)));
  const end = headerEnd(opening, reader.length);
  const start = new Uint8Array(end);
  start.set(opening);
  start.set(new Uint8Array(await reader.next(end - opening.length)), opening.length);
  return start;
}

/** Reads the bytes of all tensors, and checks the digest of the whole file. */
async function readIntact(
  reader: ByteReader,
  start: Uint8Array,
  { entries }: SafetensorsHeader,
): Promise<Map<string, ArrayBuffer>> {
  const expected = digestIn(start);
  const digest = sha256();
  const blank = start.slice();
  blank.set(new TextEncoder().encode(NO_DIGEST), DIGEST_START);
  digest.update(blank);
  const buffers = new Map<string, ArrayBuffer>();
  for (const [name, entry] of entries) {
    const buffer = await reader.next(entry.end - entry.start);
    buffers.set(name, buffer);
    for (const block of blocksOf(buffer, 0, buffer.byteLength)) {
      digest.update(block);
      await yieldToEventLoop();
    }
  }
  if (expected !== (await digest.hex()))
    throw corrupt("The checksum of the file does not match its content.");
  return buffers;
}

function digestIn(start: Uint8Array): string {
  const opening = new TextDecoder().decode(start.subarray(8, DIGEST_START + DIGEST_LENGTH));
  if (opening.length < BEFORE_DIGEST.length + DIGEST_LENGTH || !opening.startsWith(BEFORE_DIGEST)) {
    throw corrupt("The file contains no checksum where one should be.");
  }
  return opening.slice(BEFORE_DIGEST.length);
}

type Content = Readonly<Record<string, Json>>;

function readContent({ metadata }: SafetensorsHeader): Content {
  const text = metadata.get("vouch");
  if (text === undefined) {
    throw new VouchError("model/unknown", "The file is a safetensors file, but not a vouch model.", {
      hint: "Use a file that `vouch train` wrote.",
    });
  }
  const content = parseJson(text, "description of the model");
  if (!isRecord(content)) throw corrupt("The description of the model is not a JSON object.");
  checkFormat(content.format);
  return content;
}

function checkFormat(format: Json | undefined): void {
  if (typeof format !== "number" || !Number.isSafeInteger(format) || format < 1) {
    throw corrupt("The description of the model has no format version.");
  }
  if (format > FORMAT) {
    throw new VouchError(
      "model/newer",
      `The model was written by a newer vouch (format ${format}, this one reads up to ${FORMAT}).`,
      { hint: "Update vouch." },
    );
  }
}

function restore(
  content: Content,
  tensors: Readonly<Record<string, Tensor>>,
  { restoreEncoder, custom }: { restoreEncoder: RestoreEncoder; custom: readonly RestoringLearner[] },
): Classifier {
  const parts = PARTS.filter((part) => content[part] !== undefined);
  const stranger = Object.keys(tensors).find((name) => !parts.some((part) => name.startsWith(`${part}.`)));
  if (stranger !== undefined) throw corrupt(`The file contains an unknown tensor "${stranger}".`);
  const field = Object.keys(content).find((name) => !FIELDS.includes(name));
  if (field !== undefined) throw corrupt(`The description of the model has an unknown field "${field}".`);
  const card = readCard(content.card);
  const encoder = restoreEncoder(stateOf("encoder", content, tensors));
  const fingerprint = Fingerprint.restore(stateOf("fingerprint", content, tensors));
  const groups =
    content.groups === undefined ? undefined : Fingerprint.restore(stateOf("groups", content, tensors));
  const model = learnerOf(card, custom).restore(stateOf("model", content, tensors));
  checkFit(encoder, model);
  const decision = restoreDecision(stateOf("decision", content, tensors), model.classes.length);
  checkDecision(decision, model);
  checkObjective(card, model.classes.length);
  const sketch =
    content.sketch === undefined
      ? undefined
      : RowSketch.restore(stateOf("sketch", content, tensors), encoder.schema);
  const background =
    content.background === undefined
      ? undefined
      : Background.restore(stateOf("background", content, tensors), encoder.schema);
  const profile =
    content.profile === undefined
      ? undefined
      : TrainingProfile.restore(stateOf("profile", content, tensors), encoder.schema);
  return new Classifier({ encoder, model, decision, fingerprint, sketch, groups, background, profile, card });
}

function stateOf(part: PartName, content: Content, tensors: Readonly<Record<string, Tensor>>): State {
  const prefix = `${part}.`;
  const own = Object.entries(tensors).filter(([name]) => name.startsWith(prefix));
  return {
    json: content[part] ?? null,
    tensors: Object.fromEntries(own.map(([name, tensor]) => [name.slice(prefix.length), tensor])),
  };
}

/** Checks that the model accepts the encoder's features, by classifying an empty table. */
function checkFit(encoder: Encoder, model: Model): void {
  if (jsonText(model.classes) !== jsonText(encoder.schema.classes)) {
    throw corrupt("The model and its encoder have different classes.");
  }
  try {
    model.scores(encoder.encode(noRows(encoder.schema)));
  } catch (error) {
    throw corrupt("The model and its encoder have different features.", error);
  }
}

/** Checks that the calibrator accepts the model's scores, and that a rule has probabilities to decide by. */
function checkDecision({ calibrator, rule, abstention, sets }: Decision, { scoring }: Model): void {
  if (calibrator && calibrator.scoring !== scoring) {
    throw corrupt(`The calibrator takes a ${calibrator.scoring}, but the model gives a ${scoring}.`);
  }
  const needsProbabilities = rule.kind !== "model" || abstention !== undefined || sets !== undefined;
  if (!calibrator && scoring === "decision" && needsProbabilities) {
    throw corrupt("The decision needs probabilities, but the model has none.");
  }
}

/** Checks that the metric and the weights on the card match the classes of the model. */
function checkObjective({ objective, classWeights, data }: Card, classes: number): void {
  const { costs, positive } = objective ?? {};
  const lists = [costs, ...(costs ?? []), classWeights, data.counts];
  if (lists.some((list) => list !== undefined && list.length !== classes)) {
    throw corrupt(`The card does not have costs, weights and counts for ${classes} classes.`);
  }
  if (positive !== undefined && classes !== 2) {
    throw corrupt(`The card has a positive class, but the model has ${classes} classes.`);
  }
}

function noRows({ columns }: Schema): Table {
  const empty = columns.map(
    (column): Column =>
      column.kind === "numeric"
        ? { ...column, values: new Float64Array(0) }
        : { kind: "categorical", name: column.name, codes: new Int32Array(0), levels: [] },
  );
  return new Table("no rows", 0, empty);
}

function learnerOf({ learner, vouch }: Card, custom: readonly RestoringLearner[]): RestoringLearner {
  const definition = custom.find(({ name }) => name === learner);
  if (definition) return definition;
  if (isLearnerName(learner)) return loadedLearner(learner);
  throw new VouchError("model/unknown", `The model was made by the unknown learner "${learner}".`, {
    hint:
      `The file was written by vouch ${vouch}: update vouch, or pass a custom learner ` +
      "in the option learners.",
  });
}
