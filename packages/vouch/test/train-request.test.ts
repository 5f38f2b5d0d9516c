import { planTraining } from "@vouch/core/internal/train/plan-training";
import { FIELD_GROUPS, fieldsIn, requestFields } from "@vouch/core/internal/train/request/field";
import { parseTrainRequest, trainCommandRequest } from "@vouch/core/internal/train/request/request";
import { optionTable } from "@vouch/core/internal/train/request/request-table";
import { reproductionCommand } from "@vouch/core/internal/train/request/request-text";
import { agreeOnRequest, checkShardRequest } from "@vouch/core/internal/train/request/shard-request";
import { trainRows } from "@vouch/core/internal/train/train-table";
import { Command } from "commander";
import { afterEach, describe, expect, it, vi } from "vitest";
import { majority, Table, train } from "vouch";
import { memoryExchange, ShardGroup } from "vouch/extend";
import * as z from "zod";
import { completeOptions } from "#vouch/options/deferred-options.js";
import { program } from "#vouch/options/program.js";
import { addTrainOptions } from "#vouch/options/request-options.js";
import { programText } from "../../studio/dist/engine/program-text.js";
import { flowersCsv } from "./vouch.js";

/** The options of `vouch train` with two more. */
const extended = trainCommandRequest.extend({
  patience: z.int().min(1).max(9).optional().register(requestFields, {
    flags: "--patience <n>",
    help: "rounds without progress",
    group: "model",
    form: "whole number",
    inModel: true,
    shards: "same",
  }),
  polish: z
    .boolean()
    .optional()
    .register(requestFields, {
      flags: "--polish",
      help: "polish the model",
      group: "run",
      shards: { refused: "Nobody polishes shards." },
    }),
});

const file = new File([flowersCsv(120)], "flowers.csv");
const trained = await train(file, { learner: "stump", ignore: ["colour"] });

describe("a new field of the request", () => {
  const request = { ...trained.request, patience: 3 };

  it("is an option of vouch train, under its heading", async () => {
    const command = new Command("train").exitOverride().configureOutput({ writeErr: () => {} });
    addTrainOptions(command, extended);
    const help = command.helpInformation();
    expect(help).toMatch(/^Model:\n(?: .*\n)* {2}--patience <n> +rounds without progress$/m);
    await command.parseAsync(["--patience", "3", "--polish"], { from: "user" });
    expect(extended.parse(command.opts())).toMatchObject({ patience: 3, polish: true, seed: 1 });
    await expect(command.parseAsync(["--patience", "12"], { from: "user" })).rejects.toMatchObject({
      message: "--patience must be a whole number from 1 to 9, not 12.",
    });
  });

  it("is in the command that trains the same model again, and in the program", () => {
    const finished = { data: "flowers.csv", request, model: "m.st" };
    expect(reproductionCommand(finished, trained, extended)).toBe(
      "vouch train flowers.csv --learner stump --ignore colour --seed 1 --patience 3",
    );
    const program = programText({ data: "flowers.csv", request, options: {} }, trained, extended);
    expect(program).toContain('\n  learner: "stump",\n  ignore: ["colour"],\n  seed: 1,\n  patience: 3,\n');
    expect(program).toContain(
      'import { describeVerdict, train } from "vouch";\nimport { saveModel } from "vouch/node";\n',
    );
    expect(program).not.toContain("/internal/");
  });

  it("is checked on shards", async () => {
    expect(() => checkShardRequest({ polish: true }, extended)).toThrow(
      expect.objectContaining({
        message: "--polish cannot be combined with --shard.",
        hint: "Nobody polishes shards.",
      }),
    );
    const exchange = memoryExchange();
    const agree = (shard: number, patience: number) =>
      agreeOnRequest("a.csv", { patience }, new ShardGroup(exchange, shard, 2), extended);
    await Promise.all([agree(0, 3), agree(1, 3)]);
    await expect(Promise.all([agree(0, 3), agree(1, 4)])).rejects.toThrow(
      "Shard 2 was started with --patience 4, and shard 1 with 3.",
    );
  });

  it("is in the table of the documentation", () => {
    expect(optionTable(extended)).toContain("| `--patience <n>` | rounds without progress |");
  });
});

