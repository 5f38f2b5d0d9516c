import { describe, expect, it } from "vitest";
import {
  type Certificate,
  type Classifier,
  certify,
  forest,
  Table,
  type Training,
  trainClassifier,
} from "vouch";
import { Random } from "#core/runtime/maths/random.js";
import { collectEvidence, evaluateClassifier } from "#core/train/evaluate-classifier.js";
import { monitoredCertificate } from "#core/train/monitored-certificate.js";
import { isGrave } from "#core/train/warnings.js";

/** Cells of a row and its class. */
type Row = Record<string, number | string>;

const learner = () => forest({ trees: 10 });

function table(rows: number, draw: (i: number) => Row): Table {
  return Table.fromRecords(
    "rows",
    Array.from({ length: rows }, (_, i) => draw(i)),
  );
}

/** Draws rows whose class is that of x > ½, and templates whose class is a coin. */
function withTemplates(random: Random, templates: number, share = 0.5): () => Row {
  const fixed = Array.from({ length: templates }, () => ({ x: random.uniform(), y: random.uniform() }));
  return () => {
    if (random.uniform() < share) {
      return { ...fixed[random.integer(templates)], label: random.uniform() < 0.5 ? "yes" : "no" };
    }
    const x = random.uniform();
    return { x, y: random.uniform(), label: x > 0.5 ? "yes" : "no" };
  };
}

/** Rows whose class no column predicts. */
function noise(random: Random): () => Row {
  return () => ({
    x: random.normal(),
    y: random.normal(),
    z: random.normal(),
    label: random.uniform() < 0.5 ? "yes" : "no",
  });
}

function error(classifier: Classifier, rows: Table): number {
  return classifier.evaluate(rows).error;
}

function informative({ holds, reason }: Certificate): boolean {
  return holds && reason === undefined;
}

/** Says whether a certificate of the error, if it is informative, is at least the truth. */
function isTrue(certificate: Certificate, truth: number): boolean {
  return !informative(certificate) || certificate.value >= truth;
}

describe("independent rows with a probability of their own", () => {
  const seeds = Array.from({ length: 10 }, (_, seed) => seed);

  it.each([12, 20, 60])("count as often as they occur (%d templates)", async (templates) => {
    let wrong = 0;
    for (const seed of seeds) {
      const draw = withTemplates(new Random(seed), templates);
      const { classifier } = await trainClassifier(table(400, draw), learner(), { calibrate: false });
      const rows = table(400, draw);
      const truth = error(classifier, table(4000, draw));
      const [quoted] = certify(classifier, { heldOut: await collectEvidence(classifier, rows) });
      // A statement about rows that equal no training row says nothing about the templates.
      if (!quoted.statement.includes("equal no training row") && !isTrue(quoted, truth)) wrong++;
      const { verdict } = await evaluateClassifier(classifier, rows);
      if (verdict?.measuredOn === "rows") expect(verdict.error).toBeGreaterThan(truth - 0.1);
    }
    expect(wrong).toBeLessThanOrEqual(2);
  });

  it("that no training row has are not counted once each", async () => {
    let wrong = 0;
    for (const seed of seeds) {
      const random = new Random(seed);
      const plain = withTemplates(random, 1, 0);
      const draw = withTemplates(random, 12, 1);
      const { classifier } = await trainClassifier(table(400, plain), learner(), { calibrate: false });
      const mixed = () => (random.uniform() < 0.8 ? draw() : plain());
      const truth = error(classifier, table(4000, mixed));
      const [quoted] = certify(classifier, { heldOut: await collectEvidence(classifier, table(400, mixed)) });
      expect(truth).toBeGreaterThan(0.2);
      if (!isTrue(quoted, truth)) wrong++;
    }
    expect(wrong).toBeLessThanOrEqual(2);
  });

  it("count in a large hold-out", async () => {
    let wrong = 0;
    for (const seed of seeds) {
      const draw = withTemplates(new Random(seed), 40);
      const { classifier, certificates } = await trainClassifier(table(500, draw), learner(), {
        calibrate: false,
        holdout: 0.8,
        run: { seed },
      });
      const known = new Set(classifier.card.heldOut?.repeats?.rows ? ["new"] : []);
      const truth = error(classifier, table(4000, draw));
      if (known.size === 0 && !isTrue(certificates[0], truth)) wrong++;
    }
    expect(wrong).toBeLessThanOrEqual(2);
  });
});

