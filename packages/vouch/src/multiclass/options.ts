import { z } from "zod";

/** What a scheme that makes a classifier for many classes of machines for two can be told. */
export const multiclassOptions = z.object({
  base: z
    .string()
    .default("svm")
    .describe("The learner that tells two classes apart: any that is not such a scheme itself."),
  baseOptions: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("Options of the base; the command line sets them one by one as base.NAME=VALUE."),
  maxRows: z
    .union([z.int().min(10), z.enum(["auto", "all"])])
    .default("auto")
    .describe(
      "Most rows that one machine is trained on, drawn at random where there are more; auto is all rows, but 1000 for bases whose search is slow: deep cascades.",
    ),
});
