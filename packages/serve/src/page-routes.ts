import type { FastifyReply, FastifyRequest } from "fastify";
import type { InferenceService } from "./inference-service.js";
import { stablePath, versionPath } from "./model-paths.js";
import { openApi } from "./open-api.js";
import { indexPageData, modelPageData } from "./page-data.js";
import { pageHtml, readPageFile } from "./page-html.js";
import { findModel, modelMetadata } from "./protocol-routes.js";
import type { RouteTable } from "./route-table.js";

/** Pages load only their own style and script. */
const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

/** Adds the pages, and the descriptions of models for programs. */
export function addPageRoutes(routes: RouteTable, service: InferenceService, secured: boolean): void {
  const { models, monitors } = service;
  const monitored = async (model: ReturnType<typeof findModel>) => ({
    model,
    report: await monitors.report(model),
  });
  routes.add("GET", "/", async (_, reply) => {
    const all = await Promise.all(models.models().map(monitored));
    return sendPage(reply, pageHtml("Models", indexPageData(all, models.status())));
  });
  for (const url of ["/models/:name", "/models/:name/versions/:version"]) {
    routes.add("GET", url, async (request, reply) => {
      const model = findModel(service, request);
      if (!wantsPage(request)) return reply.send(modelMetadata(service, model));
      const { name, version } = model;
      const status = models.status().find((each) => each.name === name && each.version === version);
      const path = models.find(name) === model ? stablePath(model) : versionPath(model);
      const data = modelPageData(await monitored(model), path, status?.fault);
      return sendPage(reply, pageHtml(`${name} · vouch`, data));
    });
  }
  routes.add("GET", "/models", (_, reply) =>
    reply.send({
      models: models.status().map((status) => ({
        ...status,
        ...models.find(status.name, status.version)?.facts,
      })),
    }),
  );
  routes.add("GET", "/openapi.json", (_, reply) => reply.send(openApi(models, service.limits, secured)));
  routes.add("GET", "/page.css", (_, reply) =>
    reply.headers(HEADERS).type("text/css; charset=utf-8").send(readPageFile("page.css")),
  );
  routes.add("GET", "/page.js", (_, reply) =>
    reply.headers(HEADERS).type("text/javascript; charset=utf-8").send(readPageFile("page.js")),
  );
}

function sendPage(reply: FastifyReply, text: string): FastifyReply {
  return reply.headers(HEADERS).type("text/html; charset=utf-8").send(text);
}

function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes("text/html") === true;
}
