import { exportOnnx } from "@vouch/onnx";

/** Scores whose two largest differ by less may have another prediction: they are tied but for rounding. */
export const TIE = 1e-6;

/** Makes the inputs of an exported model from the columns of a table. */
export function inputsOf(classifier, table) {
  const columns = classifier.encoder.schema.columns.map((schema) => {
    const column = table.column(schema.name);
    return [inputNameOf(schema.name), cellsOf(schema, column)];
  });
  return Object.fromEntries(columns);
}

function inputNameOf(name) {
  const taken = ["", "label", "probabilities", "scores", "answered", "set"].includes(name);
  return taken || /^(column|vouch):/.test(name) ? `column:${name}` : name;
}

function cellsOf({ kind }, column) {
  if (kind === "numeric" || kind === "date") {
    if (column.kind === "numeric") return Float64Array.from(column.values);
    const numbers = column.levels.map((level) => (kind === "date" ? Date.parse(level) : Number(level)));
    return Float64Array.from(column.codes, (code) => (code < 0 ? Number.NaN : numbers[code]));
  }
  if (column.kind === "categorical") {
    return Array.from(column.codes, (code) => (code < 0 ? "" : column.levels[code]));
  }
  return Array.from(column.values, (value) => (Number.isNaN(value) ? "" : String(value)));
}

/** Exports a classifier, runs it in an engine on the rows of a table, and counts what differs from the classifier itself. */
export async function compareWith(engine, classifier, table, { bytes = exportOnnx(classifier), batch } = {}) {
  const started = performance.now();
  const session = await engine.open(bytes);
  const loaded = performance.now();
  try {
    const inputs = inputsOf(classifier, table);
    const outputs = await runInBatches(session, inputs, table.rows, batch ?? table.rows);
    const ran = performance.now();
    const expected = classifier.classify(table);
    const times = { load: loaded - started, run: ran - loaded };
    return { bytes: bytes.length, ...times, ...differences(classifier, expected, outputs) };
  } finally {
    await session.close();
  }
}

async function runInBatches(session, inputs, rows, batch) {
  const parts = [];
  for (let from = 0; from < rows; from += batch) {
    const part = Object.fromEntries(
      Object.entries(inputs).map(([name, cells]) => [name, cells.slice(from, from + batch)]),
    );
    parts.push(await session.run(part));
  }
  if (parts.length === 1) return parts[0];
  return Object.fromEntries(
    session.outputs.map((name) => [name, { data: parts.flatMap((part) => Array.from(part[name].data)) }]),
  );
}

/** Counts predictions, answers and sets that differ, and finds the largest differences of scores and probabilities. */
function differences(classifier, expected, outputs) {
  const { classes } = classifier;
  const counts = {
    rows: expected.predictions.length,
    different: 0,
    tied: 0,
    sets: 0,
    scores: 0,
    probabilities: 0,
  };
  const decided = expected.probabilities ?? expected.scores;
  for (let i = 0; i < expected.predictions.length; i++) {
    if (outputs.label.data[i] !== expected.predictions[i]) {
      const row = Array.from(decided.row(i)).sort((a, b) => b - a);
      const own = Array.from(expected.scores.row(i)).sort((a, b) => b - a);
      if (Math.min(row[0] - row[1], own[0] - own[1]) < TIE) counts.tied++;
      else counts.different++;
    }
    if (expected.sets) {
      const set = classes.filter((_, k) => outputs.set.data[i * classes.length + k]);
      if (set.join("|") !== expected.sets[i].join("|")) counts.sets++;
    }
  }
  counts.scores = largestDifference(expected.scores.values, outputs.scores.data);
  if (expected.probabilities) {
    counts.probabilities = largestDifference(expected.probabilities.values, outputs.probabilities.data);
  }
  return counts;
}

/** Finds the largest difference, relative to numbers above 1. */
function largestDifference(expected, found) {
  if (expected.length !== found.length) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (let k = 0; k < expected.length; k++) {
    const difference = Math.abs(expected[k] - found[k]) / Math.max(1, Math.abs(expected[k]));
    if (!(difference <= largest)) largest = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
  }
  return largest;
}
