/**
 * Where the files of the studio are, for servers: a static folder that any host can serve.
 *
 * @packageDocumentation
 */

/** The folder with the built page, as a URL. */
export const studioSite = new URL("./site/", import.meta.url);

/** The port of `vouch studio`: always the same one, so that the browser finds the session of the last visit, and links lead to the page. */
export const studioPort = 8687;

/** The policy of the page, which `index.html` has, too: as a header it also holds for workers. */
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

/** Headers of every file: they let the page share memory with its threads, and keep every request of page and workers at its own origin. */
export const studioHeaders: Readonly<Record<string, string>> = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Content-Security-Policy": contentPolicy,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};
