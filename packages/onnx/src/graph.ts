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

/** Name of a tensor in a graph. */
export type Value = string;

/** Domain of machine learning operators: trees and label encoders. */
export const ML_DOMAIN = "ai.onnx.ml";

/** Prefix of generated names; names of inputs and outputs never begin with it. */
export const GENERATED = "vouch:";

type Attributes = Readonly<Record<string, AttributeValue>>;

/**
 * Builds a graph. Every method that computes adds a node and returns its output. Rows are always the first axis. Names
 * are numbered in the order of the calls.
 */
export class Graph {
  readonly #nodes: OnnxNode[] = [];
  readonly #constants = new Map<string, ConstantTensor>();
  readonly #inputs: OnnxValue[] = [];
  readonly #outputs: OnnxValue[] = [];
  readonly #known = new Map<string, Value>();
  readonly #prefix: string;
  #count = 0;

  /** Values of a nested graph need a prefix, because their names must differ from those outside. */
  constructor(prefix = "") {
    this.#prefix = prefix;
  }

  /** Declares an input and returns it. */
  input(name: string, type: ElementType, shape: OnnxValue["shape"]): Value {
    this.#inputs.push({ name, type, shape });
    return name;
  }

  /** Names a value as an output. */
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

  /** Adds a constant; equal short constants are shared. */
  constant(tensor: ConstantTensor): Value {
    const key = makeKey(tensor);
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known !== undefined) return known;
    const name = this.#name("constant");
    this.#constants.set(name, tensor);
    if (key !== undefined) this.#known.set(key, name);
    return name;
  }

  /** Adds a constant of doubles, by default a vector. */
  doubles(values: ArrayLike<number>, shape: readonly number[] = [values.length]): Value {
    return this.constant({ shape, values: Float64Array.from(values) });
  }

  /** Adds a constant of single-precision numbers. */
  floats(values: ArrayLike<number>, shape: readonly number[] = [values.length]): Value {
    return this.constant({ shape, values: Float32Array.from(values) });
  }

  /** Adds a constant of integers. */
  integers(values: ArrayLike<number>, shape: readonly number[] = [values.length]): Value {
    return this.constant({ shape, values: BigInt64Array.from(Array.from(values, BigInt)) });
  }

  /** Adds a scalar double. */
  double(value: number): Value {
    return this.doubles([value], []);
  }

  /** Adds a scalar integer. */
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
   * Multiplies matrices. ONNX Runtime would fuse MatMul with adjacent factors and round them to single precision; it
   * leaves Gemm alone.
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

  /** Finds NaN, which does not equal itself; older runtimes lack IsNaN for doubles. */
  isNaN(value: Value): Value {
    return this.op("Not", [this.op("Equal", [value, value])]);
  }

  cast(value: Value, type: ElementType): Value {
    return this.op("Cast", [value], { to: { kind: "int", value: ELEMENT_TYPES[type] } });
  }

  /** Selects columns (or elements of another axis) by constant indices and keeps the axis if there are several. */
  columns(value: Value, indices: ArrayLike<number>, axis = 1): Value {
    return this.op("Gather", [value, this.integers(indices)], { axis: { kind: "int", value: axis } });
  }

  /** Selects elements of a constant vector, or rows of a constant matrix, by computed indices. */
  lookUp(table: Value, indices: Value): Value {
    return this.op("Gather", [table, indices], { axis: { kind: "int", value: 0 } });
  }

  /** Concatenates values along an axis. */
  concat(values: readonly Value[], axis = 1): Value {
    if (values.length === 1) return values[0];
    return this.op("Concat", values, { axis: { kind: "int", value: axis } });
  }

  /** Sums over an axis, which keeps length 1. */
  sum(value: Value, axis = 1): Value {
    return this.op("ReduceSum", [value, this.integers([axis])], { keepdims: { kind: "int", value: 1 } });
  }

  /** Computes the maximum of each row, as a column. */
  largest(value: Value): Value {
    return this.#selected(value, "ArgMax");
  }

  /** Computes the minimum of each row, as a column. */
  smallest(value: Value): Value {
    return this.#selected(value, "ArgMin");
  }

  /** Selects an element of each row. ReduceMax and ReduceMin take different inputs in different versions. */
  #selected(value: Value, operator: "ArgMax" | "ArgMin"): Value {
    const indices = this.op(operator, [value], { axis: { kind: "int", value: 1 } });
    return this.elements(value, indices);
  }

  /** Selects an element of each row by its index, a column. */
  elements(value: Value, indices: Value): Value {
    return this.op("GatherElements", [value, indices], { axis: { kind: "int", value: 1 } });
  }

  /** Finds the index of the first maximum of each row, as a vector. */
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

  /** Changes the shape; 0 keeps an axis, −1 stands for the rest. */
  reshape(value: Value, shape: readonly number[]): Value {
    return this.op("Reshape", [value, this.integers(shape)]);
  }

  /** Encodes class indices as rows of booleans with a single true value. */
  oneHot(indices: Value, count: number): Value {
    const all = this.integers(Array.from({ length: count }, (_, k) => k));
    return this.op("Equal", [this.reshape(indices, [-1, 1]), all]);
  }

  /** Repeats a constant row of doubles for each row of another value. */
  repeat(row: ArrayLike<number>, like: Value): Value {
    const rows = this.op("Shape", [like], {
      start: { kind: "int", value: 0 },
      end: { kind: "int", value: 1 },
    });
    const shape = this.concat([rows, this.integers([row.length])], 0);
    return this.op("Expand", [this.doubles(row, [1, row.length]), shape]);
  }

  /** Checks whether a node uses this operator, ignoring nested graphs. */
  uses(operator: string): boolean {
    return this.#nodes.some((node) => node.operator === operator);
  }

  /** Creates a nested graph for a loop. */
  inner(): Graph {
    return new Graph(`inner${++this.#count}.`);
  }

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

/** Maximum length of a constant that is compared with others. */
const SHORT = 16;

/** Returns a text that equal constants share; undefined for long ones. */
function makeKey({ shape, values }: ConstantTensor): string | undefined {
  if (values.length > SHORT) return undefined;
  const texts: string[] = [];
  for (const value of values) texts.push(Object.is(value, -0) ? "-0" : JSON.stringify(String(value)));
  return `${elementTypeOf(values)} [${shape.join()}] ${texts.join()}`;
}
