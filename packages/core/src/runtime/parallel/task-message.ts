import { attachWasmMemory, WasmMemory, type WasmMemoryHandle } from "../wasm/wasm-memory.js";
import { WasmStructure } from "../wasm/wasm-structure.js";

/** The input of a task as it is posted to a thread. */
export interface TaskMessage {
  readonly input: unknown;
  /** Handles that stand in the input for memories: the same objects, which cloning keeps. */
  readonly memories: readonly WasmMemoryHandle[];
}

/**
 * Packs the input of a task: each `WasmMemory` becomes its handle, each `WasmStructure` a plain object of its fields. Inputs are
 * searched in plain objects and in arrays, except for arrays that begin with a string or a number.
 */
export function packInput(input: unknown): TaskMessage {
  const handles = new Map<WasmMemory, WasmMemoryHandle>();
  const packed = replaceIn(input, (value) => {
    if (!(value instanceof WasmMemory)) return undefined;
    // A copy, because an input may contain the handle itself, too.
    const handle = handles.get(value) ?? { ...value.handle };
    handles.set(value, handle);
    return handle;
  });
  return { input: packed, memories: [...handles.values()] };
}

/** Unpacks an input on the thread that got it: attaches its memories. */
export function unpackInput({ input, memories }: TaskMessage): unknown {
  if (memories.length === 0) return input;
  const attached = new Map<unknown, WasmMemory>();
  for (const handle of memories) attached.set(handle, attachWasmMemory(handle));
  return replaceIn(input, (value) => attached.get(value));
}

/**
 * Copies plain objects and arrays that contain an object with a replacement; all else stays the same object. An object that
 * occurs several times is replaced once, also across calls with the same `known`.
 */
export function replaceIn(
  value: unknown,
  replace: (value: object) => object | undefined,
  known: Map<object, object> = new Map(),
): unknown {
  if (typeof value !== "object" || value === null) return value;
  const result = known.get(value) ?? replace(value) ?? replaceInside(value, replace, known);
  known.set(value, result);
  return result;
}

function replaceInside(
  value: object,
  replace: (value: object) => object | undefined,
  known: Map<object, object>,
): object {
  // An object that contains itself stays as it is.
  known.set(value, value);
  const container: object = value instanceof WasmStructure ? { ...value } : value;
  if (!isSearched(container)) return value;
  let changed = container !== value;
  const entries = Object.entries(container).map(([key, inside]) => {
    const replaced = replaceIn(inside, replace, known);
    changed ||= replaced !== inside;
    return [key, replaced] as const;
  });
  if (!changed) return value;
  return Array.isArray(value) ? entries.map(([, inside]) => inside) : Object.fromEntries(entries);
}

function isSearched(value: object): boolean {
  if (Array.isArray(value)) return typeof value[0] !== "string" && typeof value[0] !== "number";
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
