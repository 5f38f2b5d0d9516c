import { Random } from "#core/runtime/maths/random.js";
import { type FileParts, fileOf, fileParts, type StoredTensor } from "./edited-file.js";
import type { OriginalModel } from "./original-models.js";

/** Changes to a model file, and what they are in words. */
interface Forgery {
  readonly name: string;
  readonly what: string;
  readonly apply: (parts: MutableParts) => void;
}

/** A model file that is being changed. */
interface MutableParts extends FileParts {
  readonly tensors: Map<string, StoredTensor>;
}

type Path = readonly string[];

/** Values in place of any number of the description. */
const EXTREMES: readonly unknown[] = [
  0,
  -1,
  1,
  2,
  3,
  0.5,
  -0.5,
  100,
  1000,
  1e6,
  2 ** 31 - 1,
  2 ** 31,
  1e9,
  1e15,
  2 ** 53 - 1,
  2 ** 53,
  1e308,
  -1e308,
  5e-324,
  "NaN",
  "Infinity",
  null,
];

/** Values in place of an element of a tensor; those that its type cannot hold wrap around. */
const ELEMENTS = [
  0,
  -1,
  1,
  2,
  0.5,
  1e6,
  2 ** 31 - 1,
  -(2 ** 31),
  1e308,
  -1e308,
  5e-324,
  NaN,
  Infinity,
  -Infinity,
];

/** Texts in place of a string. */
const TEXTS = ["", "__proto__", "constructor", "numeric", "a", "NaN", "x".repeat(100_000), "\u202e\u0000"];

const TYPE_BYTES: Readonly<Record<string, number>> = { U8: 1, I8: 1, I32: 4, U32: 4, F32: 4, F64: 8, U64: 8 };
const TYPES = Object.keys(TYPE_BYTES);

/** Lists larger than this are not repeated further. */
const LARGEST_LIST = 100_000;

/** Lists the paths to all values of the description. */
function pathsIn(json: unknown, path: Path = []): Path[] {
  if (typeof json !== "object" || json === null) return [path];
  return [path, ...Object.entries(json).flatMap(([key, value]) => pathsIn(value, [...path, key]))];
}

function valueAt(json: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), json);
}

function setAt(json: unknown, path: Path, value: unknown): void {
  const parent = Object(valueAt(json, path.slice(0, -1)));
  parent[path[path.length - 1]] = value;
}

