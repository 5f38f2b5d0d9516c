/**
 * The numbers that TypeScript needs to lay out memory for the module. `build.mjs` writes their values into the generated TypeScript
 * module, so that each is defined once.
 */
import { MOST_CELLS as MOST_UNIT_CELLS } from "./boosted-build";
import { LevelPart, LevelPlan, MOST_PACKED as MOST_PACKED_BYTES, OwnerUnit } from "./boosted-shard";
import { Boosted, FEATURE_BYTES as BYTES_OF_FEATURE, Split, WORKER_BYTES } from "./boosted-state";
import { ScoredRows } from "./calibration";
import { ENTRY as SUMS_ENTRY, USE } from "./kernel-sums";
import { SparseSample } from "./kernel-sparse";
import { ROW_SCRATCH } from "./kernel-values";
import { ENTRY as LINEAR_ENTRY, Linear } from "./linear";
import { Logistic } from "./logistic";
import { BLOCK_COLUMNS, ENTRY as LIST_ENTRY, PART } from "./net-lists";
import { StepRule } from "./net-step";
import { STRIPE } from "./net-sums";
import { PANEL_STEP as STEP } from "./panels";
import { DIGIT_VALUES as VALUES, HALF_KEY_DIGITS, PAIR } from "./radix";
import { RowCache } from "./row-cache";
import { Smo, VECTOR_BYTES } from "./smo-state";
import { Column } from "./tree-column";
import { CATEGORICAL as CATEGORICAL_BIT, FEATURE_SHIFT as BITS_BELOW_FEATURE, NODE_SHIFT, SET_BYTES, SHIFT_PLACE as PLACE_OF_SHIFT } from "./tree-node";
import { GIVEN } from "./tree-rows";
import { Grower } from "./tree-state";
import { LOSS_UNITS } from "./tree-votes";
import { WALKERS, WalkingRows } from "./tree-walk";

// Packed matrices and sorting

/** Bytes of one step along the depth of a panel: a panel has depth × PANEL_STEP bytes. */
export const PANEL_STEP: i32 = <i32>STEP;
/** Values of a digit of the radix sort. */
export const DIGIT_VALUES: i32 = <i32>VALUES;
/** Digits of half a key of the radix sort. */
export const DIGITS_PER_HALF: i32 = HALF_KEY_DIGITS;
/** Bytes of a pair of half a key and an index. */
export const PAIR_BYTES: i32 = <i32>PAIR;

// Trees

/** Words of a column's entry in the table of columns. */
export const COLUMN_WORDS: i32 = <i32>offsetof<Column>() >> 2;
/** The word of a column's entry that counts its bins. */
export const BINS_WORD: i32 = <i32>offsetof<Column>("count") >> 2;
/** The word of a column's entry that says whether it has categories. */
export const CATEGORICAL_WORD: i32 = <i32>offsetof<Column>("categorical") >> 2;
/** The word of a column's entry that says whether cells are missing. */
export const MISSING_WORD: i32 = <i32>offsetof<Column>("missing") >> 2;
/** Words of a node of a tree. */
export const NODE_WORDS: i32 = <i32>((1 << NODE_SHIFT) >> 2);
/** Bits of a split below its feature, see `tree-node.ts`; the bit of splits of categories, and the place of the bit `shift`. */
export const FEATURE_SHIFT: i32 = BITS_BELOW_FEATURE;
export const CATEGORICAL: i32 = CATEGORICAL_BIT;
export const SHIFT_PLACE: i32 = PLACE_OF_SHIFT;
/** Words of a set of categories. */
export const SET_WORDS: i32 = <i32>(SET_BYTES >> 2);
/** Bytes of the state of a thread that grows trees. */
export const GROWER_BYTES: i32 = <i32>offsetof<Grower>();
/** Where the state of a thread has its grown tree: the weight of the root, and addresses and counts as words after it. */
export const GROWN_TREE: i32 = <i32>offsetof<Grower>("rootWeight");
/** As a number of draws: the draws of each row are given. */
export const GIVEN_DRAWS: i32 = GIVEN;
/** Bytes of the walking rows, followed by the place of each walker's row in the list. */
export const WALKER_BYTES: i32 = <i32>offsetof<WalkingRows>() + WALKERS * <i32>sizeof<i32>();
/** A loss of 1 in the table of losses of forests. */
export const VOTE_LOSS_UNITS: i32 = <i32>LOSS_UNITS;

