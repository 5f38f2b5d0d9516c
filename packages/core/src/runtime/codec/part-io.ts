import type { VouchError } from "../vouch-error.js";
import { corrupt, type Json, type State, type Tensor, type TensorData } from "./state.js";

/**
 * A size of an axis: a number, the name of a size, or a function of the sizes known so far. A name that is not known yet
 * takes the size of the first tensor that has it; all later ones must agree.
 */
export type Size = number | string | ((sizes: Readonly<Record<string, number>>) => number);

/** Sizes by name. A nested part has its own, which start as a copy. */
export class Sizes {
  readonly known: Record<string, number>;

  constructor(known: Readonly<Record<string, number>>) {
    this.known = { ...known };
  }

  get(size: Size): number | undefined {
    if (typeof size === "number") return size;
    return typeof size === "function" ? size(this.known) : this.known[size];
  }

  /** Keeps a size if it has a name without a value. */
  learn(size: Size, value: number): void {
    if (typeof size === "string") this.known[size] ??= value;
  }
}

/** Collects the tensors of a value. */
export class PartWriter {
  readonly tensors: Record<string, Tensor>;
  readonly sizes: Sizes;
  readonly path: string;

  constructor(tensors: Record<string, Tensor>, sizes: Readonly<Record<string, number>>, path = "") {
    this.tensors = tensors;
    this.sizes = new Sizes(sizes);
    this.path = path;
  }

  /** Returns a writer of the same tensors under a longer name, with the same sizes or a copy of them. */
  inside(name: string, own = false): PartWriter {
    const inner = new PartWriter(
      this.tensors,
      this.sizes.known,
      this.path === "" ? name : `${this.path}.${name}`,
    );
    return own ? inner : Object.assign(inner, { sizes: this.sizes });
  }

  tensor(shape: readonly Size[], data: TensorData): void {
    this.tensors[this.path] = { shape: this.#shapeOf(shape, data.length), data };
  }

  /** Writes the tensors of a nested state; returns its JSON. */
  state({ json, tensors }: State): Json {
    for (const [name, tensor] of Object.entries(tensors)) this.tensors[`${this.path}.${name}`] = tensor;
    return json;
  }

  /** Finds the sizes of all axes; at most one is not known and follows from the length. */
  #shapeOf(shape: readonly Size[], length: number): number[] {
    const known = shape.map((size) => this.sizes.get(size));
    const product = known.reduce<number>((total, size) => total * (size ?? 1), 1);
    const missing = known.indexOf(undefined);
    const sizes = known.map((size) => size ?? (product === 0 ? 0 : length / product));
    if (
      sizes.reduce((total, size) => total * size, 1) !== length ||
      known.indexOf(undefined, missing + 1) > missing
    ) {
      throw new TypeError(
        `${this.path} has ${length} elements, which do not make the shape [${shape.join(", ")}].`,
      );
    }
    if (missing >= 0) this.sizes.learn(shape[missing], sizes[missing]);
    return sizes;
  }
}

/** Reads tensors of an untrusted file: anything unexpected is `model/corrupt`. */
export class PartReader {
  readonly sizes: Sizes;
  readonly path: string;
  readonly #source: Source;

  constructor(source: Source, sizes: Readonly<Record<string, number>>, path = "") {
    this.#source = source;
    this.sizes = new Sizes(sizes);
    this.path = path;
  }

  inside(name: string, own = false): PartReader {
    const inner = new PartReader(
      this.#source,
      this.sizes.known,
      this.path === "" ? name : `${this.path}.${name}`,
    );
    return own ? inner : Object.assign(inner, { sizes: this.sizes });
  }

  /** Returns the tensor at this path. Throws if its shape does not agree with the known sizes. */
  tensor(shape: readonly Size[]): TensorData {
    const { tensors, used } = this.#source;
    if (!Object.hasOwn(tensors, this.path)) throw this.corrupt("it is missing");
    used.add(this.path);
    const found = tensors[this.path];
    if (found.shape.length !== shape.length) throw this.#wrongShape(found);
    shape.forEach((size, axis) => {
      this.sizes.learn(size, found.shape[axis]);
      if (this.sizes.get(size) !== found.shape[axis]) throw this.#wrongShape(found, shape);
    });
    if (found.data.length !== found.shape.reduce((total, size) => total * size, 1))
      throw this.#wrongShape(found);
    return found.data;
  }

  /** Returns the nested state at this path, for a separate codec. */
  state(json: Json | undefined): State {
    const { tensors, used } = this.#source;
    const prefix = `${this.path}.`;
    const own: Record<string, Tensor> = {};
    for (const name of this.#namesFrom(prefix)) {
      if (!name.startsWith(prefix)) break;
      used.add(name);
      own[name.slice(prefix.length)] = tensors[name];
    }
    return { json: json ?? null, tensors: own };
  }

  /** Yields the names of tensors from `first` on, in order. There may be thousands of nested parts: bisection finds their own. */
  *#namesFrom(first: string): Generator<string> {
    this.#source.sorted ??= Object.keys(this.#source.tensors).sort();
    const { sorted } = this.#source;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sorted[middle] < first) low = middle + 1;
      else high = middle;
    }
    for (; low < sorted.length; low++) yield sorted[low];
  }

  /** Makes the error of a damaged part; `what` completes "The … is damaged: …". */
  corrupt(what: string): VouchError {
    const where = this.path === "" ? "" : `${this.path}: `;
    return corrupt(`The ${this.#source.name} is damaged: ${where}${what}.`);
  }

  #wrongShape({ shape }: Tensor, expected: readonly Size[] = []): VouchError {
    const wanted = expected.map((size) => this.sizes.get(size) ?? "?");
    return this.corrupt(`it has shape [${shape}]${expected.length > 0 ? ` and not [${wanted}]` : ""}`);
  }
}

interface Source {
  readonly name: string;
  readonly tensors: State["tensors"];
  readonly used: Set<string>;
  /** The names of all tensors in order, once a nested part needs them. */
  sorted?: readonly string[];
}
