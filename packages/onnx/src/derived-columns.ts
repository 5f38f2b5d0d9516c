import type { Origin } from "@vouch/core/internal/encode/derived-columns";
import type { DerivedSteps } from "@vouch/core/internal/encode/encoding-steps";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Graph, Value } from "./graph.js";
import type { ColumnSource } from "./raw-columns.js";

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Columns that an encoder derives from raw ones: parts of dates; other columns are unchanged. */
export class DerivedColumns implements ColumnSource {
  readonly #graph: Graph;
  readonly #raw: ColumnSource;
  readonly #origins: ReadonlyMap<string, { readonly raw: string; readonly origin: Origin }>;

  constructor(graph: Graph, { columns, plain, origins }: DerivedSteps, raw: ColumnSource) {
    this.#graph = graph;
    this.#raw = raw;
    this.#origins = new Map(
      plain?.columns.map(({ name }, k) => [
        name,
        { raw: columns[origins[k].column].name, origin: origins[k] },
      ]),
    );
  }

  numbers(column: string): Value {
    const { raw, origin } = this.#originOf(column);
    const cells = this.#raw.numbers(raw);
    const graph = this.#graph;
    switch (origin.kind) {
      case "itself":
        return cells;
      case "days":
        return graph.div(graph.sub(cells, graph.double(origin.since)), graph.double(DAY));
      case "part":
        return partOfDate(graph, origin.part, cells);
      default:
        throw noTexts(raw);
    }
  }

  indices(column: string, levels: readonly string[]): Value {
    return this.#raw.indices(this.#originOf(column).raw, levels);
  }

  #originOf(column: string) {
    const found = this.#origins.get(column);
    if (!found) throw new TypeError(`There is no column "${column}".`);
    return found;
  }
}

/** Creates the error for a model that reads text. */
export function noTexts(column: string): VouchError {
  return new VouchError(
    "learner/unsupported",
    `Column "${column}" is text, and models of text cannot be exported to ONNX: it has no operators that divide text into words as vouch does (Unicode words in NFKC).`,
    { hint: "Leave the column out when you train (--ignore), or predict with vouch." },
  );
}

/** Computes a part of dates in milliseconds since 1970, in UTC; NaN stays NaN. */
function partOfDate(graph: Graph, part: Extract<Origin, { kind: "part" }>["part"], times: Value): Value {
  const floorOf = (value: Value, divisor: number) =>
    graph.op("Floor", [graph.div(value, graph.double(divisor))]);
  const rest = (value: Value, divisor: number) =>
    graph.sub(value, graph.mul(floorOf(value, divisor), graph.double(divisor)));
  const plus = (value: Value, more: number) => graph.add(value, graph.double(more));
  const days = floorOf(times, DAY);
  if (part === "hour") return floorOf(rest(times, DAY), HOUR);
  // 1970 began on a Thursday.
  if (part === "weekday") return plus(rest(plus(days, 3), 7), 1);
  // Years begin in March here, so that a leap day is the last day of its year; 400 years have 146,097 days.
  const shifted = plus(days, 719_468);
  const dayOfEra = rest(shifted, 146_097);
  const leapless = graph.sub(
    graph.add(graph.sub(dayOfEra, floorOf(dayOfEra, 1460)), floorOf(dayOfEra, 36_524)),
    floorOf(dayOfEra, 146_096),
  );
  const yearOfEra = floorOf(leapless, 365);
  const firstDay = graph.sub(
    graph.add(graph.mul(yearOfEra, graph.double(365)), floorOf(yearOfEra, 4)),
    floorOf(yearOfEra, 100),
  );
  const dayOfYear = graph.sub(dayOfEra, firstDay);
  const months = floorOf(plus(graph.mul(dayOfYear, graph.double(5)), 2), 153);
  const isLater = graph.op("Less", [months, graph.double(10)]);
  const month = graph.where(isLater, plus(months, 3), plus(months, -9));
  if (part === "month") return month;
  const years = graph.add(yearOfEra, graph.mul(floorOf(shifted, 146_097), graph.double(400)));
  return graph.where(isLater, years, plus(years, 1));
}
