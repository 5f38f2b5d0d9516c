import {
  type AttributeValue,
  type ConstantTensor,
  ELEMENT_TYPES,
  type ElementType,
  elementTypeOf,
  type OnnxGraph,
  type OnnxNode,
  type OnnxValue,
} from "./onnx-model.js";

/** The name of a tensor in a graph. */
export type Value = string;

/** The operators of machine learning: trees and label encoders. */
export const ML_DOMAIN = "ai.onnx.ml";

/** Names that a graph makes up begin with this; those of inputs and outputs do not. */
export const GENERATED = "vouch:";

type Attributes = Readonly<Record<string, AttributeValue>>;

/**
 * A graph in the making. Every method that computes adds a node and returns its output. Rows are the first axis everywhere.
 * Names are numbered in the order of the calls.
 */
export class Graph {
  readonly #nodes: OnnxNode[] = [];
  readonly #constants = new Map<string, ConstantTensor>();
  readonly #inputs: OnnxValue[] = [];
  readonly #outputs: OnnxValue[] = [];
  readonly #known = new Map<string, Value>();
  readonly #prefix: string;
  #count = 0;

  /** Names of the values of a graph inside of another one begin with a prefix, because they must differ from those outside. */
  constructor(prefix = "") {
    this.#prefix = prefix;
  }

  /** Declares an input and returns it. */
  input(name: string, type: ElementType, shape: OnnxValue["shape"]): Value {
    this.#inputs.push({ name, type, shape });
    return name;
  }

  /** Gives a value a name under which it is an output. */
  output(name: string, value: Value, type: ElementType, shape: OnnxValue["shape"]): void {
    this.#add("Identity", [value], {}, "", name);
    this.#outputs.push({ name, type, shape });
  }

  /** Adds a node with one output. */
  op(operator: string, inputs: readonly Value[], attributes: Attributes = {}, domain = ""): Value {
    return this.#add(operator, inputs, attributes, domain, this.#name(operator));
  }

  /** Adds a node with several outputs. */
  several(operator: string, inputs: readonly Value[], attributes: Attributes, count: number): Value[] {
    const outputs = Array.from({ length: count }, () => this.#name(operator));
    this.#nodes.push({ operator, domain: "", inputs, outputs, attributes });
    return outputs;
  }

  /** Adds a constant; equal short ones are one. */
  constant(tensor: ConstantTensor): Value {
    const key = makeKey(tensor);
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known !== undefined) return known;
    const name = this.#name("constant");
    this.#constants.set(name, tensor);
    if (key !== undefined) this.#known.set(key, name);
    return name;
  }

  /** Makes a constant of doubles: a vector unless it has a shape. */
  doubles(values: ArrayLike<number>, shape: readonly number[] = [values.length]): Value {
    return this.constant({ shape, values: Float64Array.from(values) });
  }

  /** Makes a constant of single-precision numbers. */
  floats(values: ArrayLike<number>, shape: readonly number[] = [values.length]): Value {
    return this.constant({ shape, values: Float32Array.from(values) });
  }

  /** Makes a constant of integers. */
  integers(values: ArrayLike<number>, shape: readonly number[] = [values.length]): Value {
    return this.constant({ shape, values: BigInt64Array.from(Array.from(values, BigInt)) });
  }

  /** Makes a constant double without axes. */
  double(value: number): Value {
    return this.doubles([value], []);
  }

  /** Makes a constant integer without axes. */
  integer(value: number): Value {
    return this.integers([value], []);
  }

  texts(values: readonly string[], shape: readonly number[] = [values.length]): Value {
    return this.constant({ shape, values });
  }

  add(a: Value, b: Value): Value {
    return this.op("Add", [a, b]);
  }

  sub(a: Value, b: Value): Value {
    return this.op("Sub", [a, b]);
  }

  mul(a: Value, b: Value): Value {
    return this.op("Mul", [a, b]);
  }

  div(a: Value, b: Value): Value {
    return this.op("Div", [a, b]);
  }

  /**
   * Multiplies matrices. ONNX Runtime would fuse MatMul with factors before or after it, which it then rounds to single precision;
   * Gemm stays as it is.
   */
  product(a: Value, b: Value): Value {
    return this.op("Gemm", [a, b]);
  }

  max(a: Value, b: Value): Value {
    return this.op("Max", [a, b]);
  }

  min(a: Value, b: Value): Value {
    return this.op("Min", [a, b]);
  }

  where(condition: Value, yes: Value, no: Value): Value {
    return this.op("Where", [condition, yes, no]);
  }

  /** Tells which numbers are NaN, which is not equal to itself: older runtimes have no IsNaN of doubles. */
  isNaN(value: Value): Value {
    return this.op("Not", [this.op("Equal", [value, value])]);
  }

