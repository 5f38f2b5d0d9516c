/**
 * The panels that show a model, as Preact components: in a report, in the studio, on your own page. They take plain data; see
 * `@vouch/views/facts` for the functions that compute it.
 *
 * @packageDocumentation
 */

export { Alive, useAlive } from "./alive.js";
export { AbstentionSection } from "./panels/abstention-section.js";
export { CalibrationFigure } from "./panels/calibration-figure.js";
export { CertificateCard, PremiseList } from "./panels/certificate-cards.js";
export { type ConfusionCell, ConfusionTable } from "./panels/confusion-table.js";
export { DecisionSection } from "./panels/decision-section.js";
export { ErrorLine } from "./panels/error-line.js";
export { GuaranteeSection } from "./panels/guarantee-section.js";
export { MarginFigure } from "./panels/margin-figure.js";
export { costsInWords, MetricLine } from "./panels/metric-line.js";
export { PeriodFigure } from "./panels/period-figure.js";
export { RankingFigure } from "./panels/ranking-figure.js";
export { SetSection } from "./panels/set-section.js";
export { ThresholdPanel } from "./panels/threshold-panel.js";
export { VerdictPanel } from "./panels/verdict-panel.js";