// Boosted trees

/** Bytes of the state of a tree that grows. */
export const BOOSTED_BYTES: i32 = <i32>offsetof<Boosted>();
/** The first word of this state that TypeScript reads. */
export const BOOSTED_LEVEL_WORD: i32 = <i32>offsetof<Boosted>("levelBegin") >> 2;
/** Bytes of scratch of each worker. */
export const BOOSTED_WORKER_BYTES: i32 = <i32>WORKER_BYTES;
/** Bytes of the histogram of a feature. */
export const FEATURE_BYTES: i32 = <i32>BYTES_OF_FEATURE;
/** The most cells of a unit of work. */
export const MOST_CELLS: i32 = <i32>MOST_UNIT_CELLS;
/** The most bytes of a packed histogram. */
export const MOST_PACKED: i32 = MOST_PACKED_BYTES;
/** Bytes of a split as shards send it. */
export const SPLIT_BYTES: i32 = <i32>offsetof<Split>();
/** Words of the plan of a level on shards. */
export const PLAN_WORDS: i32 = <i32>offsetof<LevelPlan>() >> 2;
/** Words of a part of the plan. */
export const PART_WORDS: i32 = <i32>offsetof<LevelPart>() >> 2;
/** Words of an owner of features. */
export const OWNER_WORDS: i32 = <i32>offsetof<OwnerUnit>() >> 2;

// Support vector machines

/** Bytes of the state of a problem. */
export const SMO_BYTES: i32 = <i32>offsetof<Smo>();
/** The words of a problem with the addresses of G and β, and with the number of iterations. */
export const SMO_GRADIENT_WORD: i32 = <i32>offsetof<Smo>("gradient") >> 2;
export const SMO_BETA_WORD: i32 = <i32>offsetof<Smo>("beta") >> 2;
export const SMO_ITERATIONS_WORD: i32 = <i32>offsetof<Smo>("iterations") >> 2;
/** Bytes of the vectors of a problem, per row. */
export const SMO_VECTOR_BYTES: i32 = VECTOR_BYTES;
/** Bytes of the state of a cache of rows. */
export const ROW_CACHE_BYTES: i32 = <i32>offsetof<RowCache>();
/** The word of a cache with the number of its rows. */
export const ROW_CACHE_USED_WORD: i32 = <i32>offsetof<RowCache>("used") >> 2;
/** Bytes of scratch to compute a row of kernel values. */
export const KERNEL_ROW_SCRATCH: i32 = ROW_SCRATCH;
/** Bytes of the addresses of sparse rows. */
export const SPARSE_SAMPLE_BYTES: i32 = <i32>offsetof<SparseSample>();
/** Bytes of a coefficient of a machine in `kernel-sums.ts`. */
export const SUMS_ENTRY_BYTES: i32 = <i32>SUMS_ENTRY;
/** Bytes of a machine's use of a chunk of support vectors. */
export const SUMS_USE_BYTES: i32 = <i32>USE;
/** Bytes of the state of a linear problem. */
export const LINEAR_BYTES: i32 = <i32>offsetof<Linear>();
/** Bytes of a row of a linear problem. */
export const LINEAR_ENTRY_BYTES: i32 = <i32>LINEAR_ENTRY;

// Logistic regression, calibration and networks

/** Bytes of the state of a logistic loss. */
export const LOGISTIC_BYTES: i32 = <i32>offsetof<Logistic>();
/** Bytes of the state of a loss of calibration. */
export const CALIBRATION_BYTES: i32 = <i32>offsetof<ScoredRows>();
/** Columns in a stripe of weights. */
export const STRIPE_COLUMNS: i32 = STRIPE;
/** Bytes of an entry of a list of numbers that are not zero. */
export const LIST_ENTRY_BYTES: i32 = <i32>LIST_ENTRY;
/** Columns in a part of such a list. */
export const LIST_BLOCK: i32 = BLOCK_COLUMNS;
/** Words of a part of such a list. */
export const LIST_PART_WORDS: i32 = <i32>PART >> 2;
/** Words of the state of an optimiser. */
export const RULE_WORDS: i32 = <i32>offsetof<StepRule>() >> 2;
