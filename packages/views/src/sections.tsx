import type { ComponentChildren } from "preact";

interface SectionProps {
  readonly heading: string;
  readonly children: ComponentChildren;
}

/** Turns a heading into the address of its section: `How did training go?` is at `#how-did-training-go`. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "");
}

/** Shows panels under a heading. */
export function Section({ heading, children }: SectionProps) {
  return (
    <section id={anchor(heading)}>
      <h2>{heading}</h2>
      {children}
    </section>
  );
}

/** Shows panels that are folded under their heading until a person opens them; printed pages show them. */
export function Fold({ heading, children }: SectionProps) {
  return (
    <details class="fold" id={anchor(heading)}>
      <summary>
        <h2>{heading}</h2>
      </summary>
      {children}
    </details>
  );
}

/** Lists sentences; nothing without any. */
export function NoticeList({ notices }: { readonly notices: readonly string[] }) {
  if (notices.length === 0) return null;
  return (
    <ul class="notices">
      {notices.map((notice) => (
        <li key={notice}>{notice}</li>
      ))}
    </ul>
  );
}

/** Shows a command to copy; it breaks between words. */
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
