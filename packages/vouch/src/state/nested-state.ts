import type { Json, State, Tensor } from "./state.js";

/** The tensors of a part under the names that they have in the whole. */
export function withPrefix(tensors: State["tensors"], prefix: string): Record<string, Tensor> {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [prefix + name, tensor]));
}

/** The state of the part whose tensors have the prefix. */
export function nestedState(tensors: State["tensors"], prefix: string, json: Json): State {
  const own = Object.entries(tensors).filter(([name]) => name.startsWith(prefix));
  return {
    json,
    tensors: Object.fromEntries(own.map(([name, tensor]) => [name.slice(prefix.length), tensor])),
  };
}

/** The tensors of each part of a whole, by the part's name, which ends at the first dot. */
export function tensorsByPart(tensors: State["tensors"]): Map<string, Record<string, Tensor>> {
  const parts = new Map<string, Record<string, Tensor>>();
  for (const [name, tensor] of Object.entries(tensors)) {
    const dot = name.indexOf(".");
    const part = parts.get(name.slice(0, dot)) ?? {};
    part[name.slice(dot + 1)] = tensor;
    parts.set(name.slice(0, dot), part);
  }
  return parts;
}
