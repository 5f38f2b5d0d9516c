// Three files about customers who leave, to see how vouch treats data that a quick look at the error misjudges: a weak signal
// in an uneven target, the same rows twice, and a column that already knows the answer.
//
//     node examples/churn.mjs FOLDER
//     npx vouch train FOLDER/churn.csv
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "vouch/learning";

const CUSTOMERS = 2000;
const REPEATED = 1000;
const SEED = 15;

const folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: node examples/churn.mjs FOLDER");
  process.exit(2);
}

/** Draws a value by its share; the shares add up to 1. */
function drawn(random, shares) {
  let left = random.uniform();
  for (const [value, share] of Object.entries(shares)) {
    left -= share;
    if (left < 0) return value;
  }
  return Object.keys(shares)[0];
}

/** Draws a Poisson number by counting the uniform factors that keep a product above e^(−mean) (Knuth). */
function poisson(random, mean) {
  let count = 0;
  for (let product = random.uniform(); product > Math.exp(-mean); product *= random.uniform()) count++;
  return count;
}

const contracts = { monthly: 0.55, "one year": 0.24, "two years": 0.21 };
const payments = {
  "bank transfer": 0.31,
  "credit card": 0.27,
  "electronic check": 0.29,
  "mailed check": 0.13,
};
const regions = { north: 0.24, south: 0.29, east: 0.18, west: 0.22, islands: 0.07 };
const services = { fibre: 0.44, dsl: 0.36, "phone only": 0.2 };
const basePrice = { fibre: 74, dsl: 49, "phone only": 21 };

/** The effects on the log odds of leaving. They are weak: most customers who leave look like customers who stay. */
const effects = {
  contract: { monthly: 0.55, "one year": -0.25, "two years": -0.75 },
  payment: { "electronic check": 0.3, "mailed check": 0.05, "bank transfer": -0.1, "credit card": -0.15 },
  service: { fibre: 0.3, dsl: -0.05, "phone only": -0.3 },
};

/** Draws a customer: the facts that the company knew in advance, and whether the customer left. */
function customer(random) {
  const contract = drawn(random, contracts);
  const service = drawn(random, services);
  const payment = drawn(random, payments);
  const longest = contract === "monthly" ? 60 : 72;
  const tenure = 1 + Math.floor(longest * random.uniform() ** (contract === "monthly" ? 1.7 : 0.9));
  const monthly = Math.max(18, basePrice[service] + 9 * random.normal());
  const calls = poisson(random, 1.4);
  const age = Math.round(Math.min(90, Math.max(18, 46 + 16 * random.normal())));
  const logOdds =
    -1.64 +
    effects.contract[contract] +
    effects.payment[payment] +
    effects.service[service] +
    0.14 * (calls - 1.4) -
    0.008 * (tenure - 28);
  return {
    age,
    region: drawn(random, regions),
    tenure_months: tenure,
    contract,
    service,
    payment_method: payment,
    monthly_charges: monthly.toFixed(2),
    total_charges: (monthly * tenure * (1 + 0.04 * random.normal())).toFixed(2),
    support_calls: calls,
    churn: random.uniform() < 1 / (1 + Math.exp(-logOdds)) ? "Yes" : "No",
  };
}

/** The share of cells that nobody filled in, by column. */
const missing = { age: 0.06, region: 0.02, payment_method: 0.015, total_charges: 0.01, support_calls: 0.04 };

function withMissingCells(row, random) {
  const cells = Object.entries(row).map(([name, value]) => [
    name,
    random.uniform() < (missing[name] ?? 0) ? "" : value,
  ]);
  return Object.fromEntries(cells);
}

/** Adds the state of the account on the day of the export, which the company sets once the customer has left. */
function withStatus({ churn, ...facts }, random) {
  const usual = churn === "Yes" ? "closed" : "active";
  return { ...facts, account_status: random.uniform() < 0.015 ? "suspended" : usual, churn };
}

function write(name, rows, shows) {
  const lines = [Object.keys(rows[0]), ...rows.map(Object.values)].map((cells) => cells.join(","));
  writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
  const left = rows.filter(({ churn }) => churn === "Yes").length / rows.length;
  console.log(`${name}: ${rows.length} rows, ${(100 * left).toFixed(1)} % left. ${shows}`);
}

const random = new Random(SEED);
const customers = Array.from({ length: CUSTOMERS }, () => withMissingCells(customer(random), random));
const order = random.shuffle(Int32Array.from({ length: CUSTOMERS }, (_, i) => i));
const twice = random.shuffle(
  Int32Array.from({ length: CUSTOMERS + REPEATED }, (_, i) => order[i % CUSTOMERS]),
);

mkdirSync(folder, { recursive: true });
write("churn.csv", customers, 'The signal is weak: compare the error with that of always answering "No".');
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