describe("copies", () => {
  it("of noise get no certificate far below the truth", async () => {
    for (const copies of [2, 5]) {
      const draw = noise(new Random(copies));
      const base = table(300, draw);
      const rows = base.select(Int32Array.from({ length: 300 * copies }, (_, i) => i % 300));
      const { certificates, verdict } = await trainClassifier(rows, learner(), {
        holdout: 0.3,
        calibrate: false,
      });
      expect(verdict?.warnings.some(isGrave)).toBe(true);
      expect(isTrue(certificates[0], 0.48)).toBe(true);
      // Only the bound on the error allows for copies.
      const measures = certificates.filter(({ measure, role }) => measure !== "error" && role === undefined);
      expect(measures).toEqual([]);
    }
  });
});

describe("classes that only held-out rows have", () => {
  /** A quarter of the rows have a class of their own. */
  function singletons(random: Random): () => Row {
    let next = 0;
    return () => {
      const x = random.uniform();
      const y = random.uniform();
      const label = random.uniform() < 0.25 ? `single ${next++}` : x > 0.5 ? "yes" : "no";
      return { x, y, label };
    };
  }

  it("are in no set, so that sets do not promise to contain the next new class", async () => {
    let wrong = 0;
    for (let seed = 0; seed < 10; seed++) {
      const draw = singletons(new Random(seed));
      const training = await trainClassifier(table(400, draw), learner(), {
        holdout: 0.3,
        sets: 0.9,
        run: { seed },
      });
      const { classifier, certificates } = training;
      expect(classifier.classes.every((name) => training.samples.training.classes.includes(name))).toBe(true);
      const fresh = table(2000, draw);
      const { sets = [] } = classifier.classify(fresh);
      const labels = fresh.column("label");
      if (labels.kind !== "categorical") throw new TypeError("The classes are names.");
      const covered = sets.filter((set, i) => set.includes(labels.levels[labels.codes[i]])).length / 2000;
      const coverage = certificates.find(({ measure }) => measure === "coverage");
      if (coverage && informative(coverage) && coverage.value > covered + 0.02) wrong++;
    }
    expect(wrong).toBeLessThanOrEqual(1);
  });
});

describe("training rows among the rows of another file", () => {
  const training = (seed: number): Promise<Training> =>
    trainClassifier(table(60, noise(new Random(seed))), learner(), { calibrate: false });

  it.each([1, 5, 9])("do not count (%d of 20)", async (shared) => {
    for (let seed = 0; seed < 5; seed++) {
      const random = new Random(seed);
      const draw = noise(random);
      const rows = table(60, draw);
      const { classifier } = await trainClassifier(rows, learner(), { calibrate: false });
      const others = table(20 - shared, draw);
      const columns = ["x", "y", "z", "label"];
      const mixed = Table.fromRecords("mixed", [
        ...records(rows, columns).slice(0, shared),
        ...records(others, columns),
      ]);
      const evidence = await collectEvidence(classifier, mixed);
      const [quoted] = certify(classifier, { heldOut: evidence });
      // So many that chance does not explain them leave no certificate at all.
      if (evidence.dependence !== undefined) {
        expect(shared).toBe(9);
        expect(quoted.holds).toBe(false);
        continue;
      }
      expect(evidence.repeats).toMatchObject({ rows: shared, newRows: 20 - shared });
      expect(quoted).toMatchObject({ name: "held-out-new-rows", terms: { rows: 20 - shared } });
      // Only what was compared is checked.
      expect(quoted.premises.find(({ text }) => text.includes("took no part"))?.status).toBe("assumed");
      expect(quoted.premises.find(({ text }) => text.includes("took no part"))?.text).toContain(
        shared === 1 ? "1 row equals a training row" : `${shared} rows equal training rows`,
      );
    }
  });

  it("prove nothing if there are no others", async () => {
    const { classifier, tables, samples } = await training(1);
    const labels = samples.training.labels;
    const rows = records(tables.training, ["x", "y", "z"]).slice(0, 6);
    const again = Table.fromRecords(
      "again",
      rows.map((row, i) => ({ ...row, label: classifier.classes[labels[i]] })),
    );
    const [quoted] = certify(classifier, { heldOut: await collectEvidence(classifier, again) });
    expect(quoted.holds).toBe(false);
  });

  it("leave only what was compared checked", async () => {
    const { classifier } = await training(2);
    const [quoted] = certify(classifier, {
      heldOut: await collectEvidence(classifier, table(50, noise(new Random(9)))),
    });
    expect(quoted.premises.filter(({ status }) => status === "checked").map(({ text }) => text)).toEqual([
      "No row equals a training row, and no more rows are close to training rows than chance explains.",
    ]);
  });
});

