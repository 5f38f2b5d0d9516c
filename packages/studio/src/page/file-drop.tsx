import { useState } from "preact/hooks";
import type { NamedFile } from "../engine/protocol.js";

interface FileDropProps {
  readonly label: string;
  readonly hint: string;
  readonly accept?: string;
  readonly onFile: (file: NamedFile) => void;
}

/** Accepts a file by drag and drop or by choice. */
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
      <svg viewBox="0 0 24 24" width="32" height="32" aria-hidden="true">
        <path d="M12 16V4m0 0L7 9m5-5l5 5M4 15v4a1 1 0 001 1h14a1 1 0 001-1v-4" />
      </svg>
      <strong>{label}</strong>
      <span class="choose" aria-hidden="true">
        Choose a file
      </span>
      <span class="hint">{hint}</span>
      <input
        type="file"
        {...(accept !== undefined && { accept })}
        onChange={({ currentTarget }) => {
          take(currentTarget.files?.[0]);
          // Lets the user choose the same file again after a change.
          currentTarget.value = "";
        }}
      />
    </label>
  );
}
