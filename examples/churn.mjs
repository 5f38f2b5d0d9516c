// Three files about customers who leave, to see how vouch treats data that a quick look at the error misjudges: a weak signal
// in an uneven target, the same rows twice, and a column that already knows the answer.
//
//     node examples/churn.mjs FOLDER
//     npx vouch train FOLDER/churn.csv
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHURN_EXAMPLE, drawCustomer } from "@vouch/datasets";
import { Random } from "vouch/extend";

const REPEATED = 1000;

const folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: node examples/churn.mjs FOLDER");
  process.exit(2);
}

/** Adds the state of the account on the day of the export, which the company sets once the customer has left. */
function withStatus({ churn, ...facts }, random) {
  const usual = churn === "Yes" ? "closed" : "active";
  return { ...facts, account_status: random.uniform() < 0.015 ? "suspended" : usual, churn };
}

/** Writes a cell as companies do: charges with cents, nothing for a fact that nobody filled in. */
function cell(name, value) {
  return name.endsWith("_charges") ? (value?.toFixed(2) ?? "") : (value ?? "");
}

function write(name, rows, shows) {
  const cellsOf = (row) => Object.entries(row).map(([column, value]) => cell(column, value));
  const lines = [Object.keys(rows[0]), ...rows.map(cellsOf)].map((cells) => cells.join(","));
  writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
  const left = rows.filter(({ churn }) => churn === "Yes").length / rows.length;
  console.log(`${name}: ${rows.length} rows, ${(100 * left).toFixed(1)}% left. ${shows}`);
}

const random = new Random(CHURN_EXAMPLE.seed);
const { rows } = CHURN_EXAMPLE;
const customers = Array.from({ length: rows }, () => drawCustomer(random));
const order = random.shuffle(Int32Array.from({ length: rows }, (_, i) => i));
const twice = random.shuffle(Int32Array.from({ length: rows + REPEATED }, (_, i) => order[i % rows]));

mkdirSync(folder, { recursive: true });
write("churn.csv", customers, 'The signal is weak: compare the error with always answering "No".');
write(
  "churn-repeated.csv",
  Array.from(twice, (row) => customers[row]),
  `${REPEATED} rows are there twice: many held-out rows equal training rows.`,
);
write(
  "churn-leak.csv",
  customers.map((row) => withStatus(row, random)),
  "account_status is set after the customer has left: no new case will have it.",
);
