"""A mechanism for `deniable audit` that adds Laplace noise of half the scale it should.

It reads one request per line, {"input": [count], "times": n}, and answers with n lines, one noisy count each. The noise is
meant for epsilon = 0.5, so its scale should be 2; it is 1, and the program is really good for epsilon = 1 only.
"""

import json
import random
import sys

EPSILON = 0.5
SCALE = 0.5 / EPSILON  # wrong: a count that changes by one needs 1 / EPSILON


def noise():
    # The difference of two exponential draws has a Laplace distribution.
    return SCALE * (random.expovariate(1) - random.expovariate(1))


for line in sys.stdin:
    request = json.loads(line)
    count = request["input"][0]
    # Rounded to thousandths, so that only the scale reveals the fault, and not the last bits of floats.
    answers = (f"{count + noise():.3f}\n" for _ in range(request["times"]))
    sys.stdout.write("".join(answers))
    sys.stdout.flush()
