/**
 * Settings that decide how a race divides its time and which candidates it drops. A share is a fraction of what its name ends with, a
 * factor multiplies a prediction or a loss, and all others name their unit.
 */
export const RACE_SETTINGS = {
  /** How much a race works on at once. */
  size: {
    /** Candidates race on a stratified subsample of at most this many rows: more tell no difference that matters. */
    mostRows: 250_000,
    /** Larger rounds are fitted one by one, each on all threads, as the winner will be: their times predict that of the final fit. */
    mostCellsSideBySide: 2_000_000,
    /** More scores (test rows × classes) would take too much memory; they are kept only if the metric needs them. */
    mostKeptScores: 4_000_000,
  },

  /** How fit times are predicted from smaller fits. */
  prediction: {
    /** Fit times grow as rows to this power until two sizes have been timed. Most learners take a little more than linear time. */
    fitPower: { expected: 1, pessimistic: 1.1 },
    /** The same for kernel machines, whose support vectors grow in number with the rows. */
    kernelFitPower: { expected: 1.3, pessimistic: 1.7 },
    /** Two measured times give a power in this range: outside of it they are mostly noise. */
    leastMeasuredPower: 0.9,
    mostMeasuredPower: 2.5,
    /** Shorter times are mostly noise. */
    leastMeasuredSeconds: 0.02,
    /** A kernel machine classifies a row in time that grows as its training rows to this power: not all become support vectors. */
    kernelTestPower: 0.7,
    /** Predicted times are multiplied by this before they are compared with the time left: too late costs more than too early. */
    safetyFactor: 1.25,
    /** The same for fits to at most `nearbyRowsFactor` times the rows of the largest timed fit, which are predicted well. */
    nearbySafetyFactor: 1.1,
    nearbyRowsFactor: 1.5,
  },

  /** How long rounds and fits may take. */
  limits: {
    /** A round of a subsample only prepares for the folds of all rows, which need most of the time. */
    subsampleRoundShareOfTimeLeft: 1 / 3,
    /** At least one more fold has to follow. */
    foldShareOfTimeLeft: 1 / 2,
    /** The search gets what all folds of the last stage leave. */
    lastStageShareOfTimeLeft: 2 / 3,
    /** Fits that are predicted to be this quick run before longer ones, which would use up the time of the round. */
    quickFitShareOfRound: 1 / 20,
    /** A kind of learner that may turn out to help is promoted before the rest if it is this quick. */
    quickKindShareOfStage: 1 / 15,
    /** Several fits of unknown length have to fit into a round. */
    unknownFitShareOfRound: 1 / 4,
    /** A fit of known length that is not the leader's leaves as much for others. */
    followerFitShareOfRound: 1 / 2,
    /** A fit is aborted after this many times its predicted length: predictions from small fits are rough. */
    overrunFactor: 3,
    /** Within this time no fit is aborted as too long: short fits are predicted badly. */
    alwaysAllowedShareOfRace: 1 / 20,
  },

  /** Time that is kept for the work after the rounds. */
  reserve: {
    /** Fitting the members of an ensemble may not take more: it would leave too few rounds to form it by. */
    mostForEnsembleShareOfRace: 0.35,
    /** Kept for the members in any case, since several quick ones cost little and often win. */
    leastForEnsembleShareOfRace: 0.04,
    /** Time is kept for this many members: most ensembles have fewer. */
    expectedMembers: 8,
    /** Before the tests that an ensemble is formed by, more would defeat itself: without tests there is no ensemble. */
    untestedEnsembleShareOfTimeLeft: 1 / 2,
    /** For what is not predicted: weights of an ensemble, calibration, tests and certificates. */
    otherWorkShareOfRace: 0.04,
    /** A model of this share of the rows is as good as one of all, which is simpler to explain. */
    almostAllShareOfRows: 0.9,
  },

  /** Who leaves the race. */
  dropping: {
    /** Larger differences from the leader are not chance, even though many candidates are tested. */
    clearStandardErrors: 2.5,
    /** A subsample allows for this share of the leader's loss in addition: more rows may change so much. */
    catchUpShareOfLoss: 0.25,
    /** The best of a kind of learner stays for an ensemble if its loss is at most this many times the leader's. */
    closeLossFactor: 1.5,
    /** After a subsample it may be further behind: networks, for example, catch up with more rows. */
    closeLossFactorOnSubsample: 2,
    /** Further behind, the best of a kind gets no weight in an ensemble that is worth its time. */
    mayHelpLossFactor: 3,
    /** Candidates with a smaller weight add little to an ensemble. */
    leastEnsembleWeight: 0.05,
    /** With fewer kinds of learners in the last stage an ensemble has little to combine: rather fewer rounds. */
    enoughKinds: 4,
    /** A leader alone has nothing to be compared with: rather fewer rounds. */
    enoughFamilies: 2,
  },

  /** The search near the best candidates. */
  search: {
    /** A proposal may take this many times as long as the best configuration of its learner. */
    proposalTimeFactor: 2,
    /** The least time that a proposal is expected to take: shorter ones are not measured well. */
    leastProposalSeconds: 0.01,
    /** Half of the time left is spent on a round of a proposal at most, so that another one can follow. */
    proposalShareOfTimeLeft: 1 / 2,
    /** Ends after this many proposals without a better leader: on few rows further ones would only fit the noise of the folds. */
    mostIdleProposals: 60,
    /** Proposals that are judged together, whatever the number of threads, so that the result does not depend on it. */
    proposalsAtOnce: 4,
    /** A proposal leaves if it is so far behind the leader, or behind the best configuration of its learner. */
    behindLeaderStandardErrors: 2,
    behindLearnerStandardErrors: 0.5,
  },

  /** A comparison: a race that nobody leaves. */
  comparison: {
    /** Fits to this share of the training rows of a fold predict how long fits take, */
    probeShareOfRows: 1 / 16,
    /** with at least so many rows, if a fold has at least `leastProbeReduction` times as many. */
    leastProbeRows: 50,
    leastProbeReduction: 4,
    /** A probe may take this share of the whole time, but at least so many seconds, and all of them together no more than a quarter. */
    probeShareOfTime: 1 / 48,
    leastProbeSeconds: 0.1,
    allProbesShareOfTime: 1 / 4,
    /** The first fit of a learner loads and compiles modules: so many seconds of it do not count, but at least a quarter does. */
    warmUpSeconds: 0.15,
    leastCountedShareOfProbe: 1 / 4,
    /** Fits to all rows may go on for this share of the whole time after it: the folds would be worth less without them. */
    graceShareOfTime: 0.08,
  },
} as const;
