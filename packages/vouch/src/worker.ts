/** The script of threads, for bundlers that need a path to it. It exports nothing. */
import "@vouch/core/internal/worker";
