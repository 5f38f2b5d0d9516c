"""The side of a benchmark that runs in Python: does the work once per line read, answers with the seconds."""

import json
import resource
import sys
import time


def serve(work):
    """Runs `work` for every line on standard input; `work` may give a dict of facts."""
    for _ in sys.stdin:
        began = time.perf_counter()
        facts = work()
        answer = {"seconds": time.perf_counter() - began}
        if facts:
            answer["facts"] = facts
        print(json.dumps(answer), flush=True)


def peak_megabytes():
    """The most memory that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
