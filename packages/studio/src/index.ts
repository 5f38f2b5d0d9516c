/**
 * Locates the files of the studio for servers: a static folder for any host.
 *
 * @packageDocumentation
 */

/** The folder with the built page, as a URL. */
export const studioSite = new URL("./site/", import.meta.url);

/** The port of `vouch studio`. It is fixed, so that the browser finds the last session and links keep working. */
export const studioPort = 8687;

/** Content security policy of the page, also in `index.html`. As a header it applies to workers, too. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Headers for every file. They let the page share memory with its threads, and keep all requests at its own origin. */
export const studioHeaders: Readonly<Record<string, string>> = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Content-Security-Policy": contentPolicy,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};
