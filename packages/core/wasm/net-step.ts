/** The step rule of weights: seven words that TypeScript writes. */
@unmanaged export class StepRule {
  /** 0: stochastic gradient descent; 1: Adam. */
  method: i32;
  /** The learning rate; for Adam with both bias corrections. */
  rate: f32;
  /** The factor of weight decay: 1 − learning rate · decay. */
  shrink: f32;
  /** μ of the momentum, or β₁ of Adam. */
  first: f32;
  /** β₂ of Adam. */
  second: f32;
  /** ε of Adam, with the bias correction of the second moment. */
  epsilon: f32;
}

/**
 * Updates four weights by their gradients g.
 *
 *     momentum:  v ← μv + g,                                   w ← (1 − ηλ)w − ηv
 *     Adam:      m ← β₁m + (1 − β₁)g,  v ← β₂v + (1 − β₂)g²,   w ← (1 − ηλ)w − η′ m / (√v + ε′)
 *
 * Without momentum no state is kept. Weight decay is decoupled from the gradient (Loshchilov and Hutter 2019).
 */
@inline export function step(w: usize, gradient: v128, shrink: v128, how: StepRule, memory: usize): void {
  let direction = gradient;
  if (how.method == 1) {
    const one: f32 = 1;
    const m = f32x4.add(
      f32x4.mul(f32x4.splat(how.first), v128.load(w + memory)),
      f32x4.mul(f32x4.splat(one - how.first), gradient),
    );
    const v = f32x4.add(
      f32x4.mul(f32x4.splat(how.second), v128.load(w + 2 * memory)),
      f32x4.mul(f32x4.splat(one - how.second), f32x4.mul(gradient, gradient)),
    );
    v128.store(w + memory, m);
    v128.store(w + 2 * memory, v);
    direction = f32x4.div(m, f32x4.add(f32x4.sqrt(v), f32x4.splat(how.epsilon)));
  } else if (how.first != 0) {
    direction = f32x4.add(f32x4.mul(f32x4.splat(how.first), v128.load(w + memory)), gradient);
    v128.store(w + memory, direction);
  }
  v128.store(w, f32x4.sub(f32x4.mul(shrink, v128.load(w)), f32x4.mul(f32x4.splat(how.rate), direction)));
}
