import { exportOnnx } from "@vouch/onnx";

/** Scores whose two largest differ by less may have another prediction: they are tied but for rounding. */
const TIE = 1e-6;

/** Makes the inputs of an exported model from the columns of a table. */
function inputsOf(classifier, table) {
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
export async function compareWith(
  engine,
  classifier,
  table,
  { bytes = exportOnnx(classifier).bytes, batch } = {},
) {
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
  const { rule, abstention, sets } = classifier.decision;
  const isNear = (probability, limit) => limit !== undefined && Math.abs(probability - limit) < TIE;
  for (let i = 0; i < expected.predictions.length; i++) {
    const row = Array.from(decided.row(i));
    if (outputs.label.data[i] !== expected.predictions[i]) {
      const isTied =
        gapOf(weighted(rule, row)) < TIE ||
        gapOf(Array.from(expected.scores.row(i))) < TIE ||
        row.some((probability) => isNear(probability, abstention?.threshold)) ||
        (rule.kind === "threshold" && isNear(row[rule.class], rule.at));
      if (isTied) counts.tied++;
      else counts.different++;
    }
    if (expected.sets) {
      const differs = classes.filter((name, k) => {
        const isMember = Boolean(outputs.set.data[i * classes.length + k]);
        const limit = sets.limits[sets.perClass ? k : 0].probability;
        return isMember !== expected.sets[i].includes(name) && !isNear(row[k], limit);
      });
      if (differs.length > 0 && gapOf(row) >= TIE) counts.sets++;
    }
  }
  counts.scores = largestDifference(expected.scores.values, outputs.scores.data);
  if (expected.probabilities) {
    counts.probabilities = largestDifference(expected.probabilities.values, outputs.probabilities.data);
  }
  return counts;
}

/** Returns what a rule compares: probabilities, weighted ones or expected costs. */
function weighted(rule, row) {
  if (rule.kind === "weights") return row.map((probability, k) => probability * rule.weights[k]);
  if (rule.kind !== "costs") return row;
  return row.map((_, k) => -row.reduce((cost, probability, t) => cost + probability * rule.costs[t][k], 0));
}

/** Returns the difference of the two largest numbers. */
function gapOf(numbers) {
  const [best, second] = numbers.toSorted((a, b) => b - a);
  return best - second;
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
