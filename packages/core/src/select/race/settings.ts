/**
 * Settings that decide how a race divides its time and which candidates it drops. A share is a fraction of what its
 * name ends with, a factor multiplies a prediction or a loss, and all others name their unit.
 */
export const RACE_SETTINGS = {
  /** How much a race does at once. */
  size: {
    /**
     * Candidates race on a stratified subsample of at most this many rows; more would not show differences that matter.
     */
    mostRows: 250_000,
    /**
     * Larger rounds are fitted one by one, each on all threads, like the winner, so that their times predict the final
     * fit.
     */
    mostCellsSideBySide: 2_000_000,
    /** More scores (test rows × classes) would take too much memory; they are kept only if the metric needs them. */
    mostKeptScores: 4_000_000,
  },

  /** How fit times are predicted from smaller fits. */
  prediction: {
    /**
     * Exponent of fit times in the number of rows, until two sizes have been timed. Most learners take slightly more
     * than linear time.
     */
    fitPower: { expected: 1, pessimistic: 1.1 },
    /** The same for kernel machines, whose number of support vectors grows with the rows. */
    kernelFitPower: { expected: 1.3, pessimistic: 1.7 },
    /** Range of the power from two measured times; beyond it, they are mostly noise. */
    leastMeasuredPower: 0.9,
    mostMeasuredPower: 2.5,
    /** Shorter times are mostly noise. */
    leastMeasuredSeconds: 0.02,
    /** Exponent of a kernel machine's time to classify a row in its training rows; not all become support vectors. */
    kernelTestPower: 0.7,
    /**
     * Factor for predicted times before comparing them with the time left, because too late costs more than too early.
     */
    safetyFactor: 1.25,
    /**
     * The same for fits to at most `nearbyRowsFactor` times the rows of the largest timed fit, which are predicted
     * well.
     */
    nearbySafetyFactor: 1.1,
    nearbyRowsFactor: 1.5,
  },

  /** Time limits of rounds and fits. */
  limits: {
    /** A round of a subsample only prepares for the folds of all rows, which need most of the time. */
    subsampleRoundShareOfTimeLeft: 1 / 3,
    /** At least one more fold must follow. */
    foldShareOfTimeLeft: 1 / 2,
    /** The search gets what all folds of the last stage leave. */
    lastStageShareOfTimeLeft: 2 / 3,
    /** Faster fits, by prediction, run before longer ones, which would use up the time of the round. */
    quickFitShareOfRound: 1 / 20,
    /** A possibly helpful kind of learner is promoted before the rest if it is this fast. */
    quickKindShareOfStage: 1 / 15,
    /** Several fits of unknown length must fit into a round. */
    unknownFitShareOfRound: 1 / 4,
    /** A fit of known length other than the leader's leaves as much time for others. */
    followerFitShareOfRound: 1 / 2,
    /** A fit is aborted after this many times its predicted length, because predictions from small fits are rough. */
    overrunFactor: 3,
    /** Within this time no fit is aborted, because short fits are predicted badly. */
    alwaysAllowedShareOfRace: 1 / 20,
  },

  /** Time reserved for the work after the rounds. */
  reserve: {
    /** Maximum for fitting the members of an ensemble; more would leave too few rounds to form it. */
    mostForEnsembleShareOfRace: 0.35,
    /** Always reserved for the members, because several fast ones cost little and often win. */
    leastForEnsembleShareOfRace: 0.04,
    /** Time is reserved for this many members; most ensembles have fewer. */
    expectedMembers: 8,
    /** Before the tests that form an ensemble, more would be self-defeating. */
    untestedEnsembleShareOfTimeLeft: 1 / 2,
    /** For what is not predicted: weights of an ensemble, calibration, tests and certificates. */
    otherWorkShareOfRace: 0.04,
    /** A model of this share of the rows is as good as one of all, which is simpler to explain. */
    almostAllShareOfRows: 0.9,
  },

  /** Who leaves the race. */
  dropping: {
    /** Larger differences from the leader are not chance, even among many candidates. */
    clearStandardErrors: 2.5,
    /** Additional allowance on a subsample, as a share of the leader's loss, because more rows may change that much. */
    catchUpShareOfLoss: 0.25,
    /** The best of a kind of learner stays for an ensemble if its loss is at most this many times the leader's. */
    closeLossFactor: 1.5,
    /** After a subsample it may be further behind: networks, for example, catch up with more rows. */
    closeLossFactorOnSubsample: 2,
    /** Further behind, the best of a kind gets no weight in a worthwhile ensemble. */
    mayHelpLossFactor: 3,
    /** Candidates with a smaller weight add little to an ensemble. */
    leastEnsembleWeight: 0.05,
    /**
     * With fewer kinds of learners in the last stage, an ensemble has little to combine, so fewer rounds are better.
     */
    enoughKinds: 4,
    /** A leader alone has nothing to compare with, so fewer rounds are better. */
    enoughFamilies: 2,
  },

  /** The search near the best candidates. */
  search: {
    /** A proposal may take this many times as long as the best configuration of its learner. */
    proposalTimeFactor: 2,
    /** Minimum expected time of a proposal; shorter times are not measured well. */
    leastProposalSeconds: 0.01,
    /** Maximum share of the remaining time for a round of a proposal, so that another one can follow. */
    proposalShareOfTimeLeft: 1 / 2,
    /**
     * Ends after this many proposals without a better leader; on few rows, more would only fit the noise of the folds.
     */
    mostIdleProposals: 60,
    /** Number of proposals judged together; fixed, so that the result does not depend on the number of threads. */
    proposalsAtOnce: 4,
    /** A proposal leaves if it is this far behind the leader, or behind the best configuration of its learner. */
    behindLeaderStandardErrors: 2,
    behindLearnerStandardErrors: 0.5,
  },

  /** A comparison is a race that nobody leaves. */
  comparison: {
    /** Fits to this share of a fold's training rows predict how long fits take, */
    probeShareOfRows: 1 / 16,
    /** with at least this many rows, if a fold has at least `leastProbeReduction` times as many. */
    leastProbeRows: 50,
    leastProbeReduction: 4,
    /**
     * A probe may take this share of the total time, but at least this many seconds, and all of them together no more
     * than a quarter.
     */
    probeShareOfTime: 1 / 48,
    leastProbeSeconds: 0.1,
    allProbesShareOfTime: 1 / 4,
    /**
     * The first fit of a learner loads and compiles modules. This many seconds of it do not count, but at least a
     * quarter does.
     */
    warmUpSeconds: 0.15,
    leastCountedShareOfProbe: 1 / 4,
    /** Fits to all rows may exceed the total time by this share, because the folds would be worth less without them. */
    graceShareOfTime: 0.08,
  },
} as const;
