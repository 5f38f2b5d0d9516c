import { formatCount } from "@vouch/core/internal/runtime/number-format";
import { exampleRecord } from "./example-record.js";
import { type Html, html } from "./html.js";
import type { ModelFacts, ServedColumn } from "./model-facts.js";
import { versionPath } from "./model-paths.js";
import type { ModelStatus } from "./model-registry.js";
import type { MonitorReport } from "./monitors/model-monitor.js";
import type { ServedModel } from "./served-model.js";

/** A model with what its monitor says. */
export interface MonitoredModel {
  readonly model: ServedModel;
  readonly report: MonitorReport;
}

const MANY_COLUMNS = 40;

function page(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/page.css">
<link rel="icon" href="data:,">
<script type="module" src="/page.js"></script>
</head>
<body><main>${content}
<footer><a href="/openapi.json">OpenAPI</a> · <a href="/metrics">Metrics</a> · <a href="/v2">Open Inference Protocol</a></footer>
</main></body>
</html>
`.text;
}

/** Writes the page that lists all models. */
export function indexPage(models: readonly MonitoredModel[], status: readonly ModelStatus[]): string {
  const faults = status.filter(({ fault }) => fault !== undefined);
  return page(
    "Models",
    html`<h1>Models</h1>
${faults.map(
  ({
    name,
    version,
    fault,
    ready,
  }) => html`<div class="card"><p class="bad"><strong>${name}, version ${version}</strong>: the present file cannot be loaded. ${fault}</p>
<p class="soft">${ready ? "The model that was loaded before still answers." : "This model does not answer."}</p></div>`,
)}
${models.map(
  ({
    model,
    report,
  }) => html`<section class="card"><h2><a href="${versionPath(model)}">${model.name}</a> <span class="soft small">version ${model.version}</span></h2>
<p class="soft small">Predicts <strong>${model.facts.target}</strong> · ${model.facts.learner} · ${formatCount(model.facts.columns.length, "column")} · ${formatCount(model.facts.classes.length, "class", "classes")}</p>
${trust(model.facts)}${monitorLine(report)}</section>`,
)}`,
  );
}

/** Writes the page to try a model, whose requests go to `path`. */
export function modelPage(
  { model, report }: MonitoredModel,
  path: string,
  fault: string | undefined,
): string {
  const { facts, name, version } = model;
  const example = exampleRecord(model.classifier);
  const many = facts.columns.length > MANY_COLUMNS;
  const facts$ = JSON.stringify({
    address: `${path}/predict`,
    numeric: facts.columns.filter(({ kind }) => kind === "numeric").map((column) => column.name),
  });
  return page(
    `${name} · vouch`,
    html`<p class="small"><a href="/">All models</a></p>
<h1>${name} <span class="soft small">version ${version}</span></h1>
<p class="soft">Predicts <strong>${facts.target}</strong> by ${facts.learner}, trained on ${formatCount(facts.trained.rows, "row")} of ${facts.trained.data}.</p>
${fault !== undefined && html`<div class="card"><p class="bad">The present file cannot be loaded, so the model that was loaded before answers. ${fault}</p></div>`}
<section class="card"><h2>Can it be trusted?</h2>${trust(facts)}${monitorLine(report)}${drift(report)}</section>
<div class="columns" id="model" data-model="${facts$}">
<form class="card" id="try"><h2>Try it</h2>
<p class="soft small">The example is made up from the median or most frequent value of each column. It is not copied from a training row.</p>
<div class="fields${many ? " many" : ""}">${facts.columns.map((column) => field(column, example[column.name]))}</div>
<div class="actions"><button>Predict</button><label><input type="checkbox" id="reasons" checked> with reasons</label></div>
</form>
<section class="card" id="result" aria-live="polite"><h2>Answer</h2><p class="soft">Fill in the cells and predict.</p></section>
</div>
<section class="card"><h2>From a program</h2>
<label for="body">Request</label><textarea id="body" spellcheck="false"></textarea>
<div class="actions"><button type="button" id="send">Send</button></div>
<h3>With curl</h3><pre id="curl" tabindex="0" role="region" aria-label="With curl"></pre>
<h3>Reply</h3><pre id="reply" class="soft" tabindex="0" role="region" aria-label="Reply">Send the request to see the reply.</pre></section>`,
  );
}

const BETTER = { yes: "good", unclear: "warn", no: "bad" } as const;

function trust({ verdict, certificate }: ModelFacts): Html {
  return html`${
    verdict
      ? html`<p class="${BETTER[verdict.better]}">${verdict.sentence}</p>${verdict.warnings.map((warning) => html`<p class="warn">${warning}</p>`)}`
      : html`<p class="warn">Its error was not measured in training.</p>`
  }${certificate ? html`<p>${certificate.statement}</p>` : html`<p class="soft">It has no certificate.</p>`}`;
}

function monitorLine({ status, sentence }: MonitorReport): Html {
  const style = status === "doubtful" ? "bad" : status === "holds so far" ? "good" : "soft";
  return html`<p class="${style}">Watch: ${sentence}</p>`;
}

function drift({ columns }: MonitorReport): Html | undefined {
  const drifted = columns.filter((column) => column.drifted);
  if (drifted.length === 0) return undefined;
  return html`<h3>Columns that have drifted</h3><table><tr><th>column</th><th class="number">drift</th><th class="number">p</th></tr>${drifted.map(
    (column) =>
      html`<tr><td>${column.name}</td><td class="number">${column.drift.toPrecision(3)}</td><td class="number">${column.p.toPrecision(2)}</td></tr>`,
  )}</table>`;
}

/** With more categories than this, a list to choose from is of no use. */
const MOST_CHOICES = 200;

function field({ name, kind, levels = [] }: ServedColumn, value: string | number | null | undefined): Html {
  const shown = value === null || value === undefined ? "" : String(value);
  if (kind === "categorical" && levels.length <= MOST_CHOICES) {
    return html`<label>${name}<select name="${name}"><option value="">(missing)</option>${levels.map(
      (level) =>
        level === shown ? html`<option selected>${level}</option>` : html`<option>${level}</option>`,
    )}</select></label>`;
  }
  const mode = kind === "numeric" ? "decimal" : "text";
  return html`<label${kind === "text" && html` class="long"`}>${name}<input name="${name}" value="${shown}" inputmode="${mode}" autocomplete="off"></label>`;
}
