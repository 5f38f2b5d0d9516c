import type { State } from "#core/runtime/codec/state.js";

/** Expects that something is refused as the state of a model. */
export type Refuse = (broken: unknown) => void;

/** Expects refusal of a state whose tensors are missing, of another shape or type, or not numbers, one at a time. */
export function refuseDamagedTensors({ json, tensors }: State, refuse: Refuse): void {
  for (const name of Object.keys(tensors)) {
    const { [name]: removed, ...rest } = tensors;
    refuse({ json, tensors: rest });
    refuse({ json, tensors: { ...tensors, [name]: { ...removed, shape: [1, 1, 1] } } });
    refuse({
      json,
      tensors: { ...tensors, [name]: { ...removed, data: new Uint8Array(removed.data.length) } },
    });
    if (removed.data instanceof Float64Array) {
      const data = removed.data.map((value, k) => (k === 0 ? Number.NaN : value));
      refuse({ json, tensors: { ...tensors, [name]: { ...removed, data } } });
    }
  }
}
