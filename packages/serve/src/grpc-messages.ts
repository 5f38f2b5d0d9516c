import { countElements, type InputTensor } from "./input-tensors.js";
import { checkRows, checkUnusedColumns, type ServeLimits } from "./limits.js";
import type { OutputTensor } from "./output-tensors.js";
import { asObject } from "./request-body.js";
import { ServiceError } from "./service-error.js";
import {
  checkDatatype,
  decodeTensor,
  decodeText,
  encodeTensor,
  exactNumbers,
  type TensorCells,
} from "./tensor-data.js";

type Message = Readonly<Record<string, unknown>>;

/** An inference request as delivered by gRPC. */
export interface GrpcInferRequest {
  readonly name: string;
  readonly version: string;
  readonly id: string;
  readonly inputs: readonly InputTensor[];
  readonly outputs: readonly string[];
  /** Whether the contents were raw bytes; the answer then uses raw bytes, too. */
  readonly raw: boolean;
}

/** Returns a string field of a message; "" if it is not set. */
export function textField(message: unknown, name: string): string {
  const value = asObject(message)?.[name];
  return typeof value === "string" ? value : "";
}

function listField(message: unknown, name: string): readonly unknown[] {
  const value = asObject(message)?.[name];
  return Array.isArray(value) ? value : [];
}

/** Reads the message ModelInferRequest. Throws if it has many more inputs than the model has columns. */
export function readGrpcRequest(request: unknown, columns: number, limits: ServeLimits): GrpcInferRequest {
  const inputs = listField(request, "inputs");
  checkUnusedColumns(limits, inputs.length - columns);
  const contents = listField(request, "raw_input_contents");
  const raw = contents.length > 0;
  if (raw && contents.length !== inputs.length) {
    throw new ServiceError(
      400,
      `There are ${inputs.length} inputs, but ${contents.length} raw_input_contents.`,
    );
  }
  return {
    name: textField(request, "model_name"),
    version: textField(request, "model_version"),
    id: textField(request, "id"),
    inputs: inputs.map((input, i) => readInput(input, raw ? contents[i] : undefined, limits)),
    outputs: listField(request, "outputs").map((output) => textField(output, "name")),
    raw,
  };
}

function readInput(input: unknown, raw: unknown, limits: ServeLimits): InputTensor {
  const name = textField(input, "name");
  const datatype = textField(input, "datatype");
  checkDatatype(name, datatype);
  const shape = listField(input, "shape").map(Number);
  const count = countElements(name, shape);
  if (shape.length > 0) checkRows(limits, shape[0]);
  const cells =
    raw instanceof Uint8Array
      ? decodeTensor(name, datatype, raw, count)
      : typedContents(name, datatype, asObject(asObject(input)?.contents) ?? {});
  if (cells.length === count) return { name, shape, cells };
  throw new ServiceError(400, `Tensor "${name}" has ${cells.length} elements, but its shape has ${count}.`, {
    hint: "Contents are in the field for the data type, such as fp64_contents for FP64.",
  });
}

/** Field of `InferTensorContents` for each data type; FP16 has none. */
const FIELDS: Readonly<Record<string, string>> = {
  BOOL: "bool_contents",
  INT8: "int_contents",
  INT16: "int_contents",
  INT32: "int_contents",
  INT64: "int64_contents",
  UINT8: "uint_contents",
  UINT16: "uint_contents",
  UINT32: "uint_contents",
  UINT64: "uint64_contents",
  FP32: "fp32_contents",
  FP64: "fp64_contents",
  BYTES: "bytes_contents",
};

function typedContents(tensor: string, datatype: string, contents: Message): TensorCells {
  const field = FIELDS[datatype];
  if (field === undefined) {
    throw new ServiceError(400, `Tensor "${tensor}": ${datatype} must be sent as raw_input_contents.`);
  }
  const cells = listField(contents, field);
  if (datatype === "BYTES") {
    return cells.map((cell, i) => (cell instanceof Uint8Array ? decodeText(tensor, i, cell) : ""));
  }
  if (datatype === "INT64" || datatype === "UINT64") {
    return exactNumbers(cells.map((cell) => BigInt(String(cell))));
  }
  return datatype === "FP32" ? Float32Array.from(cells, Number) : cells;
}

/** Converts facts into parameters: strings and booleans as they are, everything else as JSON. */
export function grpcParameters(facts: object): Record<string, object> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === "boolean"
        ? { bool_param: value }
        : { string_param: typeof value === "string" ? value : JSON.stringify(value) },
    ]),
  );
}

/** Builds the message ModelInferResponse. */
export function grpcResponse(
  facts: { readonly model_name: string; readonly model_version: string; readonly id: string },
  outputs: readonly OutputTensor[],
  raw: boolean,
): object {
  return {
    ...facts,
    outputs: outputs.map(({ name, datatype, shape, data }) => ({
      name,
      datatype,
      shape,
      ...(!raw && { contents: { [FIELDS[datatype]]: tensorContents(data) } }),
    })),
    raw_output_contents: raw ? outputs.map(({ data }) => encodeTensor(data)) : [],
  };
}

function tensorContents(data: OutputTensor["data"]): readonly unknown[] {
  return Array.from<string | number | boolean, unknown>(data, (each) =>
    typeof each === "string" ? Buffer.from(each, "utf8") : each,
  );
}
