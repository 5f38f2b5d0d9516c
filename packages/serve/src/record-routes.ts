import { recordAnswers } from "@vouch/core/internal/train/record-answer";
import type { FastifyReply, FastifyRequest } from "fastify";
import { clientGone } from "./client-gone.js";
import type { InferenceService } from "./inference-service.js";
import { REQUEST } from "./input-tensors.js";
import { checkCells, checkReasonRows, checkRows, checkUnusedColumns, MOST_FEEDBACK } from "./limits.js";
import type { FeedbackItem } from "./monitors/monitors.js";
import { findModel } from "./protocol-routes.js";
import { asObject, checkJsonType, parseBody } from "./request-body.js";
import type { RouteTable } from "./route-table.js";
import type { Classified, ServedModel } from "./served-model.js";
import { ServiceError } from "./service-error.js";

/** Adds the paths that accept and return records. */
export function addRecordRoutes(routes: RouteTable, service: InferenceService): void {
  for (const prefix of ["/models/:name", "/models/:name/versions/:version"]) {
    routes.add("POST", `${prefix}/predict`, (request, reply) => predict(service, request, reply));
    routes.add("POST", `${prefix}/feedback`, async (request, reply) => {
      const model = findModel(service, request);
      checkJsonType(request.headers["content-type"]);
      await service.monitors.feedback(model, feedbackIn(parseBody(request.body)));
      return reply.send(await service.monitors.report(model));
    });
    routes.add("GET", `${prefix}/watch`, async (request, reply) => {
      return reply.send(await service.monitors.report(findModel(service, request)));
    });
  }
}

function predict(
  service: InferenceService,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> {
  const model = findModel(service, request);
  checkJsonType(request.headers["content-type"]);
  const reasons = reasonsAsked(request);
  const body = parseBody(request.body);
  const single = !Array.isArray(body);
  const records: readonly unknown[] = Array.isArray(body) ? body : [body];
  checkRows(service.limits, records.length);
  if (reasons !== undefined) checkReasonRows(service.limits, records.length);
  checkCells(service.limits, records.length, model.facts.columns.length);
  const table = model.reader.read(records, {
    name: REQUEST,
    onUnused: (columns) => checkUnusedColumns(service.limits, columns),
  });
  const gone = () => clientGone(reply);
  const classified =
    reasons === undefined
      ? service.classify(model, table, gone)
      : service.explain(model, table, reasons, gone());
  return classified instanceof Promise
    ? classified.then((each) => send(reply, model, each, single))
    : send(reply, model, classified, single);
}

function send(
  reply: FastifyReply,
  { name, version, classifier }: ServedModel,
  { answers, reasons, notices }: Classified,
  single: boolean,
): FastifyReply {
  const predictions = recordAnswers(classifier, answers, reasons);
  const text = JSON.stringify({
    model: name,
    version,
    ...(single ? predictions[0] : { predictions }),
    ...(notices.length > 0 && { notices }),
  });
  return reply.header("content-type", "application/json; charset=utf-8").send(text);
}

/** Returns the number of reasons in a query such as ?reasons=3. */
function reasonsAsked({ query }: FastifyRequest): number | undefined {
  const { reasons, ...others } = asObject(query) ?? {};
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new ServiceError(400, `There is no parameter "${unknown.slice(0, 100)}".`, {
      hint: "The only one is reasons, such as ?reasons=3.",
    });
  }
  if (reasons === undefined) return undefined;
  const count = typeof reasons === "string" && /^\d{1,4}$/.test(reasons) ? Number(reasons) : 0;
  if (count > 0) return count;
  throw new ServiceError(400, "reasons must be a number of columns.", { hint: "Write ?reasons=3." });
}

/** Reads labelled rows: an object or an array of objects. */
function feedbackIn(body: unknown): FeedbackItem[] {
  const given: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (given.length > MOST_FEEDBACK) {
    throw new ServiceError(413, `At most ${MOST_FEEDBACK} labelled rows are accepted at once.`);
  }
  return given.map((each, row) => {
    const { predicted, actual } = asObject(each) ?? {};
    if (typeof actual === "string" && (predicted === null || typeof predicted === "string")) {
      return { predicted: predicted === "" ? null : predicted, actual };
    }
    throw new ServiceError(400, `Feedback, row ${row + 1} lacks the predicted or the actual class.`, {
      hint: 'Send {"predicted": "CLASS", "actual": "CLASS"}; predicted is null if the model abstained.',
    });
  });
}
