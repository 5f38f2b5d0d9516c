import { isUtf8 } from "node:buffer";
import { ServiceError } from "./service-error.js";

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** Content type of binary tensors in the Open Inference Protocol. */
const BINARY_TYPE = /^application\/octet-stream\s*(?:;|$)/i;

/**
 * Throws 415 unless a request declares JSON. Browsers send other types, or none, to other sites without asking the
 * server first.
 */
export function checkJsonType(contentType: string | undefined): void {
  if (contentType === undefined || !JSON_TYPE.test(contentType)) throw unknownType(contentType);
}

/** Throws 415 if a request of the Open Inference Protocol has another type. Triton's Python client sends no type. */
export function checkTensorType(contentType: string | undefined): void {
  if (contentType === undefined || JSON_TYPE.test(contentType) || BINARY_TYPE.test(contentType)) return;
  throw unknownType(contentType);
}

function unknownType(contentType: string | undefined): ServiceError {
  const given =
    contentType === undefined ? "no Content-Type" : `the Content-Type "${contentType.slice(0, 100)}"`;
  return new ServiceError(415, `The request has ${given}.`, {
    hint: "Send JSON with Content-Type: application/json (curl: -H 'Content-Type: application/json').",
  });
}

/** Parses a JSON body. Throws 400 if it is not JSON in UTF-8. */
export function parseBody(body: unknown): unknown {
  if (!(body instanceof Uint8Array) || body.length === 0) {
    throw new ServiceError(400, "The request has no body.", { hint: "Send JSON." });
  }
  if (!isUtf8(body))
    throw new ServiceError(400, "The request is not UTF-8 text.", { hint: "Send JSON in UTF-8." });
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "";
    throw new ServiceError(400, `The request is not JSON: ${reason.slice(0, 200)}.`, {
      hint: "Numbers have a decimal point and no leading zero; NaN is null; strings are in double quotes.",
    });
  }
}

/** Returns a value as an object with properties; undefined if it is not one. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined;
}

/** Checks whether a value is an object rather than an array or null. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
