import { littleEndian, ProtoMessage } from "./protobuf.js";

/** Element types of tensors and their numbers in ONNX. */
export const ELEMENT_TYPES = { float: 1, int64: 7, string: 8, bool: 9, double: 11 } as const;

export type ElementType = keyof typeof ELEMENT_TYPES;

/** A constant tensor, whose type follows from its values. */
export interface ConstantTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array | Float64Array | BigInt64Array | Uint8Array | readonly string[];
}

/** Value of an attribute: one or several integers or floats, strings, a tensor or a graph. */
export type AttributeValue =
  | { readonly kind: "int"; readonly value: number }
  | { readonly kind: "ints"; readonly value: ArrayLike<number> }
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "floats"; readonly value: Float32Array }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "texts"; readonly value: readonly string[] }
  | { readonly kind: "graph"; readonly value: OnnxGraph };

/** A node of a graph: an operator with its inputs and outputs by name. */
export interface OnnxNode {
  readonly operator: string;
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

/** An input or output of a graph; a string in the shape is a dimension known only at run time. */
export interface OnnxValue {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly (number | string)[];
}

export interface OnnxGraph {
  readonly name: string;
  readonly nodes: readonly OnnxNode[];
  readonly constants: ReadonlyMap<string, ConstantTensor>;
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
}

/** A model: a graph, the operator versions that it uses, and metadata strings. */
export interface OnnxModel {
  readonly irVersion: number;
  /** Version of each operator domain; "" is ONNX itself. */
  readonly operatorSets: Readonly<Record<string, number>>;
  readonly producer: { readonly name: string; readonly version: string };
  readonly description: string;
  readonly graph: OnnxGraph;
  readonly metadata: Readonly<Record<string, string>>;
}

// Field numbers are defined in onnx.proto.

/** Encodes a model as protocol buffers. Throws if it is too large for one file. */
export function encodeModel(model: OnnxModel): Uint8Array {
  const message = new ProtoMessage()
    .integer(1, model.irVersion)
    .text(2, model.producer.name)
    .text(3, model.producer.version)
    .text(6, model.description)
    .message(7, graphMessage(model.graph));
  for (const [domain, version] of Object.entries(model.operatorSets)) {
    message.message(8, new ProtoMessage().text(1, domain).integer(2, version));
  }
  for (const [key, value] of Object.entries(model.metadata)) {
    message.message(14, new ProtoMessage().text(1, key).text(2, value));
  }
  return message.bytes();
}

function graphMessage({ name, nodes, constants, inputs, outputs }: OnnxGraph): ProtoMessage {
  const message = new ProtoMessage();
  for (const node of nodes) message.message(1, nodeMessage(node));
  message.text(2, name);
  for (const [constant, tensor] of constants) message.message(5, tensorMessage(constant, tensor));
  for (const input of inputs) message.message(11, valueMessage(input));
  for (const output of outputs) message.message(12, valueMessage(output));
  return message;
}

function nodeMessage({ operator, domain, inputs, outputs, attributes }: OnnxNode): ProtoMessage {
  const message = new ProtoMessage();
  for (const input of inputs) message.text(1, input);
  for (const output of outputs) message.text(2, output);
  message.text(3, outputs[0]).text(4, operator);
  for (const [name, value] of Object.entries(attributes)) message.message(5, attributeMessage(name, value));
  return domain === "" ? message : message.text(7, domain);
}

function attributeMessage(name: string, attribute: AttributeValue): ProtoMessage {
  const message = new ProtoMessage().text(1, name);
  const kind = (number: number) => message.integer(20, number);
  switch (attribute.kind) {
    case "float":
      message.float(2, attribute.value);
      return kind(1);
    case "int":
      message.integer(3, attribute.value);
      return kind(2);
    case "text":
      message.text(4, attribute.value);
      return kind(3);
    case "graph":
      message.message(6, graphMessage(attribute.value));
      return kind(5);
    case "floats":
      message.floats(7, attribute.value);
      return kind(6);
    case "ints":
      message.integers(8, attribute.value);
      return kind(7);
    case "texts":
      for (const text of attribute.value) message.text(9, text);
      return kind(8);
  }
}

function tensorMessage(name: string, { shape, values }: ConstantTensor): ProtoMessage {
  const message = new ProtoMessage().integers(1, shape).integer(2, ELEMENT_TYPES[elementTypeOf(values)]);
  if (values instanceof Uint8Array) return message.text(8, name).data(9, values);
  if (isTexts(values)) {
    for (const text of values) message.text(6, text);
    return message.text(8, name);
  }
  return message.text(8, name).data(9, new Uint8Array(littleEndian(values)));
}

function isTexts(values: ConstantTensor["values"]): values is readonly string[] {
  return Array.isArray(values);
}

/** Returns the element type of a tensor's values; bytes are booleans. */
export function elementTypeOf(values: ConstantTensor["values"]): ElementType {
  if (values instanceof Float64Array) return "double";
  if (values instanceof Float32Array) return "float";
  if (values instanceof BigInt64Array) return "int64";
  return values instanceof Uint8Array ? "bool" : "string";
}

function valueMessage({ name, type, shape }: OnnxValue): ProtoMessage {
  const dimensions = new ProtoMessage();
  for (const size of shape) {
    const dimension = new ProtoMessage();
    if (typeof size === "number") dimension.integer(1, size);
    else dimension.text(2, size);
    dimensions.message(1, dimension);
  }
  const tensor = new ProtoMessage().integer(1, ELEMENT_TYPES[type]).message(2, dimensions);
  return new ProtoMessage().text(1, name).message(2, new ProtoMessage().message(1, tensor));
}
