import type { Fault } from "../engine/protocol.js";

/** Shows an error and its hint. */
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
