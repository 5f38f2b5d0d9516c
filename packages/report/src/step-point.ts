/** A value after a step of training; steps are counted from one. */
export interface StepPoint {
  readonly step: number;
  readonly value: number;
}
