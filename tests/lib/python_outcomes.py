"""python_outcomes.py FILE MODULE [WITHOUT]: runs one module of python's own test package.

Every test that has ended adds a line to FILE at once, `OUTCOME ID`: ok, skip, or FAIL for
anything else, a subtest included.  So that a run which dies or hangs has said how far it came,
and two runs can be compared test by test.  Details go to stderr.  Tests whose names match the
regular expression WITHOUT are left out.
"""
import re
import sys
import unittest

from test import support


class Outcomes(unittest.TextTestResult):
    def note(self, outcome, test):
        print(outcome, test.id(), file=FILE, flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.before = len(self.failures) + len(self.errors) + len(self.unexpectedSuccesses)
        self.skips_before = len(self.skipped)

    def stopTest(self, test):
        bad = len(self.failures) + len(self.errors) + len(self.unexpectedSuccesses)
        if bad > self.before:
            self.note("FAIL", test)
        elif len(self.skipped) > self.skips_before:
            self.note("skip", test)
        else:
            self.note("ok", test)
        super().stopTest(test)


def all_tests(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from all_tests(test)
        else:
            yield test


def main():
    global FILE
    FILE = open(sys.argv[1], "w")
    module = sys.argv[2]
    without = re.compile(sys.argv[3] if len(sys.argv) > 3 else "(?!)")
    sys.argv[1:] = []
    support.use_resources = ["subprocess", "cpu"]  # no network, no sound, no gigabytes
    found = unittest.defaultTestLoader.loadTestsFromName("test." + module)
    suite = unittest.TestSuite(t for t in all_tests(found) if not without.search(t.id()))
    unittest.TextTestRunner(sys.stderr, verbosity=2, resultclass=Outcomes).run(suite)
    print("end", file=FILE, flush=True)


if __name__ == "__main__":  # processes that multiprocessing starts import this file
    main()