describe("the fields of the request", () => {
  const fields = fieldsIn(trainCommandRequest);

  it("are named like their options", () => {
    for (const { flags, option, negatedHelp } of fields) {
      const [long] = /--[\w-]+/.exec(flags) ?? [];
      expect([option, option.replace("--", "--no-")]).toContain(long);
      expect(negatedHelp === undefined || long === option).toBe(true);
    }
  });

  it("have one line of help each, and places from 1 to 10 for those used most", () => {
    for (const { help } of fields) expect(help).toMatch(/^[^\n]{5,94}[^.\n]$/);
    const places = fields.flatMap(({ place }) => place ?? []);
    expect(places.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("must be the same on shards if a model depends on them and shards have them", () => {
    const loose = fields.filter(({ inModel, shards }) => inModel && shards === "any");
    // Nothing is calibrated on shards.
    expect(loose.map(({ name }) => name)).toEqual(["calibrate"]);
  });

  it("are checked when a program asks", () => {
    expect(() => parseTrainRequest({ holdout: 2 })).toThrow(
      expect.objectContaining({ message: "train: holdout must be a number between 0 and 1, not 2." }),
    );
    const misspelt: object = { traget: "y" };
    expect(() => parseTrainRequest(misspelt)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Did you mean "target"?') }),
    );
  });
});

describe("other commands", () => {
  const streams = { out: process.stdout, err: process.stderr };
  const fields = new Map(fieldsIn(trainCommandRequest).map((field) => [field.option, field]));
  /** Options whose argument is another one than in train, or whose default is. */
  const different = new Set(["select --learner", "select --out", "compare --set", "predict --out"]);

  it.each(["select", "compare", "predict", "certify", "evaluate"])(
    "%s reuses the fields and their groups",
    async (name) => {
      const command = program(streams).commands.find((known) => known.name() === name) ?? expect.fail();
      await completeOptions(command);
      const shared = command.options.flatMap((option) => {
        const field = fields.get(option.long ?? "");
        return field && !different.has(`${name} ${option.long}`) ? [{ option, field }] : [];
      });
      expect(shared.length).toBeGreaterThan(10);
      for (const { option, field } of shared) {
        expect(option.flags).toBe(field.flags);
        const heading = field.place === undefined ? FIELD_GROUPS[field.group] : "Most used";
        expect(option.helpGroupHeading, field.option).toBe(`${heading}:`);
      }
      await expect(command.parseAsync(["--skip", "x"], { from: "user" })).rejects.toThrow("--skip");
    },
  );
});

describe("train", () => {
  afterEach(() => vi.restoreAllMocks());

  it("measures the error and prints nothing", async () => {
    const write = vi.spyOn(process.stdout, "write");
    const { verdict, evaluation, certificates, data, seconds } = await train(file, { learner: "stump" });
    expect(verdict.better).toBe("yes");
    expect(evaluation?.rows).toBe(24);
    expect(certificates[0].holds).toBe(true);
    expect(data.target).toBe("species");
    expect(seconds).toBeGreaterThan(0);
    expect(write).not.toHaveBeenCalled();
  });

  it("announces the data once, after the checks and before any progress of the fit", async () => {
    const heard: string[] = [];
    const events = {
      onData: () => heard.push("data"),
      onProgress: ({ stage }: { readonly stage: string }) => heard.push(stage),
      onNotice: (notice: string) => heard.push(notice),
    };
    const { data } = await train(file, { learner: "boosted-trees", set: { rounds: 3 } }, events);
    expect(heard.filter((event) => event === "data")).toHaveLength(1);
    heard.length = 0;
    // A table was read before, so that all progress is of the training.
    await train(data.whole, { learner: "boosted-trees", set: ["rounds=3"], target: "species" }, events);
    expect(heard[0]).toBe("data");
    heard.length = 0;
    const tooFew = new Table(
      "one",
      1,
      data.whole.columns.map((column) => one(column)),
    );
    await expect(train(tooFew, { learner: "stump", target: "species" }, events)).rejects.toThrow(/^one: /);
    expect(heard).toEqual([]);
  });

  it("announces each notice once, then the data, then fits, even if the learner reports no progress", async () => {
    const heard: string[] = [];
    const [names, ...lines] = flowersCsv(120).trimEnd().split("\n");
    const numbered = lines.map((line, i) => `${i + 1},${line}`).join("\n");
    const { data } = await train(new File([`id,${names}\n${numbered}\n`], "numbered.csv"), {
      learner: "stump",
    });
    const plan = await planTraining(parseTrainRequest({ learner: "majority" }));
    const kind = majority();
    const learner = {
      ...kind,
      fit: (...given: Parameters<typeof kind.fit>) => {
        heard.push("fit");
        return kind.fit(...given);
      },
    };
    await trainRows(
      data,
      { ...plan, learner },
      {},
      {
        onData: () => heard.push("data"),
        onNotice: (notice) => heard.push(notice.slice(0, 19)),
      },
    );
    expect(heard.slice(0, 3)).toEqual(["1 identifier column", "data", "fit"]);
    expect(new Set(heard.slice(3))).toEqual(new Set(["fit"]));
  });

  it("refuses a file that it cannot read beside a file of a browser", async () => {
    await expect(train(file, { learner: "stump", test: "other.csv" })).rejects.toMatchObject({
      message: "--test names the file other.csv, which cannot be read here.",
    });
  });

  /** The first cell of a column. */
  function one(column: Table["columns"][number]): Table["columns"][number] {
    return column.kind === "categorical"
      ? { ...column, codes: column.codes.slice(0, 1) }
      : { ...column, values: Float64Array.from(column.values).slice(0, 1) };
  }
});
