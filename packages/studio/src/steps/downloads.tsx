import { useState } from "preact/hooks";
import type { ModelResult } from "../engine/protocol.js";
import { saveAs } from "../page/files.js";

/** Offers the model file, and the command and the program that train the same model. */
export function Downloads({ result: { overview, model } }: { readonly result: ModelResult }) {
  const { command, program } = overview;
  return (
    <section aria-labelledby="downloads-title">
      <h3 id="downloads-title">Take it with you</h3>
      <p class="actions">
        <button type="button" class="main" onClick={() => saveAs("model.safetensors", new Blob([model]))}>
          Download the model
        </button>
        {program !== undefined && (
          <button
            type="button"
            onClick={() => saveAs("train.mjs", new Blob([program], { type: "text/javascript" }))}
          >
            Download the program
          </button>
        )}
      </p>
      {command !== undefined && <Command text={command} />}
    </section>
  );
}

function Command({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div class="command">
      <p>This command trains the same model, byte for byte:</p>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <button type="button" onClick={() => void copy().catch(() => setCopied(false))}>
        Copy the command
      </button>{" "}
      <span role="status">{isCopied && "Copied."}</span>
    </div>
  );
}
