import type { ComponentChildren, Ref } from "preact";
import { Sentences } from "../text/name.js";
import { LazyPanel } from "./lazy-render.js";

interface SectionProps {
  readonly heading: string;
  readonly children: ComponentChildren;
}

/** Turns a heading into an anchor: `How did training go?` becomes `how-did-training-go`. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "");
}

/** Shows panels under a heading; a script can move the focus to a section with a reference. */
export function Section({ heading, place, children }: SectionProps & { readonly place?: Ref<HTMLElement> }) {
  return (
    <section class="part" id={anchor(heading)} ref={place ?? null} {...(place && { tabIndex: -1 })}>
      <h2>{heading}</h2>
      {children}
    </section>
  );
}

/** Folds panels under their heading; printed pages show them. */
export function Fold({ heading, children }: SectionProps) {
  return (
    <details class="fold" id={anchor(heading)}>
      <summary>
        <h2>{heading}</h2>
      </summary>
      <LazyPanel>{children}</LazyPanel>
    </details>
  );
}

/** Lists sentences; renders nothing if there are none. */
export function NoticeList({ notices }: { readonly notices: readonly string[] }) {
  if (notices.length === 0) return null;
  return (
    <ul class="notices">
      {notices.map((notice) => (
        <li key={notice}>
          <Sentences text={notice} />
        </li>
      ))}
    </ul>
  );
}

/** Shows a command to copy; lines break between words. */
export function CommandBlock({ command }: { readonly command: string }) {
  const words = command.split(" ");
  return (
    <pre>
      <code>
        {words.map((word, i) => (
          <>
            <span>{word}</span>
            {i < words.length - 1 && " "}
          </>
        ))}
      </code>
    </pre>
  );
}
