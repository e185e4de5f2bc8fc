# needs: python3
python3 -I - <<'PY'
import base64, collections, datetime, decimal, fractions, hashlib, heapq, itertools, json, math
import os, pickle, random, re, struct, textwrap, zlib

words = open(os.environ["INPUT"] + "/words").read().split()
text = " ".join(words)
print(json.dumps({"n": len(words), "list": [1, 2.5, None, True], "s": "\u00e9\n"}, sort_keys=True))
print(json.loads('{"a": [1, {"b": 2}]}'))
print(collections.Counter(w[0] for w in words).most_common(3))
print(len(re.findall(r"\b(\w)\w*\1\b", text)), re.sub(r"(a+)(b*)", r"\2\1", text)[:60])
print(hashlib.sha256(text.encode()).hexdigest())
print(zlib.crc32(b"abc" * 1000), len(zlib.compress(b"abc" * 1000)))
print(struct.pack("<IhQd", 1, -2, 3, 4.5).hex(), struct.unpack(">2H", b"\0\1\2\3"))
print(pickle.loads(pickle.dumps({"x": (1, [2])})))
random.seed(5)
x = [random.random() for _ in range(2000)]
print(sum(x), math.fsum(x), sorted(x)[1000], random.choice(words))
decimal.getcontext().prec = 50
print(decimal.Decimal(2).sqrt(), fractions.Fraction(1, 3) + fractions.Fraction(1, 6))
print(2**521 % 1000007, pow(3, 10**6, 10**9 + 7))


def numbers(n):
    for i in range(n):
        try:
            yield i
        finally:
            pass


print(sum(numbers(20000)), [*itertools.islice(itertools.permutations(range(5)), 50, 53)])
print(datetime.datetime(2020, 2, 29).isoformat(), heapq.nsmallest(3, words))
print(base64.b64encode(b"x" * 10), textwrap.fill("the quick brown fox " * 3, 20))
try:
    1 / 0
except ZeroDivisionError as e:
    print(repr(e))
raise SystemExit(9)
PY
echo $?
