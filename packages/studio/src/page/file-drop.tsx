import { useState } from "preact/hooks";
import type { NamedFile } from "../engine/protocol.js";

interface FileDropProps {
  readonly label: string;
  readonly hint: string;
  readonly accept?: string;
  readonly onFile: (file: NamedFile) => void;
}

/** Takes a file that the user drops or chooses. */
export function FileDrop({ label, hint, accept, onFile }: FileDropProps) {
  const [isOver, setOver] = useState(false);
  const take = (file: File | undefined) => file && onFile({ name: file.name, file });
  return (
    <label
      class={isOver ? "drop over" : "drop"}
      onDragEnter={() => setOver(true)}
      onDragLeave={() => setOver(false)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        setOver(false);
        take(event.dataTransfer?.files[0]);
      }}
    >
      <strong>{label}</strong>
      <span class="hint">{hint}</span>
      <input
        type="file"
        {...(accept !== undefined && { accept })}
        onChange={({ currentTarget }) => {
          take(currentTarget.files?.[0]);
          // The same file can be chosen again after it was changed.
          currentTarget.value = "";
        }}
      />
    </label>
  );
}