  cast(value: Value, type: ElementType): Value {
    return this.op("Cast", [value], { to: { kind: "int", value: ELEMENT_TYPES[type] } });
  }

  /** Selects columns (or elements of another axis) by constant indices; several of them stay an axis. */
  columns(value: Value, indices: ArrayLike<number>, axis = 1): Value {
    return this.op("Gather", [value, this.integers(indices)], { axis: { kind: "int", value: axis } });
  }

  /** Selects elements of a constant vector, or rows of a constant matrix, by computed indices. */
  lookUp(table: Value, indices: Value): Value {
    return this.op("Gather", [table, indices], { axis: { kind: "int", value: 0 } });
  }

  /** Places values side by side. */
  concat(values: readonly Value[], axis = 1): Value {
    if (values.length === 1) return values[0];
    return this.op("Concat", values, { axis: { kind: "int", value: axis } });
  }

  /** Sums over an axis, which stays with length 1. */
  sum(value: Value, axis = 1): Value {
    return this.op("ReduceSum", [value, this.integers([axis])], { keepdims: { kind: "int", value: 1 } });
  }

  /** Finds the largest number of each row, as a column. */
  largest(value: Value): Value {
    return this.#selected(value, "ArgMax");
  }

  /** Finds the smallest number of each row, as a column. */
  smallest(value: Value): Value {
    return this.#selected(value, "ArgMin");
  }

  /** Selects an element of each row. ReduceMax and ReduceMin would do, but take different inputs in different versions. */
  #selected(value: Value, operator: "ArgMax" | "ArgMin"): Value {
    const indices = this.op(operator, [value], { axis: { kind: "int", value: 1 } });
    return this.elements(value, indices);
  }

  /** Selects an element of each row by its index, a column. */
  elements(value: Value, indices: Value): Value {
    return this.op("GatherElements", [value, indices], { axis: { kind: "int", value: 1 } });
  }

  /** Finds the first largest element of each row, as a vector. */
  argMax(value: Value): Value {
    return this.op("ArgMax", [value], {
      axis: { kind: "int", value: 1 },
      keepdims: { kind: "int", value: 0 },
      select_last_index: { kind: "int", value: 0 },
    });
  }

  softmax(value: Value): Value {
    return this.op("Softmax", [value], { axis: { kind: "int", value: 1 } });
  }

  /** Changes the shape; 0 keeps an axis, −1 is the rest. */
  reshape(value: Value, shape: readonly number[]): Value {
    return this.op("Reshape", [value, this.integers(shape)]);
  }

  /** Compares each row's index of a class with all indices: a row of booleans, of which one is true. */
  oneHot(indices: Value, count: number): Value {
    const all = this.integers(Array.from({ length: count }, (_, k) => k));
    return this.op("Equal", [this.reshape(indices, [-1, 1]), all]);
  }

  /** Repeats a constant row of doubles for as many rows as another value has. */
  repeat(row: ArrayLike<number>, like: Value): Value {
    const rows = this.op("Shape", [like], {
      start: { kind: "int", value: 0 },
      end: { kind: "int", value: 1 },
    });
    const shape = this.concat([rows, this.integers([row.length])], 0);
    return this.op("Expand", [this.doubles(row, [1, row.length]), shape]);
  }

  /** Tells whether a node has this operator, without those of loops. */
  uses(operator: string): boolean {
    return this.#nodes.some((node) => node.operator === operator);
  }

  /** Makes a graph for a loop inside of this one. */
  inner(): Graph {
    return new Graph(`inner${++this.#count}.`);
  }

  /** Returns the finished graph. */
  finished(name: string): OnnxGraph {
    return {
      name,
      nodes: this.#nodes,
      constants: this.#constants,
      inputs: this.#inputs,
      outputs: this.#outputs,
    };
  }

  #add(
    operator: string,
    inputs: readonly Value[],
    attributes: Attributes,
    domain: string,
    output: string,
  ): Value {
    this.#nodes.push({ operator, domain, inputs, outputs: [output], attributes });
    return output;
  }

  #name(kind: string): string {
    this.#count++;
    return `${GENERATED}${this.#prefix}${kind}.${this.#count}`;
  }
}

/** Longest constant that is compared with others. */
const SHORT = 16;

/** Returns a text that equal constants share; undefined for long ones. */
function makeKey({ shape, values }: ConstantTensor): string | undefined {
  if (values.length > SHORT) return undefined;
  const texts: string[] = [];
  for (const value of values) texts.push(Object.is(value, -0) ? "-0" : JSON.stringify(String(value)));
  return `${elementTypeOf(values)} [${shape.join()}] ${texts.join()}`;
}
