"""Random messages for `ebb dap`: see tests/torture/dap.

    fuzz.py RECORDING ROUNDS SEED
"""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Client  # noqa: E402

COMMANDS = '''threads stackTrace scopes variables evaluate setVariable completions modules source
loadedSources breakpointLocations setBreakpoints setFunctionBreakpoints setInstructionBreakpoints
dataBreakpointInfo setDataBreakpoints setExceptionBreakpoints exceptionInfo continue
reverseContinue next stepIn stepOut stepBack ebb/reverseStepIn ebb/reverseStepOut pause gotoTargets
goto restartFrame readMemory disassemble ebb/history ebb/whoWrote ebb/becameTrue ebb/runToLine
ebb/timeline ebb/goto ebb/undo ebb/redo ebb/bookmarks cancel initialize launch nonsense'''.split()
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tour.c')
KEYS = '''threadId frameId startFrame levels variablesReference filter start count expression context
text column source line endLine breakpoints name condition hitCondition logMessage dataId accessType
filters granularity targetId memoryReference offset instructionOffset instructionCount moment
direction most add remove requestId progressId asAddress bytes goto format'''.split()
VALUES = [0, 1, 2, 3, 65537, -1, 1 << 40, 1.5, True, False, None, '', 'x', 'counter', 'head->next',
          'main', 'start', 'end', '50%', 'forward', 'backward', 'repl', 'watch', '0x0', 'a > 3', '%3',
          '{a}', 'x:counter', 'a:0x1000:8', 'add', [], {}, [1], {'path': SOURCE}, 'instruction',
          [{'line': 20}], [{'line': 22, 'condition': 'a == 2'}], [{'name': 'add'}], ['signals'],
          [{'dataId': 'x:counter'}], {'hex': True}, 20, 22, 33]
USUAL = {'threadId': 1, 'frameId': 1, 'source': {'path': SOURCE}, 'line': 20, 'expression': 'counter',
         'context': 'watch', 'name': 'counter', 'memoryReference': '$pc', 'instructionCount': 5,
         'count': 16, 'variablesReference': 1, 'moment': '40%', 'condition': 'counter > 5'}


def arguments(r):
    args = {k: v for k, v in USUAL.items() if r.random() < 0.8}
    for _ in range(r.randrange(4)):
        args[r.choice(KEYS)] = r.choice(VALUES)
    return args


def one_round(recording, seed):
    r = random.Random(seed)
    c = Client()
    c.start(recording=recording)
    for _ in range(60):
        if r.random() < 0.1:
            c.raw(bytes(r.randrange(256) for _ in range(r.randrange(40))) + b'\r\n\r\n')
        else:
            c.send(r.choice(COMMANDS), **arguments(r))
    c.raw(b'\r\n\r\n')
    answer = c.try_('threads')
    status = c.close()
    return answer['success'] and status == 0


def main():
    recording, rounds, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for n in range(rounds):
        try:
            good = one_round(recording, seed + n)
        except Exception as e:  # pylint: disable=broad-except
            print('FAIL dap-fuzz: seed %d: %s %s' % (seed + n, type(e).__name__, str(e)[:200]))
            return 1
        if not good:
            print('FAIL dap-fuzz: seed %d' % (seed + n))
            return 1
    print('ok dap-fuzz')
    return 0


if __name__ == '__main__':
    sys.exit(main())
