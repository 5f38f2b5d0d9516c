/**
 * Caches the files of the studio for offline use, answers from the network first and then from the cache, and isolates
 * the page.
 */

/** Files that the first visit caches, files that are cached on first use, and a digest of all. */
declare const SITE_FILES: readonly string[];
declare const LATER_FILES: readonly string[];
declare const SITE_VERSION: string;

interface WaitingEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchEvent extends WaitingEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

interface Events {
  readonly install: WaitingEvent;
  readonly activate: WaitingEvent;
  readonly fetch: FetchEvent;
}

/** The part of the service worker scope that this script uses. */
declare const self: {
  readonly clients: { claim(): Promise<void> };
  readonly registration: { readonly scope: string };
  addEventListener<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): void;
};

const CACHE = `vouch-studio-${SITE_VERSION}`;

function siteAddress(name: string): string {
  return new URL(name, self.registration.scope).href;
}

self.addEventListener("install", (event) => {
  const load = async () => {
    const cache = await caches.open(CACHE);
    // The HTTP cache may contain files of the previous build.
    await cache.addAll(SITE_FILES.map((name) => new Request(siteAddress(name), { cache: "no-cache" })));
  };
  event.waitUntil(load());
});

// A newer worker waits until the pages of this one are closed, because they need the files in this cache.
self.addEventListener("activate", (event) => {
  const takeOver = async () => {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith("vouch-studio-") && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(takeOver());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(self.registration.scope)) return;
  event.respondWith(answer(request).then(isolated));
});

/** Headers that threads need to share memory; hosts such as GitHub Pages do not send them. */
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Adds missing headers, so that the page can use all threads from the second visit on. */
function isolated(response: Response): Response {
  const isRedirection = response.status === 0;
  if (isRedirection || response.headers.has("Cross-Origin-Embedder-Policy")) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ISOLATION)) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

/** Answers from the network, or from the cache if it is down or the host has a newer build without this file. */
async function answer(request: Request): Promise<Response> {
  const cached = () => caches.match(request, { ignoreSearch: true });
  try {
    const response = await fetch(request);
    if (!response.ok) return (await cached()) ?? response;
    if (LATER_FILES.some((name) => siteAddress(name) === request.url)) {
      await (await caches.open(CACHE)).put(request, response.clone());
    }
    return response;
  } catch (error) {
    const found = await cached();
    if (found) return found;
    throw error;
  }
}
