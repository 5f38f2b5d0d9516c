/**
 * Measures the built studio in Chromium and prints JSON: the time of the first paint, the bytes that a first visit fetches, the time
 * from dropping a file to the verdict, and the longest tasks of the page thread. Build first (`npm run build`). Run it on a quiet machine:
 *
 *     node packages/studio/measure.mjs                                    iris, forest
 *     node packages/studio/measure.mjs --learner race                     iris, the race that the page starts with
 *     node packages/studio/measure.mjs --rows 1000000 --learner boosted-trees
 *     node packages/studio/measure.mjs --trace FILE                       with a trace for the performance panel of the developer tools
 */
import { subscribe } from "node:diagnostics_channel";
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { browserFlags, findBrowser } from "../../scripts/browser.mjs";
import { serveStudio } from "../vouch/dist/process/studio-server.js";
import { studioHeaders, studioSite } from "./dist/index.js";

const { values: flags } = parseArgs({
  options: {
    rows: { type: "string" },
    columns: { type: "string", default: "20" },
    learner: { type: "string", default: "forest" },
    trace: { type: "string" },
  },
});

/** Trace categories for the page thread; with `--trace` also the running functions, which slows the page down. */
const TRACED = ["disabled-by-default-devtools.timeline", "blink.user_timing"];
const SAMPLED = ["devtools.timeline", "v8", "disabled-by-default-v8.cpu_profiler"];

const site = fileURLToPath(studioSite);
const folder = mkdtempSync(join(tmpdir(), "vouch-measure-"));
const iris = fileURLToPath(new URL("../datasets/data/iris.csv", import.meta.url));

/** Generates numeric rows whose class depends on three of the columns. */
async function generated(rows, columns) {
  const path = join(folder, "generated.csv");
  const out = createWriteStream(path);
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const names = Array.from({ length: columns - 1 }, (_, j) => `x${j}`);
  out.write(`${names.join(",")},label\n`);
  for (let start = 0; start < rows; start += 10_000) {
    const lines = [];
    for (let i = start; i < Math.min(rows, start + 10_000); i++) {
      const row = names.map(() => Number((random() * 200 - 100).toFixed(3)));
      const score = row[0] + 0.5 * row[1] * Math.sign(row[2]) + 60 * (random() - 0.5);
      lines.push(`${row.join(",")},${score > 0 ? "yes" : "no"}\n`);
    }
    if (!out.write(lines.join(""))) await new Promise((resolve) => out.once("drain", resolve));
  }
  out.end();
  await finished(out);
  return path;
}

/** Files sent by the server to the page, its workers and the service worker; repeated files count each time. */
const sent = [];
subscribe("http.server.response.finish", ({ request, response }) => {
  if (response.statusCode !== 200) return;
  const name = new URL(request.url, "http://localhost").pathname.slice(1) || "index.html";
  sent.push(gzipSync(readFileSync(join(site, name)), { level: 9 }).length);
});

function sentBytes() {
  return sent.reduce((sum, bytes) => sum + bytes, 0);
}

/** Runs in the page: collects tasks above 50 ms. */
function observeLongTasks() {
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      globalThis.longTasks.push({ at: Math.round(startTime), ms: Math.round(duration) });
    }
  }).observe({ type: "longtask", buffered: true });
}

const path = flags.rows === undefined ? iris : await generated(Number(flags.rows), Number(flags.columns));
const server = await serveStudio({ site, headers: studioHeaders, host: "127.0.0.1" });
const browser = await chromium.launch({ executablePath: findBrowser(), headless: true, args: browserFlags });
try {
  const measured = await measure(await openedPage());
  console.log(JSON.stringify(measured, undefined, 2));
} finally {
  await browser.close();
  server.close();
  rmSync(folder, { recursive: true });
}

async function openedPage() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(flags.rows === undefined ? 120_000 : 1_800_000);
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(error.message));
  page.on("console", (message) => message.type() === "error" && console.error(message.text()));
  await page.addInitScript(observeLongTasks);
  await browser.startTracing(page, {
    categories: [...TRACED, ...(flags.trace === undefined ? [] : SAMPLED)],
  });
  await page.goto(server.address);
  await page.getByRole("heading", { level: 2 }).first().waitFor();
  return page;
}

/** Drops the file, trains and waits for the verdict. */
async function measure(page) {
  const firstPaint = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0].startTime,
  );
  const painted = sentBytes();
  await page.evaluate(() => navigator.serviceWorker.ready);
  const firstVisit = { bytes: sentBytes(), files: sent.length };
  const times = await trainInPage(page);
  // A last task may follow the verdict.
  await page.waitForTimeout(2000);
  const tasks = await page.evaluate(() => globalThis.longTasks);
  const trace = await browser.stopTracing();
  if (flags.trace !== undefined) writeFileSync(flags.trace, trace);
  return {
    firstPaintMs: Math.round(firstPaint),
    gzipBytes: { painted, firstVisit: firstVisit.bytes, withReport: sentBytes() },
    filesOfFirstVisit: firstVisit.files,
    learner: flags.learner,
    ...times,
    longTasks: tasks.filter(({ at }) => at >= times.droppedAt),
    longTasksOfLoading: tasks.filter(({ at }) => at < times.droppedAt),
    mostProcessorTime: mostProcessorTime(JSON.parse(trace).traceEvents),
    peakMemoryMB: await peakMemory(),
  };
}

async function trainInPage(page) {
  const isRace = flags.learner === "race";
  const now = () => page.evaluate(() => performance.now());
  const droppedAt = await page.evaluate(() => performance.mark("dropped").startTime);
  await page.locator("input[type=file]").first().setInputFiles(path);
  const next = page.getByRole("button", { name: "Next: train" });
  await next.waitFor();
  const readAt = await now();
  await next.click();
  if (!isRace) await page.getByLabel("Learner").selectOption(flags.learner);
  await page.getByRole("button", { name: isRace ? "Start the race" : /^Train / }).click();
  await page.locator(".verdict").first().waitFor();
  const verdictAt = await now();
  return {
    droppedAt: Math.round(droppedAt),
    readMs: Math.round(readAt - droppedAt),
    dropToVerdictMs: Math.round(verdictAt - droppedAt),
  };
}

/**
 * Lists the tasks of the page thread with the most processor time after the drop; these times depend little on other
 * programs.
 */
function mostProcessorTime(events) {
  const { pid, tid, ts } = events.find(({ name }) => name === "dropped");
  return events
    .filter((event) => event.name === "RunTask" && event.pid === pid && event.tid === tid && event.ts >= ts)
    .sort((a, b) => b.tdur - a.tdur)
    .slice(0, 5)
    .map(({ dur, tdur }) => ({ ms: Math.round(dur / 1000), processorMs: Math.round(tdur / 1000) }));
}

/** Reads the peak resident memory of the processes of the page and its workers; Linux only. */
async function peakMemory() {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const peaks = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => {
      const status = existsSync(`/proc/${id}/status`) ? readFileSync(`/proc/${id}/status`, "utf8") : "";
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    });
  return Math.round(Math.max(0, ...peaks));
}
