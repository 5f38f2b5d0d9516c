/** `npm run site:test`: what visitors of the built site rely on. Run `npm run site` first. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { browserFlags, findBrowser } from "../scripts/browser.mjs";
import { basePath, fileFor, serveSite, site } from "./serve-site.mjs";

/** The built pages of the documentation; the studio is a page of its own. */
const pages = readdirSync(site, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".html") && name !== "404.html" && !name.startsWith("studio/"));

const read = (name) => readFileSync(join(site, name), "utf8");

/** What a page links to or loads, as addresses relative to the host. */
function addressesOn(page) {
  const found = read(page).matchAll(/<(?:a|link|script|img)\b[^>]*?\b(?:href|src)="([^"]*)"/g);
  return Array.from(
    found,
    ([, address]) => new URL(address.replaceAll("&amp;", "&"), `http://site${basePath()}${page}`),
  );
}

const idsOf = new Map();
function hasId(file, id) {
  if (!idsOf.has(file)) {
    const found = readFileSync(file, "utf8").matchAll(/\bid="([^"]*)"/g);
    idsOf.set(file, new Set(Array.from(found, ([, name]) => name)));
  }
  return idsOf.get(file).has(id);
}

test("no link is broken, none leads to the reader's computer, and every page is linked", () => {
  assert.ok(pages.length > 60);
  const broken = [];
  const reached = new Set();
  for (const page of pages) {
    for (const url of addressesOn(page)) {
      if (/^(127\.|localhost)/.test(url.hostname) && !page.startsWith("playground"))
        broken.push(`${page}: ${url}`);
      if (url.hostname !== "site") continue;
      const file = fileFor(url.pathname);
      if (file === undefined) broken.push(`${page}: ${url.pathname}`);
      else reached.add(file);
      const id = decodeURIComponent(url.hash.slice(1));
      const isHeading = id !== "" && !url.pathname.startsWith(`${basePath()}studio/`);
      if (file !== undefined && isHeading && !hasId(file, id))
        broken.push(`${page}: ${url.pathname}${url.hash}`);
    }
  }
  assert.deepEqual(broken, []);
  assert.deepEqual(
    pages.filter((page) => !reached.has(join(site, page))),
    [],
  );
});

test("formulas are typeset", () => {
  const typeset = pages.filter((page) => read(page).includes('class="katex-display"'));
  assert.ok(typeset.length > 5);
  for (const page of typeset) assert.ok(!read(page).includes("katex-error"), page);
});

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: findBrowser(), args: browserFlags });
});
after(() => browser?.close());

/** A page that fails the test when it complains. */
async function newPage(options) {
  const page = await browser.newPage(options);
  page.on("pageerror", (error) => assert.fail(error));
  page.on("console", (message) => {
    if (message.type() === "error") assert.fail(message.text());
  });
  return page;
}

const SEARCHES = [
  ["abstain", /decisions|abstention|cli/],
  ["Theorem 3.5", /papers/],
  ["E option/invalid", /errors\.html#optioninvalid/],
  ["mdDF", /learners\/mddf/],
];

for (const [words, expected] of SEARCHES) {
  test(`the search finds "${words}" among its first five results`, async (context) => {
    const host = await serveSite();
    context.after(host.close);
    const page = await newPage();
    await page.goto(host.address);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("searchbox").fill(words);
    await page.locator(".VPLocalSearchBox .result").first().waitFor();
    const links = await page
      .locator(".VPLocalSearchBox a.result")
      .evaluateAll((results) => results.slice(0, 5).map(({ href }) => href));
    assert.ok(
      links.some((link) => expected.test(link)),
      links.join("\n"),
    );
    await page.close();
  });
}

test("pages fit a phone and a desk, in light and dark", async (context) => {
  const host = await serveSite();
  context.after(host.close);
  for (const width of [390, 1280]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await newPage({ viewport: { width, height: 844 }, colorScheme });
      for (const name of [
        "index",
        "guarantees-cascades",
        "learners/mddf",
        "cli",
        "errors",
        "papers",
        "results/index",
      ]) {
        await page.goto(`${host.address}${name}.html`);
        const beyond = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert.ok(beyond <= 0, `${name} is ${beyond} pixels wider than ${width}`);
        const isDark = await page.evaluate("document.documentElement.classList.contains('dark')");
        assert.equal(isDark, colorScheme === "dark");
      }
      await page.close();
    }
  }
});

test("a learner's page leads to its example in the playground, which trains", async (context) => {
  const host = await serveSite();
  context.after(host.close);
  const page = await newPage();
  await page.goto(`${host.address}learners/forest.html`);
  await page.getByRole("link", { name: "See it in the playground" }).click();
  await page.waitForURL(/studio\/#playground\?learner=forest/);
  await page
    .getByText(/test error/i)
    .first()
    .waitFor();
  await page.close();
});

for (const isolated of [true, false]) {
  test(`the studio works ${isolated ? "with" : "without"} the headers, isolated at the latest from the second visit on`, async (context) => {
    const host = await serveSite({ isolated });
    context.after(host.close);
    const page = await newPage();
    await page.goto(`${host.address}studio/`);
    assert.equal(await page.evaluate("crossOriginIsolated"), isolated);
    await page.evaluate("navigator.serviceWorker.ready");
    await page.reload();
    await page.getByText("iris").first().waitFor();
    assert.equal(await page.evaluate("crossOriginIsolated"), true);
    const guide = await page.getByRole("link", { name: "Guide" }).getAttribute("href");
    assert.ok(fileFor(new URL(guide).pathname), guide);
    assert.ok(fileFor(new URL("trust.html", guide).pathname));
    await page.close();
  });
}
