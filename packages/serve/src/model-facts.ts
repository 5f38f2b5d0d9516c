import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { certify } from "@vouch/core/internal/train/certify";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import { describeVerdict, type Verdict } from "@vouch/core/internal/train/verdict";

/** A column as clients see it. */
export interface ServedColumn {
  readonly name: string;
  readonly kind: "numeric" | "categorical" | "date" | "text";
  /** Categories of the training rows. */
  readonly levels?: readonly string[];
}

/** Facts about a model: the columns it expects, the classes it predicts, and how far it can be trusted. */
export interface ModelFacts {
  readonly learner: string;
  readonly target: string;
  readonly classes: readonly string[];
  readonly columns: readonly ServedColumn[];
  readonly abstains: boolean;
  readonly gives_sets: boolean;
  /** Whether the model is better than always predicting the most frequent class; absent if that was not measured. */
  readonly verdict?: {
    readonly better: Verdict["better"];
    readonly sentence: string;
    readonly warnings: readonly string[];
  };
  /** The certificate to quote; absent if its premises do not hold or it is uninformative. */
  readonly certificate?: Pick<Certificate, "name" | "measure" | "value" | "confidence" | "statement">;
  readonly trained: { readonly data: string; readonly rows: number; readonly vouch: string };
}

/** Collects the facts of a model. */
export function describeModel(classifier: Classifier): ModelFacts {
  const { card, encoder, decision } = classifier;
  const words = card.verdict && describeVerdict(card.verdict);
  const [quoted] = certify(classifier);
  const certificate = quoted?.holds && quoted.reason === undefined ? quoted : undefined;
  return {
    learner: card.learner,
    target: encoder.schema.target,
    classes: classifier.classes,
    columns: encoder.schema.columns.map((column) => ({
      name: column.name,
      kind: column.kind,
      ...(column.kind === "categorical" && { levels: column.levels }),
    })),
    abstains: decision.abstention !== undefined,
    gives_sets: decision.sets !== undefined,
    ...(card.verdict &&
      words && {
        verdict: { better: card.verdict.better, sentence: words.verdict, warnings: words.warnings },
      }),
    ...(certificate && {
      certificate: {
        name: certificate.name,
        measure: certificate.measure,
        value: certificate.value,
        confidence: certificate.confidence,
        statement: certificate.statement,
      },
    }),
    trained: { data: baseName(card.data.name), rows: card.data.rows, vouch: card.vouch },
  };
}

/** Strips the folders from a data file's path, because clients must not see paths of the server. */
function baseName(name: string): string {
  return name.split(/[/\\]/).at(-1) ?? name;
}
