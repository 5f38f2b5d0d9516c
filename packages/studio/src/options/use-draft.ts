import type { TargetedEvent, TargetedInputEvent } from "preact";
import { useState } from "preact/hooks";

/**
 * Makes the properties of an input whose text counts when the user leaves it. Until then, the text stays as typed, even
 * if the page is rendered again. `commit` takes the text and returns whether it was accepted; rejected text stays.
 */
export function useDraft(value: string, commit: (text: string, input: HTMLInputElement) => boolean) {
  const [draft, setDraft] = useState<string>();
  return {
    value: draft ?? value,
    onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => setDraft(currentTarget.value),
    onChange: ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
      if (commit(currentTarget.value.trim(), currentTarget)) setDraft(undefined);
    },
  };
}
