"""The Python side of a benchmark: does the work once for every line and answers with the seconds."""

import json
import resource
import sys
import time


def serve(work, facts_of=None):
    """
    Runs `work` for every line on standard input. Facts are the result of `work`, or computed from it by
    `facts_of`, outside the timing.
    """
    for _ in sys.stdin:
        print(lap(work, facts_of), flush=True)


def lap(work, facts_of=None):
    """Runs `work` once and returns its seconds and facts as JSON."""
    began = time.perf_counter()
    result = work()
    answer = {"seconds": time.perf_counter() - began}
    facts = facts_of(result) if facts_of else result
    if facts:
        answer["facts"] = facts
    return json.dumps(answer)


def peak_megabytes():
    """Returns the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
