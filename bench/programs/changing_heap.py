"""A heap of about 50 MB of which a tenth changes at a time, for a number of seconds; then it dies.

For docs/bench.md, "A run of ten minutes".
"""
import random
import sys
import time

ROWS = 200000
random.seed(1)
table = {n: [n, str(n), n * 0.5] for n in range(ROWS)}
end = time.monotonic() + float(sys.argv[1])
total = rounds = 0
while time.monotonic() < end:
    base = rounds * 97 % ROWS
    for _ in range(2000):
        row = table[(base + random.randrange(ROWS // 10)) % ROWS]
        row[0] += 1
        row[1] = str(row[0])
        total += row[0]
    rounds += 1
print(rounds, total)
1 // (rounds - rounds)
