import type { Fault } from "../engine/protocol.js";

/** Shows what is wrong and what to do. */
export function FaultBox({ fault }: { readonly fault: Fault | undefined }) {
  return (
    <div role="alert">
      {fault && (
        <div class="fault">
          <p>
            <strong>{fault.message}</strong>
          </p>
          {fault.hint !== undefined && <p>{fault.hint}</p>}
        </div>
      )}
    </div>
  );
}
