import { expect, it } from "vitest";
import { Table, train } from "vouch";

const ROWS = 24_000;

/** Rows of which 0.7% are fraud, more likely for large amounts at night; most amounts at night are fine. */
function payments(): Table {
  let state = 5;
  const random = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  const columns = {
    amount: new Float64Array(ROWS),
    hour: new Float64Array(ROWS),
    noise: new Float64Array(ROWS),
    country: new Array<string>(ROWS),
    label: new Array<string>(ROWS),
  };
  for (let i = 0; i < ROWS; i++) {
    const fraud = random() < 0.007;
    columns.amount[i] = -Math.log(random()) * (fraud ? 240 : 90);
    columns.hour[i] = fraud && random() < 0.5 ? 6 * random() : 24 * random();
    columns.noise[i] = random();
    columns.country[i] = ["AT", "CH", "DE", "FR"][Math.floor(4 * random() ** (fraud ? 2 : 1))];
    columns.label[i] = fraud ? "fraud" : "fine";
  }
  return Table.fromColumns("payments", columns);
}

it("the default race ranks a rare class in a short time, where every answer is the same class", async () => {
  const { choice, verdict } = await train(payments(), { target: "label", budget: 8 });
  const winner = choice?.candidates[0].learner;
  expect(winner?.name).not.toBe("majority");
  expect(JSON.stringify(winner?.options.members ?? [])).not.toContain("majority");
  expect(verdict.auc?.model).toBeGreaterThan(0.65);
  expect(verdict.auc?.p).toBeLessThan(0.01);
}, 60_000);
