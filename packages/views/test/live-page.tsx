import { fileURLToPath } from "node:url";
import { styleSheet } from "@vouch/views";
import { renderStatic } from "@vouch/views/internal/page/static";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import type { VNode } from "preact";
import { startBrowser, watch } from "../../../scripts/test-browser.js";

/** Panels in a page of a browser, with a script that makes them alive. */
export interface LivePage {
  readonly browser: Browser;
  readonly page: Page;
  readonly complaints: readonly string[];
  /** The bundled script. */
  readonly bundle: string;
}

/** Renders panels as a report does, and opens them in a browser with a script that may import the views. */
export async function openPanels(
  panels: VNode,
  script: string,
  viewport: { readonly width: number; readonly height: number },
): Promise<LivePage> {
  const [browser, { outputFiles }] = await Promise.all([
    startBrowser(),
    build({
      stdin: { contents: script, resolveDir: fileURLToPath(new URL("..", import.meta.url)) },
      bundle: true,
      write: false,
      minify: true,
      format: "iife",
      platform: "browser",
      logLevel: "silent",
    }),
  ]);
  const bundle = outputFiles[0].text;
  const page = await browser.newPage({ viewport });
  const { complaints } = watch(page);
  await page.setContent(
    `<!doctype html><html lang="en"><head><title>Panels</title><style>${styleSheet}</style></head><body>${renderStatic(panels)}</body></html>`,
  );
  await page.addScriptTag({ content: bundle });
  return { browser, page, complaints, bundle };
}