/** Names a place; the items of a list share their name. */
function placeOf(path: Path): string {
  return path.map((key) => (/^\d+$/.test(key) ? "*" : key)).join(".");
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** Says which values may replace one of the description, and in which words. */
function* replacements(value: unknown): Generator<readonly [what: string, value: unknown]> {
  if (typeof value === "number") for (const extreme of EXTREMES) yield [`= ${shown(extreme)}`, extreme];
  else if (typeof value === "string") for (const text of TEXTS) yield [`= ${shown(text)}`, text];
  else if (typeof value === "boolean") yield ["negated", !value];
  else if (Array.isArray(value)) {
    yield ["emptied", []];
    yield ["without its first item", value.slice(1)];
    yield ["twice", [...value, ...value]];
    const times = Math.min(1000, Math.floor(LARGEST_LIST / Math.max(1, JSON.stringify(value).length)));
    yield [`${times} times`, Array.from({ length: times }, () => value).flat()];
    yield ["reversed", value.toReversed()];
    yield ["= 1e9", 1e9];
  } else if (typeof value === "object" && value !== null) {
    yield ["= {}", {}];
    yield ["= []", []];
    yield ["with a stranger", { ...value, stranger: 1e9 }];
  }
}

function viewOf({ bytes, dtype }: StoredTensor): {
  length: number;
  set: (k: number, value: number) => void;
  get: (k: number) => number;
} {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = TYPE_BYTES[dtype] ?? 1;
  const methods: Record<string, "Float64" | "Float32" | "Int32" | "Uint32" | "Int8" | "Uint8"> = {
    F64: "Float64",
    F32: "Float32",
    I32: "Int32",
    U32: "Uint32",
    I8: "Int8",
  };
  const type = methods[dtype] ?? "Uint8";
  return {
    length: Math.floor(bytes.length / size),
    set: (k, value) => view[`set${type}`](k * size, value, true),
    get: (k) => view[`get${type}`](k * size, true),
  };
}

/** Returns a copy of a tensor with some elements changed. */
function withElements(
  tensor: StoredTensor,
  elements: readonly number[],
  change: (old: number) => number,
): StoredTensor {
  const changed = { ...tensor, bytes: Uint8Array.from(tensor.bytes) };
  const view = viewOf(changed);
  for (const k of elements) if (k >= 0 && k < view.length) view.set(k, change(view.get(k)));
  return changed;
}

function repeated({ dtype, shape, bytes }: StoredTensor, times: number): StoredTensor {
  const all = new Uint8Array(bytes.length * times);
  for (let k = 0; k < times; k++) all.set(bytes, k * bytes.length);
  return { dtype, shape: [(shape[0] ?? 1) * times, ...shape.slice(1)], bytes: all };
}

/** Says how a tensor may change, and in which words. */
function* tensorChanges(tensor: StoredTensor): Generator<readonly [what: string, StoredTensor | undefined]> {
  const { dtype, shape, bytes } = tensor;
  const { length } = viewOf(tensor);
  for (const value of ELEMENTS) {
    yield [`[0] = ${value}`, withElements(tensor, [0], () => value)];
    yield [`[last] = ${value}`, withElements(tensor, [length - 1], () => value)];
    yield [`all ${value}`, withElements(tensor, [...Array(length).keys()], () => value)];
  }
  for (const type of TYPES) {
    if (type === dtype) continue;
    const scale = TYPE_BYTES[dtype] / TYPE_BYTES[type];
    yield [`as ${type}`, { dtype: type, shape: [Math.floor(length * scale)], bytes }];
    if (TYPE_BYTES[type] === TYPE_BYTES[dtype])
      yield [`as ${type} of its shape`, { dtype: type, shape, bytes }];
  }
  yield ["flat", { dtype, shape: [length], bytes }];
  yield ["transposed", { dtype, shape: shape.toReversed(), bytes }];
  yield ["with an axis more", { dtype, shape: [1, ...shape], bytes }];
  yield ["of the shape [1e9]", { dtype, shape: [1e9], bytes }];
  yield ["empty", { dtype, shape: shape.map(() => 0), bytes: new Uint8Array(0) }];
  yield ["empty, but long", { dtype, shape: [0, 2 ** 31], bytes: new Uint8Array(0) }];
  yield ["twice", repeated(tensor, 2)];
  yield ["100 times", repeated(tensor, 100)];
  yield ["missing", undefined];
}

function changeTensor({ tensors }: MutableParts, name: string, changed: StoredTensor | undefined): void {
  if (changed) tensors.set(name, changed);
  else tensors.delete(name);
}

/** A part of the file, and the place in it that mutations of all models share. */
function keyOf(learner: string, place: string): string {
  return place.startsWith("model.") || place.startsWith("card.options") ? `${learner}: ${place}` : place;
}

/** Lists one forgery for each place of the originals and each value that may be in it; models share the places of cards and encoders. */
export function systematicForgeries(
  originals: readonly OriginalModel[],
): (Forgery & { readonly original: number })[] {
  const seen = new Set<string>();
  const forgeries: (Forgery & { original: number })[] = [];
  for (const [original, { name, bytes }] of originals.entries()) {
    const { content, tensors } = fileParts(bytes);
    const isNew = (place: string) => {
      const key = keyOf(name, place);
      return !seen.has(key) && seen.add(key);
    };
    for (const path of pathsIn(content)) {
      if (path.length === 0 || !isNew(placeOf(path))) continue;
      for (const [n, [what]] of [...replacements(valueAt(content, path))].entries()) {
        const apply = ({ content: own }: MutableParts) =>
          setAt(own, path, [...replacements(valueAt(own, path))][n][1]);
        forgeries.push({ original, name, what: `${path.join(".")} ${what}`, apply });
      }
    }
    for (const [tensor, stored] of tensors) {
      if (!isNew(placeOf(tensor.split(".")))) continue;
      for (const [n, [what]] of [...tensorChanges(stored)].entries()) {
        const apply = (parts: MutableParts) => changeTensor(parts, tensor, [...tensorChanges(stored)][n][1]);
        forgeries.push({ original, name, what: `tensor ${tensor} ${what}`, apply });
      }
    }
  }
  return forgeries;
}

type RandomChange = (parts: MutableParts, random: Random) => string;

function pick<T>(items: readonly T[], random: Random): T {
  return items[random.integer(items.length)];
}

/** Replaces one value of the description. */
const replaceValue: RandomChange = ({ content }, random) => {
  const path = pick(pathsIn(content).slice(1), random);
  const options = [...replacements(valueAt(content, path))];
  if (options.length === 0) return "nothing";
  const [what, value] = pick(options, random);
  setAt(content, path, value);
  return `${path.join(".")} ${what}`;
};

function numberPaths(content: unknown): Path[] {
  return pathsIn(content).filter((path) => typeof valueAt(content, path) === "number");
}

/** Replaces all numbers that are equal, such as the number of rows in several parts, so that they still fit together. */
const replaceEqualNumbers: RandomChange = ({ content }, random) => {
  const paths = numberPaths(content);
  const value = valueAt(content, pick(paths, random));
  const extreme = pick(EXTREMES, random);
  for (const path of paths) if (valueAt(content, path) === value) setAt(content, path, extreme);
  return `all ${value} = ${shown(extreme)}`;
};

/** Adds the same amount to several numbers, such as a sum and one of its terms, so that they still fit together. */
const shiftNumbers: RandomChange = ({ content, tensors }, random) => {
  const paths = numberPaths(content).filter((path) => !path.includes("margins"));
  const amount = pick([1, -1, 1000, 1e6, 2 ** 30, 2 ** 31 - 100], random);
  const chosen = Array.from({ length: 2 + random.integer(2) }, () => pick(paths, random));
  for (const path of chosen) setAt(content, path, Number(valueAt(content, path)) + amount);
  const counts = [...tensors].filter(([, { dtype }]) => dtype === "I32");
  const words = chosen.map((path) => path.join("."));
  if (counts.length > 0 && random.integer(2) === 0) {
    const [name, tensor] = pick(counts, random);
    tensors.set(
      name,
      withElements(tensor, [viewOf(tensor).length - 1], (old) => old + amount),
    );
    words.push(`the last of ${name}`);
  }
  return `${words.join(", ")} += ${amount}`;
};

/** Adds the same amount to all counts of rows and the fingerprint: a file of more rows that fits together. */
const moreRows: RandomChange = ({ content, tensors }, random) => {
  const amount = pick([1e6, 2 ** 30, 2 ** 31 - 1000], random);
  for (const path of pathsIn(content)) {
    const value = valueAt(content, path);
    if (typeof value === "number" && /rows|correct|trainingRows$/i.test(path[path.length - 1] ?? ""))
      setAt(content, path, value + amount);
  }
  const counts = tensors.get("fingerprint.counts");
  if (counts)
    tensors.set(
      "fingerprint.counts",
      withElements(counts, [0], (old) => old + amount),
    );
  return `rows += ${amount}`;
};

/** Removes or renames a field, or copies the value of another one. */
const changeFields: RandomChange = ({ content }, random) => {
  const paths = pathsIn(content).slice(1);
  const path = pick(paths, random);
  const parent = Object(valueAt(content, path.slice(0, -1)));
  const key = path[path.length - 1];
  const action = random.integer(3);
  const other = structuredClone(valueAt(content, pick(paths, random)));
  if (Array.isArray(parent)) parent.splice(Number(key), action === 0 ? 1 : 0, other);
  else if (action === 0) delete parent[key];
  else if (action === 1) parent[`${key}x`] = parent[key];
  else parent[key] = other;
  return `fields of ${path.slice(0, -1).join(".")} (${key}, ${action})`;
};

/** Changes a tensor. */
const changeOneTensor: RandomChange = (parts, random) => {
  if (parts.tensors.size === 0) return "nothing";
  const [name, tensor] = pick([...parts.tensors], random);
  const [what, changed] = pick([...tensorChanges(tensor)], random);
  changeTensor(parts, name, changed);
  return `tensor ${name} ${what}`;
};

/** Changes some elements of a tensor. */
const changeElements: RandomChange = ({ tensors }, random) => {
  if (tensors.size === 0) return "nothing";
  const [name, tensor] = pick([...tensors], random);
  const { length } = viewOf(tensor);
  if (length === 0) return "nothing";
  const places = Array.from({ length: 1 + random.integer(4) }, () => random.integer(length));
  const value = pick(ELEMENTS, random);
  const shift = random.integer(2) === 0;
  tensors.set(
    name,
    withElements(tensor, places, (old) => (shift ? old + Math.sign(value || 1) : value)),
  );
  return `tensor ${name}[${places}] ${shift ? "+=" : "="} ${value}`;
};

/** Exchanges two tensors, with or without their shapes. */
const exchangeTensors: RandomChange = ({ tensors }, random) => {
  if (tensors.size === 0) return "nothing";
  const [a, first] = pick([...tensors], random);
  const alike = [...tensors].filter(([, { dtype }]) => dtype === first.dtype);
  const [b, second] = pick(random.integer(3) === 0 ? [...tensors] : alike, random);
  tensors.set(a, second);
  tensors.set(b, first);
  return `tensors ${a} and ${b} exchanged`;
};

const RANDOM_CHANGES: readonly RandomChange[] = [
  replaceValue,
  replaceValue,
  replaceEqualNumbers,
  shiftNumbers,
  moreRows,
  changeFields,
  changeOneTensor,
  changeElements,
  exchangeTensors,
];

/** Makes a copy of an original that can be changed. */
function copyOf({ bytes }: OriginalModel): MutableParts {
  const { content, tensors } = fileParts(bytes);
  return { content, tensors: new Map(tensors) };
}

/** A forged file, and what was forged. */
export interface ForgedFile {
  readonly what: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Numbers in place of one of a text. */
const NUMERALS = [
  ...EXTREMES.slice(0, -3),
  -2,
  20,
  101,
  "2000000000",
  "1e999",
  "-0",
  "0x10",
  `${"1".repeat(20_000)}x`,
];

/** Forges the text of a LIBSVM model by other numbers in one to three places. */
export function forgeLibsvm(text: string, seed: number): string {
  const random = new Random(seed);
  const words = text.split(/(?<=[\s:])|(?=[\s:])/);
  const places = words.flatMap((word, place) => (/^[+-]?[\d.]+$/.test(word) ? [place] : []));
  for (let n = 1 + random.integer(3); n > 0; n--)
    words[pick(places, random)] = String(pick(NUMERALS, random));
  return words.join("");
}

/** Forged files by number: first every place with every value once, in an order that the seed decides, then random combinations. */
export class Forger {
  readonly #originals: readonly OriginalModel[];
  readonly #systematic: ReturnType<typeof systematicForgeries>;
  readonly #seed: number;

  constructor(originals: readonly OriginalModel[], seed: number) {
    this.#originals = originals;
    this.#seed = seed;
    const all = systematicForgeries(originals);
    this.#systematic = new Random(seed).shuffle(all.map((_, k) => k)).map((k) => all[k]);
  }

  /** The number of forged files that are not random. */
  get systematic(): number {
    return this.#systematic.length;
  }

  /** Forges file number `index` of `tries`; at most half of few tries are systematic. */
  async forge(index: number, tries: number): Promise<ForgedFile> {
    if (index < Math.min(this.#systematic.length, Math.ceil(tries / 2))) {
      const { original, name, what, apply } = this.#systematic[index];
      const parts = copyOf(this.#originals[original]);
      apply(parts);
      return { what: `${name}: ${what}`, bytes: await fileOf(parts) };
    }
    const random = new Random(this.#seed).fork(index);
    const original = pick(this.#originals, random);
    const parts = copyOf(original);
    const words = Array.from({ length: 1 + random.integer(3) }, () =>
      pick(RANDOM_CHANGES, random)(parts, random),
    );
    return { what: `${original.name}: ${words.join("; ")}`, bytes: await fileOf(parts) };
  }
}
