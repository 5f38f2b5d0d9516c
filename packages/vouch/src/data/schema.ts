/** What a model remembers of one raw column. */
export type ColumnSchema =
  | { readonly kind: "numeric"; readonly name: string }
  | { readonly kind: "categorical"; readonly name: string; readonly levels: readonly string[] };

/** The raw columns of the training data, target included. */
export interface Schema {
  /** Feature columns, in the order of training. */
  readonly columns: readonly ColumnSchema[];
  /** Name of the column that holds the class. */
  readonly target: string;
  /** The classes, in the order of class indices. */
  readonly classes: readonly string[];
}
