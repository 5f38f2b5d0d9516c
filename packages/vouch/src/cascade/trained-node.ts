/** A set of rows that a node is to be trained on. */
export interface NodeRequest {
  /** Ascending. */
  readonly rows: Int32Array;
  /** What the node is to be; see `CascadeSpace`. */
  readonly choice: number;
  /** Whether its gates are wanted: not for a last node. */
  readonly gated: boolean;
}

/** A gate of a trained node: which rows go on, and how the node's leaf does on those that stay. */
export interface TrainedGate {
  /** Index of its fraction. */
  readonly fraction: number;
  /** The rows that go on, ascending: neither none nor all. */
  readonly rows: Int32Array;
  /** m_k⁺ and m_k⁻ of the rows that stay. */
  readonly correct: number;
  readonly wrong: number;
  /** ‖w‖ of the classifier of the rows that stay, where it is not that of the node. */
  readonly norm?: number;
}

/** What the search knows of a trained node: a function of the rows and the choice alone. */
export interface TrainedNode {
  /** m_k⁺ and m_k⁻ if all rows end here. */
  readonly correct: number;
  readonly wrong: number;
  /** ‖w‖ in feature space, where there is one; 0 otherwise. */
  readonly norm: number;
  /** By ascending fraction, without those that send on all rows or none; empty if they were not asked for. */
  readonly gates: readonly TrainedGate[];
}

/** Trains nodes; results come in the order of the requests and depend on each request alone. */
export interface NodeTrainer {
  train(requests: readonly NodeRequest[]): Promise<readonly TrainedNode[]>;
}
