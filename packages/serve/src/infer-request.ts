import { countElements, type InputTensor } from "./input-tensors.js";
import { checkRows, checkUnusedColumns, type ServeLimits } from "./limits.js";
import type { RequestedOutput } from "./output-tensors.js";
import { asObject, parseBody } from "./request-body.js";
import { ServiceError } from "./service-error.js";
import { checkDatatype, decodeTensor, type TensorCells } from "./tensor-data.js";

/** An inference request of the Open Inference Protocol. */
export interface InferRequest {
  readonly id: string | undefined;
  readonly inputs: readonly InputTensor[];
  readonly outputs: readonly RequestedOutput[];
  /** Whether outputs are binary by default. */
  readonly binaryOutputs: boolean;
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads the body of a request. If `jsonLength` is given (the header Inference-Header-Content-Length), that many bytes
 * are JSON, followed by the binary tensors in the order of the inputs. Throws if there are many more inputs than the
 * model has columns.
 */
export function readInferRequest(
  body: unknown,
  jsonLength: string | undefined,
  columns: number,
  limits: ServeLimits,
): InferRequest {
  const bytes = body instanceof Uint8Array ? body : new Uint8Array(0);
  const length = jsonLength === undefined ? bytes.length : readLength(jsonLength, bytes.length);
  const request = asObject(parseBody(bytes.subarray(0, length)));
  if (!request) throw malformed("The request is not an object.");
  const { id, inputs, outputs = [], parameters } = request;
  if (id !== undefined && typeof id !== "string") throw malformed("id is not a string.");
  if (!Array.isArray(inputs)) throw malformed("inputs is not an array.");
  if (!Array.isArray(outputs)) throw malformed("outputs is not an array.");
  checkUnusedColumns(limits, inputs.length - columns);
  const binaryOutputs = asObject(parameters)?.binary_data_output === true;
  const contents = new BinaryContents(bytes.subarray(length));
  const tensors = inputs.map((input) => readInput(input, contents, limits));
  contents.checkEnd();
  return {
    id,
    inputs: tensors,
    outputs: outputs.map((each) => readOutput(each, binaryOutputs)),
    binaryOutputs,
  };
}

function readLength(text: string, available: number): number {
  const length = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (length <= available) return length;
  throw malformed(
    `Inference-Header-Content-Length is "${text.slice(0, 40)}", but the body has ${available} bytes.`,
  );
}

/** The bytes after the JSON of a request, consumed input by input. */
class BinaryContents {
  readonly #bytes: Uint8Array;
  #taken = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(tensor: string, size: number): Uint8Array {
    const left = this.#bytes.length - this.#taken;
    if (!Number.isSafeInteger(size) || size < 0 || size > left) {
      throw malformed(`Tensor "${tensor}": binary_data_size is ${size}, but ${left} bytes are left.`);
    }
    this.#taken += size;
    return this.#bytes.subarray(this.#taken - size, this.#taken);
  }

  checkEnd(): void {
    const left = this.#bytes.length - this.#taken;
    if (left > 0) throw malformed(`${left} bytes after the JSON belong to no tensor.`);
  }
}

function readInput(given: unknown, contents: BinaryContents, limits: ServeLimits): InputTensor {
  const input = asObject(given);
  if (!input || typeof input.name !== "string") throw malformed("An input has no name.");
  const { name, datatype, shape, data } = input;
  if (typeof datatype !== "string") throw malformed(`Tensor "${name}" has no datatype.`);
  checkDatatype(name, datatype);
  if (!Array.isArray(shape)) throw malformed(`Tensor "${name}" has no shape.`);
  const count = countElements(name, shape);
  if (shape.length > 0) checkRows(limits, shape[0]);
  const size = asObject(input.parameters)?.binary_data_size;
  const cells =
    size === undefined
      ? flattened(name, data, count, shape)
      : decodeTensor(name, datatype, contents.take(name, Number(size)), count);
  return { name, shape, cells };
}

/**
 * Flattens the data of a tensor. The data must be flat or nested exactly as the shape says; transposed data would be
 * other rows.
 */
function flattened(tensor: string, data: unknown, count: number, shape: readonly number[]): TensorCells {
  if (!Array.isArray(data)) throw malformed(`Tensor "${tensor}" has no data.`);
  let cells: readonly unknown[] = data;
  for (let axis = 0; axis + 1 < shape.length && Array.isArray(cells[0]); axis++) {
    const size = shape[axis + 1];
    const odd = cells.find((cell) => !Array.isArray(cell) || cell.length !== size);
    if ((axis === 0 && cells.length !== shape[0]) || odd !== undefined) {
      throw malformed(`Tensor "${tensor}": the data are not nested as the shape [${shape.join(", ")}] says.`);
    }
    cells = cells.flat();
  }
  if (cells.length === count) return cells;
  throw malformed(`Tensor "${tensor}" has ${cells.length} elements, but its shape has ${count}.`);
}

function readOutput(given: unknown, binaryByDefault: boolean): RequestedOutput {
  const output: JsonObject | undefined = asObject(given);
  if (!output || typeof output.name !== "string") throw malformed("An output has no name.");
  const binary = asObject(output.parameters)?.binary_data;
  return { name: output.name, binary: typeof binary === "boolean" ? binary : binaryByDefault };
}

function malformed(message: string): ServiceError {
  return new ServiceError(400, message, {
    hint: "The Open Inference Protocol (V2) describes the request; see docs/serve.md.",
  });
}
