/** What a unit makes of the weighted sum of its inputs. */
export const activations = ["sigmoid", "tanh", "relu"] as const;

/** Of hidden units. */
export type Activation = (typeof activations)[number];

/** The numbers that kernels know activations by. */
export const ACTIVATION_NUMBER = { sigmoid: 1, tanh: 2, relu: 3 } as const;