function records(from: Table, columns: readonly string[]): Row[] {
  return Array.from({ length: from.rows }, (_, i) =>
    Object.fromEntries(
      columns.map((name) => {
        const column = from.column(name);
        return [
          name,
          column.kind === "numeric" ? Number(Array.from(column.values)[i]) : column.levels[column.codes[i]],
        ];
      }),
    ),
  );
}

describe("groups of the training rows", () => {
  /** Rows of patients, each with a class of their own and cells that identify them. */
  function patients(random: Random, count: number, first: number): Row[] {
    return Array.from({ length: count }, (_, p) => {
      const [a, b] = [random.normal(), random.normal()];
      const label = random.uniform() < 0.5 ? "yes" : "no";
      return Array.from({ length: 8 }, () => ({
        ...{ a: a + 0.01 * random.normal(), b: b + 0.01 * random.normal() },
        patient: `patient ${first + p}`,
        label,
      }));
    }).flat();
  }

  it("do not count when a model is certified with other rows of theirs", async () => {
    const random = new Random(3);
    const all = patients(random, 60, 0);
    const half = (part: number) =>
      Table.fromRecords(
        "patients",
        all.filter((_, i) => i % 2 === part),
      );
    const options = { group: "patient", holdout: 0.2, calibrate: false };
    const { classifier } = await trainClassifier(half(0), learner(), options);
    const known = await collectEvidence(classifier, half(1));
    // The twelve groups that were held out are new to the model.
    expect(known.groups?.reduce((sum, { groups }) => sum + groups, 0)).toBe(12);
    const [quoted] = certify(classifier, { heldOut: known });
    expect(isTrue(quoted, 0.4)).toBe(true);
    const fresh = await collectEvidence(classifier, Table.fromRecords("new", patients(random, 40, 100)));
    expect(fresh.groups?.reduce((sum, { groups }) => sum + groups, 0)).toBe(40);
  });

  it("leave no certificate if all rows are theirs, or if rows do not name their group", async () => {
    const rows = Table.fromRecords("patients", patients(new Random(4), 40, 0));
    const { classifier } = await trainClassifier(rows, learner(), {
      group: "patient",
      calibrate: false,
      folds: 4,
    });
    const quotedOn = async (other: Table) =>
      certify(classifier, { heldOut: await collectEvidence(classifier, other) })[0];
    const others = patients(new Random(5), 40, 0);
    expect(await quotedOn(Table.fromRecords("the same patients", others))).toMatchObject({ holds: false });
    expect(await quotedOn(Table.fromRecords("no names", others).without(["patient"]))).toMatchObject({
      holds: false,
    });
  });
});

describe("a certificate about new rows", () => {
  it("is not watched on all rows", async () => {
    const base = table(200, noise(new Random(5)));
    const rows = base.select(Int32Array.from({ length: 300 }, (_, i) => i % 200));
    const { classifier } = await trainClassifier(rows, learner(), { holdout: 0.6, calibrate: false });
    expect(classifier.card.heldOut?.repeats).toMatchObject({ natural: false });
    expect(monitoredCertificate(classifier)).toMatchObject({
      certificate: undefined,
      reason: expect.stringContaining("equal no training row"),
    });
  });

  it("gives way to one about all rows where there is one", () => {
    const repeats = { rows: 100, errors: 30, newRows: 100, newErrors: 60, natural: true };
    const heldOut = { rows: 200, errors: 90, repeats, drawn: "random" } as const;
    expect(certify({ card: { heldOut } })[0].name).toBe("held-out-new-rows");
    expect(monitoredCertificate({ card: { heldOut } }).certificate?.name).toBe("held-out-binomial");
  });
});
