import { signal } from "@preact/signals";

/** The pages of the studio: three steps and the playground. */
export const PAGES = ["data", "train", "use", "playground"] as const;

export type PageName = (typeof PAGES)[number];

/** The page in the hash of the address, such as `#train`. Text after `?` belongs to the page. */
export const route = signal<PageName>(readPage(location.hash));

addEventListener("hashchange", () => {
  route.value = readPage(location.hash);
});

/** Navigates to a page. */
export function goTo(page: PageName): void {
  if (readPage(location.hash) !== page) location.hash = page;
  route.value = page;
}

/** Returns the file path in an address such as `#open=files/…/adult.csv`, and removes it from the address. */
export function takeOpened(): string | undefined {
  const path = /^#open=(.+)$/.exec(location.hash)?.[1];
  if (path === undefined) return undefined;
  history.replaceState(null, "", "#data");
  route.value = "data";
  return path;
}

function readPage(hash: string): PageName {
  const name = hash.slice(1).split("?")[0];
  return PAGES.find((page) => page === name) ?? "data";
}
