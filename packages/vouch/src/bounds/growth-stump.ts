/**
 * ln of how many ways stumps can label n points with d features (Triviño 2017, section 3.2.2): each feature can be cut
 * in n − 1 places, the two sides get different classes in K(K − 1) ways, and there are K constants,
 *
 *     Π(n) ≤ (n − 1) d K(K − 1) + K,   for two classes 2(n − 1)d + 2.
 *
 * The thesis has 2nd for two classes, which also counts the constants once per feature.
 */
export function logStumpGrowth(points: number, features: number, classes = 2): number {
  return Math.log((points - 1) * features * classes * (classes - 1) + classes);
}
