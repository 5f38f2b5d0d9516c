import { sha256 } from "@vouch/core/internal/train/sha256";
import { styleSheet, toBase64 } from "@vouch/views";
import { renderStatic } from "@vouch/views/internal/page/static";
import type { VNode } from "preact";

/** Content of a page. */
interface PageContent {
  readonly title: string;
  readonly version: string;
  readonly body: VNode;
  /** Additional elements at the end of the page, and the script that hydrates it. */
  readonly data?: string | undefined;
  readonly script?: PageScript | undefined;
}

/** A script, and the digest that the policy allows. */
export interface PageScript {
  readonly text: string;
  readonly digest: string;
}

/** Computes the digest of a script for the content security policy. */
export async function pageScript(text: string): Promise<PageScript> {
  const digest = sha256();
  digest.update(new TextEncoder().encode(text));
  const bytes = (await digest.hex()).match(/../g) ?? [];
  return { text, digest: toBase64(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16))) };
}

/** Allows only content of the file itself: styles, the empty icon, and the script, which runs compiled kernels. */
function contentPolicy(script: PageScript | undefined): string {
  const own =
    "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; img-src data:";
  return script ? `${own}; script-src 'sha256-${script.digest}' 'wasm-unsafe-eval'` : own;
}

/** Renders a complete HTML file without external resources. */
export function page({ title, version, body, data = "", script }: PageContent): string {
  const head = (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta http-equiv="Content-Security-Policy" content={contentPolicy(script)} />
      <meta name="color-scheme" content="light dark" />
      <link rel="icon" href="data:," />
      <title>{title}: vouch report</title>
      <style dangerouslySetInnerHTML={{ __html: styleSheet }} />
    </head>
  );
  return `<!doctype html>
<html lang="en">
${renderStatic(head)}
<body>
${renderStatic(body)}
${renderStatic(<footer>Made by vouch {version}. This page sends and loads nothing.</footer>)}
${data}${script ? `<script>${script.text}</script>` : ""}
</body>
</html>
`;
}
