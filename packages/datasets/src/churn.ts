import type { Random } from "@vouch/core/internal/runtime/maths/random";

/** Facts about a customer known in advance, possibly missing, and whether the customer left. */
export interface Customer {
  readonly age: number | undefined;
  readonly region: string | undefined;
  readonly tenure_months: number;
  readonly contract: string;
  readonly service: string;
  readonly payment_method: string | undefined;
  readonly monthly_charges: number;
  readonly total_charges: number | undefined;
  readonly support_calls: number | undefined;
  readonly churn: "Yes" | "No";
}

/** Seed and number of customers in `churn.csv` of the churn example. */
export const CHURN_EXAMPLE = { seed: 15, rows: 2000 };

/** A value of a column, and its share of the customers. */
interface Value {
  readonly name: string;
  readonly share: number;
}

/** A value that changes the log odds of leaving. */
interface EffectiveValue extends Value {
  readonly effect: number;
}

// The effects are weak: most customers who leave look like customers who stay.
const contracts: readonly EffectiveValue[] = [
  { name: "monthly", share: 0.55, effect: 0.55 },
  { name: "one year", share: 0.24, effect: -0.25 },
  { name: "two years", share: 0.21, effect: -0.75 },
];
const payments: readonly EffectiveValue[] = [
  { name: "bank transfer", share: 0.31, effect: -0.1 },
  { name: "credit card", share: 0.27, effect: -0.15 },
  { name: "electronic check", share: 0.29, effect: 0.3 },
  { name: "mailed check", share: 0.13, effect: 0.05 },
];
const services: readonly (EffectiveValue & { readonly price: number })[] = [
  { name: "fibre", share: 0.44, effect: 0.3, price: 74 },
  { name: "dsl", share: 0.36, effect: -0.05, price: 49 },
  { name: "phone only", share: 0.2, effect: -0.3, price: 21 },
];
const regions: readonly Value[] = [
  { name: "north", share: 0.24 },
  { name: "south", share: 0.29 },
  { name: "east", share: 0.18 },
  { name: "west", share: 0.22 },
  { name: "islands", share: 0.07 },
];

/** Share of empty cells, by column. */
const missing: Readonly<Partial<Record<keyof Customer, number>>> = {
  age: 0.06,
  region: 0.02,
  payment_method: 0.015,
  total_charges: 0.01,
  support_calls: 0.04,
};

/**
 * Draws a customer of a simulated telephone company. A fifth leave, with log odds that are linear in the columns. The
 * same stream of random numbers gives the same customers.
 */
export function drawCustomer(random: Random): Customer {
  const whole = completeCustomer(random);
  // Every column consumes a random number, even if its cells cannot be missing.
  const gone = new Set<keyof Customer>(columns.filter((name) => random.uniform() < (missing[name] ?? 0)));
  const known = <T>(name: keyof Customer, value: T) => (gone.has(name) ? undefined : value);
  return {
    ...whole,
    age: known("age", whole.age),
    region: known("region", whole.region),
    payment_method: known("payment_method", whole.payment_method),
    total_charges: known("total_charges", whole.total_charges),
    support_calls: known("support_calls", whole.support_calls),
  };
}

const columns: readonly (keyof Customer)[] = [
  "age",
  "region",
  "tenure_months",
  "contract",
  "service",
  "payment_method",
  "monthly_charges",
  "total_charges",
  "support_calls",
  "churn",
];

function completeCustomer(random: Random): Customer {
  const contract = drawn(random, contracts);
  const service = drawn(random, services);
  const payment = drawn(random, payments);
  const isMonthly = contract.name === "monthly";
  const tenure = 1 + Math.floor((isMonthly ? 60 : 72) * random.uniform() ** (isMonthly ? 1.7 : 0.9));
  const monthly = Math.max(18, service.price + 9 * random.normal());
  const calls = poisson(random, 1.4);
  const age = Math.round(Math.min(90, Math.max(18, 46 + 16 * random.normal())));
  const logOdds =
    -1.64 + contract.effect + payment.effect + service.effect + 0.14 * (calls - 1.4) - 0.008 * (tenure - 28);
  return {
    age,
    region: drawn(random, regions).name,
    tenure_months: tenure,
    contract: contract.name,
    service: service.name,
    payment_method: payment.name,
    monthly_charges: inCents(monthly),
    total_charges: inCents(monthly * tenure * (1 + 0.04 * random.normal())),
    support_calls: calls,
    churn: random.uniform() < 1 / (1 + Math.exp(-logOdds)) ? "Yes" : "No",
  };
}

function inCents(amount: number): number {
  return Number(amount.toFixed(2));
}

/** Draws a value by its share; the shares sum to 1. */
function drawn<V extends Value>(random: Random, values: readonly V[]): V {
  let left = random.uniform();
  for (const value of values) {
    left -= value.share;
    if (left < 0) return value;
  }
  return values[0];
}

/** Draws a Poisson number by counting the uniform factors that keep a product above e^(−mean) (Knuth). */
function poisson(random: Random, mean: number): number {
  let count = 0;
  for (let product = random.uniform(); product > Math.exp(-mean); product *= random.uniform()) count++;
  return count;
}
