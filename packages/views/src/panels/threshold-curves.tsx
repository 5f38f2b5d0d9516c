import { useMemo } from "preact/hooks";
import type { OperatingPoint } from "../facts/ranking-facts.js";
import { type ThresholdFacts, thresholdCurve } from "../facts/threshold-measures.js";
import { RankingFigure } from "./ranking-figure.js";

interface ThresholdCurvesProps {
  readonly facts: ThresholdFacts;
  /** The place of the chosen threshold. */
  readonly point: OperatingPoint;
}

/** Draws a chosen threshold on the ROC and the precision–recall curve of the positive class. */
export function ThresholdCurves({ facts, point }: ThresholdCurvesProps) {
  const ranking = useMemo(() => ({ classes: 2, curves: [thresholdCurve(facts)] }), [facts]);
  return <RankingFigure facts={ranking} point={point} />;
}
