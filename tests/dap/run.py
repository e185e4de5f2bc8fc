"""The protocol's tests: each case drives `ebb dap` and compares with ebb's own prompt, or with what
the program is known to have done.

    run.py DIRECTORY CASE...        recordings NAME.rec and programs NAME are in DIRECTORY
"""
import base64
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Client, Failed, WAIT  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
EBB = os.environ['EBB']
WHERE = sys.argv[1] if len(sys.argv) > 1 else '.'
SOURCES = {'tour': 'tour.c', 'deep': 'deep.c', 'things': 'things.cc', 'rust': 'panics.rs',
           'go': 'panics.go'}


def source(name):
    return os.path.join(HERE, SOURCES[name])


def line(name, mark):
    with open(source(name), encoding='utf-8') as f:
        for n, text in enumerate(f, 1):
            if 'mark ' + mark in text:
                return n
    raise AssertionError('no mark ' + mark)


def recording(name):
    return os.path.join(WHERE, name + '.rec')


def expect(good, what):
    if not good:
        raise AssertionError(what)


def same(got, wanted, what):
    expect(got == wanted, '%s: got %r, wanted %r' % (what, got, wanted))


def prompt(name, *commands):
    """What ebb's prompt answers: an object of JSON for each command."""
    words = [EBB, 'replay', recording(name), '--json']
    for c in commands:
        words += ['-c', c]
    out = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=WAIT,
                         check=False).stdout
    answers = [json.loads(text) for text in out.decode().splitlines()]
    return answers[-len(commands):]


def opened(name, **more):
    c = Client()
    c.first = c.start(recording=recording(name), **more)
    return c


def breakpoints(c, name, *items):
    return c.ask('setBreakpoints', source={'path': source(name)},
                 breakpoints=list(items))['breakpoints']


def at(c):
    f = c.frames(levels=1)[0]
    return f['line']


def moment_of(answer):
    return '%d:%s' % (answer['moment']['tick'], answer['moment']['pc'])


# --- the same as at the prompt ------------------------------------------------------------------

REQUESTS = {'continue': 'continue', 'bcontinue': 'reverseContinue', 'next': 'next',
            'step': 'stepIn', 'finish': 'stepOut', 'previous': 'stepBack',
            'bstep': 'ebb/reverseStepIn', 'before': 'ebb/reverseStepOut'}
BY_INSTRUCTION = {'nexti': 'next', 'stepi': 'stepIn', 'bnexti': 'stepBack',
                  'bstepi': 'ebb/reverseStepIn'}


def parity(name, mark, moves, expressions):
    """A breakpoint, and movements from it: moments and values are the prompt's."""
    where = '%s:%d' % (os.path.basename(source(name)), line(name, mark))
    commands = ['goto start', 'break ' + where]
    commands += moves + ['print ' + e for e in expressions]
    answers = prompt(name, *commands)
    c = opened(name)
    c.move('ebb/goto', moment='start')
    expect(breakpoints(c, name, {'line': line(name, mark)})[0]['verified'], 'verified')
    for m, answer in zip(moves, answers[2:]):
        expect(answer['ok'], 'prompt: %r' % answer)
        if m in REQUESTS:
            stop = c.move(REQUESTS[m], threadId=c.thread())
        else:
            stop = c.move(BY_INSTRUCTION[m], threadId=c.thread(), granularity='instruction')
        same(stop['moment'], moment_of(answer), '%s: %s' % (name, m))
        frame = c.frames(levels=1)[0]
        if frame.get('source', {}).get('path') == answer['file']:
            same(frame['line'], answer['line'], 'line after ' + m)
    frame = c.frames(levels=1)[0]['id']
    for e, answer in zip(expressions, answers[2 + len(moves):]):
        expect(answer['ok'], 'prompt: %r' % answer)
        text = re.sub(r'^\$\d+ = ', '', answer['text'].strip())
        got = c.evaluate(e, frame)
        same(re.sub(r'^\(.*\) (0x)', r'\1', got), re.sub(r'^\(.*\) (0x)', r'\1', text), e)
    same(c.close(), 0, 'status')


def case_c():
    parity('tour', 'sum', ['continue', 'next', 'next', 'finish', 'step', 'step', 'bstep', 'previous',
                           'continue', 'continue', 'bcontinue', 'before', 'step', 'stepi', 'nexti',
                           'bstepi', 'continue', 'next'],
           ['a', 'b', 'sum', 'counter', 'head', '*head', 'a + b * 2'])


def case_cplusplus():
    parity('things', 'risky', ['continue', 'step', 'finish', 'next', 'continue', 'bcontinue',
                               'previous', 'next', 'continue'],
           ['i', 'sum', 'numbers', 'ages', 'text', 'own', 'numbers[3]'])


def case_rust():
    parity('rust', 'loop', ['continue', 'step', 'finish', 'next', 'continue', 'bcontinue',
                            'continue', 'previous', 'continue'],
           ['i', 'sum', 'values', 'point', 'point.y'])


def case_go():
    parity('go', 'loop', ['continue', 'step', 'finish', 'next', 'continue', 'bcontinue', 'continue'],
           ['i', 'sum', 'values', 'p.x'])


def case_threads():
    parity('tour', 'work', ['continue', 'next', 'continue', 'continue', 'continue', 'continue',
                            'bcontinue', 'previous', 'continue'], ['i', 'total', 'from'])
    c = opened('tour', stopOnEntry=True)
    same(c.first['reason'], 'entry', 'the start')
    breakpoints(c, 'tour', {'line': line('tour', 'work')})
    c.move('continue', threadId=1)
    threads = c.ask('threads')['threads']
    expect(len(threads) >= 2, 'threads: %r' % threads)
    runs = c.thread()
    expect(runs != 1, 'a thread of work runs')
    answer = c.try_('next', threadId=1)
    expect(not answer['success'] and 'does not run' in answer['message'], 'another thread steps')
    for t in threads:
        expect(c.frames(t['id']), 'frames of %r' % t)
    c.close()


# --- what is shown ------------------------------------------------------------------------------

def case_crash():
    c = opened('tour')
    same(c.first['reason'], 'exception', 'reason')
    expect('SIGSEGV' in c.first['description'], c.first)
    same(at(c), line('tour', 'crash'), 'line')
    info = c.ask('exceptionInfo', threadId=1)
    same(info['exceptionId'], 'SIGSEGV', 'exception')
    same(info['breakMode'], 'unhandled', 'mode')
    same(c.locals()['p']['value'], '0x0', 'p')
    answer = c.try_('setVariable', variablesReference=1, name='counter', value='3')
    expect('counter = 3' in answer['message'], answer)
    stop = c.move('reverseContinue', threadId=1)
    same(stop['reason'], 'entry', 'the start is a stop')
    expect('start of the recording' in stop['description'], stop)
    stop = c.move('stepBack', threadId=1)
    expect('start of the recording' in stop.get('description', ''), stop)
    stop = c.move('continue', threadId=1)
    expect(stop['reason'] == 'exception', stop)
    c.close()


def case_variables():
    c = opened('tour')
    g = c.unfold(c.scope('Globals'))
    same(g['counter']['value'], '55', 'counter')
    same(g['big']['indexedVariables'], 10000000, 'big')
    part = c.unfold(g['big']['variablesReference'], filter='indexed', start=9999998, count=2)
    same([v['value'] for v in part.values()], ['0', '77'], 'the end of big')
    same(part['[9999999]']['evaluateName'], 'big[9999999]', 'name')
    node = c.unfold(g['head']['variablesReference'])
    same(node['value']['value'], '10', 'value')
    same(node['next']['evaluateName'], 'head->next', 'name')
    same(node['bytes']['indexedVariables'], 4, 'a member of an anonymous union')
    second = c.unfold(node['next']['variablesReference'])
    same(second['value']['value'], '1000', 'value of the next')
    same(c.evaluate(second['value']['evaluateName']), '1000', 'by its name')
    same(c.evaluate('counter', format={'hex': True}), '0x37', 'hex')
    regs = c.unfold(c.scope('Registers'))
    expect(regs['rip']['value'].startswith('0x') and 'rax' in regs and 'eflags' in regs, regs)
    vectors = c.unfold(regs['vector and floating point']['variablesReference'])
    expect('xmm0' in vectors and 'mxcsr' in vectors, vectors)
    c.close()
    c = opened('things')
    breakpoints(c, 'things', {'line': line('things', 'end')})
    c.move('reverseContinue', threadId=1)
    v = c.locals()
    same(v['numbers']['indexedVariables'], 1000, 'a vector')
    part = c.unfold(v['numbers']['variablesReference'], start=998, count=10)
    same([x['value'] for x in part.values()], ['996004', '998001'], 'its end')
    ages = c.unfold(v['ages']['variablesReference'])
    same({k: x['value'] for k, x in ages.items()}, {'["ann"]': '31', '["bob"]': '42'}, 'a map')
    same(v['text']['value'], '"hello"', 'a string')
    same(v['text']['variablesReference'], 0, 'a string has no parts')
    own = c.unfold(v['own']['variablesReference'])
    same(own['side']['value'], '2.5', 'a member')
    same(c.unfold(own['Shape']['variablesReference'])['id']['value'], '7', 'of the base')
    c.close()


def case_deep():
    c = opened('deep')
    body = c.ask('stackTrace', threadId=1, startFrame=0, levels=20)
    same(len(body['stackFrames']), 20, 'frames')
    expect(20 < body['totalFrames'] < 20000, 'lazy: %d' % body['totalFrames'])
    far = c.ask('stackTrace', threadId=1, startFrame=99000, levels=3)['stackFrames']
    same([f['name'] for f in far], ['deep'] * 3, 'far out')
    a, b = [int(c.unfold(c.scope('Arguments', f['id']))['left']['value']) for f in far[:2]]
    same(b - a, 1, 'arguments of frames')
    end = c.ask('stackTrace', threadId=1, startFrame=100000, levels=100)
    same(end['stackFrames'][-1]['name'], 'main', 'the outermost')
    same(end['totalFrames'], 100000 + len(end['stackFrames']), 'all')
    c.close()


def case_quick():
    """What an editor asks at a stop, in ebb's own time."""
    c = opened('tour')
    breakpoints(c, 'tour', {'line': line('tour', 'pushed')})
    c.move('reverseContinue', threadId=1)

    def stop():
        thread = c.thread()
        for f in c.frames(thread, levels=20):
            for s in c.ask('scopes', frameId=f['id'])['scopes']:
                if not s['expensive']:
                    c.unfold(s['variablesReference'])

    def spent():
        with open('/proc/%d/stat' % c.process.pid, encoding='ascii') as f:
            parts = f.read().rsplit(')', 1)[1].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf('SC_CLK_TCK')
    stop()
    c.move('stepBack', threadId=c.thread())
    before = spent()
    for _ in range(5):
        stop()
    each = (spent() - before) / 5
    print('# a stop takes %.3f s of ebb\'s time' % each)
    expect(each < 1, 'a stop takes %.3f s' % each)  # a bench, not a test, would say 0.1
    c.close()


# --- breakpoints --------------------------------------------------------------------------------

def hits(c, request):
    """The values of `a` at all stops up to the end of the recording."""
    seen = []
    while True:
        stop = c.move(request, threadId=1)
        if 'hitBreakpointIds' not in stop:
            return seen
        expect(stop['hitBreakpointIds'], stop)
        seen.append(int(c.evaluate('a')))


def case_breakpoints():
    c = opened('tour')
    n = line('tour', 'sum')
    c.move('ebb/goto', moment='start')
    first = breakpoints(c, 'tour', {'line': n, 'condition': 'a % 3 == 0'})[0]
    same(first['line'], n, 'line')
    same(hits(c, 'continue'), [0, 3, 6, 9], 'a condition')
    again = breakpoints(c, 'tour', {'line': n, 'condition': 'a % 3 == 0'}, {'line': n + 1})
    same(again[0]['id'], first['id'], 'the same breakpoint')
    breakpoints(c, 'tour', {'line': n, 'hitCondition': '%4'})
    same(hits(c, 'reverseContinue'), [7, 3], 'every fourth, backward')
    same(hits(c, 'continue'), [3, 7], 'every fourth, forward')
    breakpoints(c, 'tour', {'line': n, 'hitCondition': '>=9'})
    same(hits(c, 'reverseContinue'), [9, 8], 'from the ninth on')
    breakpoints(c, 'tour', {'line': n, 'hitCondition': '2'})
    same(hits(c, 'continue'), [1], 'the second')
    bad = breakpoints(c, 'tour', {'line': n, 'condition': 'nonsense +'},
                      {'line': n, 'hitCondition': 'often'}, {'line': 100000})
    same([b['verified'] for b in bad], [False] * 3, 'bad ones')
    expect(all(b['message'] for b in bad), bad)
    breakpoints(c, 'tour')
    f = c.ask('setFunctionBreakpoints', breakpoints=[{'name': 'push', 'condition': 'value == 4'},
                                                     {'name': 'no_such_function'}])['breakpoints']
    same([b['verified'] for b in f], [True, False], 'functions')
    c.move('ebb/goto', moment='start')
    stop = c.move('continue', threadId=1)
    same(stop['reason'], 'function breakpoint', 'reason')
    same(c.evaluate('value'), '4', 'its argument')
    pc = c.frames(levels=1)[0]['instructionPointerReference']
    c.ask('setFunctionBreakpoints', breakpoints=[])
    i = c.ask('setInstructionBreakpoints', breakpoints=[{'instructionReference': pc}])['breakpoints']
    expect(i[0]['verified'], i)
    stop = c.move('continue', threadId=1)
    same(stop['reason'], 'instruction breakpoint', 'reason')
    same(c.evaluate('value'), '5', 'the next call')
    c.ask('setInstructionBreakpoints', breakpoints=[])
    lines = c.ask('breakpointLocations', source={'path': source('tour')}, line=n, endLine=n + 2)
    same([b['line'] for b in lines['breakpoints']], [n, n + 1, n + 2], 'lines with code')
    c.close()


def case_logpoints():
    c = opened('tour')
    c.events = []
    here = c.ask('ebb/timeline')['here']
    breakpoints(c, 'tour', {'line': line('tour', 'return'), 'logMessage': 'sum of {a} is {sum}'})
    said = [e['body'] for e in c.events if e['event'] == 'output']
    same([b['output'] for b in said],
         ['sum of %d is %d\n' % (i, i + 1) for i in range(10)], 'all hits')
    same(said[0]['line'], line('tour', 'return'), 'its line')
    same(c.ask('ebb/timeline')['here'], here, 'nothing moved')
    stop = c.move('reverseContinue', threadId=1)
    same(stop['reason'], 'entry', 'a log point stops nothing')
    c.move('ebb/goto', moment=said[4]['moment'])
    same(c.evaluate('a'), '4', 'the moment of a hit')
    c.events = []
    breakpoints(c, 'tour', {'line': line('tour', 'return'), 'logMessage': '{a}',
                            'condition': 'a > 5', 'hitCondition': '>1'})
    same([e['body']['output'] for e in c.events if e['event'] == 'output'], ['7\n', '8\n', '9\n'],
         'with conditions')
    c.close()


def case_data():
    c = opened('tour')
    info = c.ask('dataBreakpointInfo', name='counter')
    expect(info['canPersist'] and 'write' in info['accessTypes'], info)
    c.ask('setDataBreakpoints', breakpoints=[{'dataId': info['dataId'], 'accessType': 'write'}])
    stop = c.move('reverseContinue', threadId=1)
    same(stop['reason'], 'data breakpoint', 'reason')
    expect('45 -> 55' in stop['description'], stop)
    answers = prompt('tour', 'watch counter', 'bcontinue', 'bcontinue')
    same(stop['moment'], moment_of(answers[1]), 'the moment')
    stop = c.move('reverseContinue', threadId=1)
    same(stop['moment'], moment_of(answers[2]), 'the next')
    c.ask('setDataBreakpoints', breakpoints=[])
    f = c.frames(levels=1)[0]['id']
    info = c.ask('dataBreakpointInfo', name='sum', variablesReference=c.scope('Locals', f))
    b = c.ask('setDataBreakpoints', breakpoints=[{'dataId': info['dataId']}])['breakpoints']
    expect(b[0]['verified'], b)
    stop = c.move('reverseContinue', threadId=1)
    expect('sum' in stop['description'], stop)
    g = c.unfold(c.scope('Globals'))
    info = c.ask('dataBreakpointInfo', name='[9999999]',
                 variablesReference=g['big']['variablesReference'])
    c.ask('setDataBreakpoints', breakpoints=[{'dataId': info['dataId'], 'accessType': 'write'}])
    stop = c.move('continue', threadId=1)
    expect('0 -> 77' in stop['description'], stop)
    address = c.ask('evaluate', expression='&counter', context='watch')['memoryReference']
    info = c.ask('dataBreakpointInfo', name=address, asAddress=True, bytes=4)
    c.ask('setDataBreakpoints', breakpoints=[{'dataId': info['dataId'], 'accessType': 'read'}])
    stop = c.move('continue', threadId=1)
    same(stop['reason'], 'data breakpoint', 'a read')
    answer = c.ask('dataBreakpointInfo', name='1 + 2')
    same(answer['dataId'], None, 'what cannot be watched')
    c.close()


def case_exceptions():
    c = opened('things')
    names = [f['filter'] for f in c.capabilities['exceptionBreakpointFilters']]
    same(names, ['signals', 'throw', 'catch', 'rust-panic', 'go-panic', 'abort'], 'filters')
    b = c.ask('setExceptionBreakpoints', filters=['signals', 'throw'],
              filterOptions=[{'filterId': 'catch'}])['breakpoints']
    same([x['verified'] for x in b], [True] * 3, 'verified')
    stop = c.move('reverseContinue', threadId=1)
    same(stop['reason'], 'exception', 'reason')
    same(c.ask('exceptionInfo', threadId=1)['exceptionId'], 'catch', 'caught')
    c.move('reverseContinue', threadId=1)
    same(c.ask('exceptionInfo', threadId=1)['exceptionId'], 'throw', 'thrown')
    expect(line('things', 'throw') in [f['line'] for f in c.frames()], 'its line')
    c.ask('setExceptionBreakpoints', filters=[])
    stop = c.move('continue', threadId=1)
    expect('exited with status 0' in stop['description'], stop)
    answer = c.try_('setExceptionBreakpoints', filters=['luck'])
    expect(not answer['success'], answer)
    answer = c.try_('exceptionInfo', threadId=1)
    expect(not answer['success'], answer)
    c.close()


def case_rust_panic():
    c = opened('rust')
    c.ask('setExceptionBreakpoints', filters=['rust-panic'])
    stop = c.move('reverseContinue', threadId=1)
    same(stop['reason'], 'exception', 'reason')
    expect('index out of bounds' in c.ask('exceptionInfo', threadId=1)['description'], stop)
    c.close()


def case_go_panic():
    c = opened('go')
    b = c.ask('setExceptionBreakpoints', filters=['go-panic'])['breakpoints']
    expect(b[0]['verified'], b)
    stop = c.move('reverseContinue', threadId=1)
    same(stop['reason'], 'exception', 'reason')
    expect(line('go', 'pick') in [f['line'] for f in c.frames(c.thread())], 'its line')
    c.close()


# --- the rest of the protocol -------------------------------------------------------------------

def case_places():
    c = opened('tour')
    n = line('tour', 'sum')
    breakpoints(c, 'tour', {'line': n, 'condition': 'a == 5'})
    c.move('reverseContinue', threadId=1)
    frames = c.frames()
    same([f['name'] for f in frames], ['add', 'main'], 'frames')
    breakpoints(c, 'tour')
    c.move('next', threadId=1)
    c.move('next', threadId=1)
    stop = c.move('restartFrame', frameId=c.frames()[0]['id'])
    same(stop['reason'], 'restart', 'reason')
    same((at(c), c.evaluate('a')), (n, '5'), 'the entry of the frame')
    stop = c.move('stepOut', threadId=1)
    value = c.unfold(c.scope('Value returned'))
    same(value['value']['value'], '6', 'what it returned')
    targets = c.ask('gotoTargets', source={'path': source('tour')}, line=n)['targets']
    same(len(targets), 2, 'targets')
    c.move('goto', threadId=1, targetId=targets[0]['id'])
    same((at(c), c.evaluate('a')), (n, '6'), 'the next time')
    targets = c.ask('gotoTargets', source={'path': source('tour')}, line=n)['targets']
    c.move('goto', threadId=1, targetId=targets[1]['id'])
    same((at(c), c.evaluate('a')), (n, '5'), 'the last time')
    c.move('ebb/runToLine', source={'path': source('tour')}, line=n, direction='backward')
    same(c.evaluate('a'), '4', 'run to cursor, backward')
    c.move('ebb/undo')
    same(c.evaluate('a'), '5', 'undo')
    c.move('ebb/redo')
    same(c.evaluate('a'), '4', 'redo')
    modules = c.ask('modules')['modules']
    expect(any(m['name'] == 'tour' for m in modules), modules)
    expect(any(s['path'] == source('tour') for s in c.ask('loadedSources')['sources']), 'sources')
    pc = c.frames(levels=1)[0]['instructionPointerReference']
    code = c.ask('disassemble', memoryReference=pc, instructionOffset=-3, instructionCount=6)
    same(code['instructions'][3]['address'], pc, 'the instruction in the middle')
    expect(any(i.get('line') == n for i in code['instructions']), code)
    same(len(c.ask('disassemble', memoryReference=pc, instructionOffset=-5000,
                   instructionCount=10)['instructions']), 10, 'as many as were asked for')
    r = c.ask('evaluate', expression='&counter', context='watch')['memoryReference']
    memory = c.ask('readMemory', memoryReference=r, count=4)
    same(int.from_bytes(base64.b64decode(memory['data']), 'little'), int(c.evaluate('counter')),
         'memory')
    nothing = c.ask('readMemory', memoryReference='0x0', count=16)
    same(nothing['unreadableBytes'], 16, 'no memory')
    words = c.ask('completions', text='head->na', column=9, frameId=c.frames()[0]['id'])['targets']
    same([t['label'] for t in words], ['name'], 'completion of a member')
    words = c.ask('completions', text='1 + coun', column=9)['targets']
    expect('counter' in [t['label'] for t in words], words)
    c.close()


def case_console():
    c = opened('tour')
    same(c.evaluate('counter', context='repl'), '55', 'an expression')
    c.events = []
    same(c.evaluate('counter = 7', context='repl'), '7', 'an assignment in a copy')
    same(c.event('invalidated')['areas'], ['variables'], 'views are to be looked at again')
    same(c.evaluate('counter', context='repl'), '7', 'the copy')
    expect('55' in c.evaluate('print counter - 7 + 55', context='repl'), 'a command')
    answer = c.try_('evaluate', expression='counter = 8', context='watch')
    expect(not answer['success'], 'a watch changes nothing')
    text = c.evaluate('bcontinue', context='repl')
    same(c.event('stopped')['reason'], 'goto', 'a command that moves')
    same(c.evaluate('counter', context='repl'), '0', 'the copy is gone')
    expect('break' in c.evaluate('help', context='repl'), 'help')
    answer = c.try_('evaluate', expression='`print nonsense', context='repl')
    expect(not answer['success'] and 'nonsense' in answer['message'], answer)
    expect(text is not None, 'text')
    c.close()


def case_time():
    c = opened('tour')
    h = c.ask('ebb/history', expression='counter')
    same([x['new'] for x in h['changes']], [str(n * (n + 1) // 2) for n in range(10, 0, -1)],
         'history')
    rows = prompt('tour', 'history counter --json')[0]['changes']
    same([x['moment'] for x in h['changes']],
         ['%d:%s' % (x['tick'], x['pc']) for x in rows], 'moments')
    w = c.ask('ebb/whoWrote', expression='counter')['change']
    same((w['old'], w['new'], w['function']), ('45', '55', 'add'), 'who wrote')
    stop = c.move('ebb/whoWrote', expression='counter', goto=True)
    same(stop['moment'], w['moment'], 'and there')
    stop = c.move('ebb/becameTrue', condition='counter > 20')
    same(stop['moment'], moment_of(prompt('tour', 'buntil counter > 20')[0]), 'became true')
    stop = c.move('ebb/becameTrue', condition='counter > 3', direction='first')
    expect('became true here' in stop['description'], stop)
    c.ask('ebb/bookmarks', add='here-it-is')
    t = c.ask('ebb/timeline')
    same([b['name'] for b in t['bookmarks']], ['here-it-is'], 'bookmarks')
    same(t['here'], stop['moment'], 'here')
    same([x['signal'] for x in t['signals']], ['SIGSEGV'], 'signals')
    same(len(t['threads']), 3, 'threads')
    same([x['bytes'] for x in t['output'] if x['fd'] == 1], [len('counter 55\n')], 'output')
    c.move('ebb/goto', moment='end')
    c.move('ebb/goto', moment='here-it-is')
    same(c.ask('ebb/timeline')['here'], t['here'], 'a bookmark')
    same(c.ask('ebb/bookmarks', remove='here-it-is')['bookmarks'], [], 'no bookmark')
    c.close()


def case_record():
    with tempfile.TemporaryDirectory() as root:
        os.environ['EBB_RECORDINGS'] = root
        c = Client()
        first = c.start(program='./tour', cwd=WHERE, args=['x'], env={'EBB_DAP_TEST': '1'})
        same(first['reason'], 'exception', 'the crash')
        out = ''.join(m['body']['output'] for m in c.all if m.get('event') == 'output' and
                      m['body'].get('category') == 'stdout')
        same(out, 'counter 55\n', 'output')
        same(c.evaluate('counter'), '55', 'a value')
        env = c.try_('launch', program='./tour')
        expect(not env['success'], 'a second launch')
        c.close()
        c = Client()
        c.initialize()
        for wrong in ({'program': './no-such-program', 'cwd': WHERE}, {'program': 5},
                      {'recording': '/no/such/recording'}, {'recording': []},
                      {'program': './tour', 'args': 'x'}, {'program': './tour', 'env': [1]},
                      {'program': './tour', 'cwd': '/no/such/place'}):
            r = c.try_('launch', **wrong)
            expect(not r['success'] and r['message'], wrong)
        r = c.try_('attach', pid=1)
        expect('cannot attach' in r['message'], r)
        c.ask('launch', recording='')  # the newest
        c.close()
        del os.environ['EBB_RECORDINGS']


def case_packed():
    """Sources come from the file, though they are not where they were."""
    c = Client()
    c.start(recording=os.path.join(WHERE, 'moved.ebb'))
    f = c.frames()[-1]
    expect(f['source']['sourceReference'] > 0, f)
    text = c.ask('source', source=f['source'], sourceReference=f['source']['sourceReference'])
    with open(source('tour'), encoding='utf-8') as original:
        same(text['content'], original.read(), 'the source')
    b = c.ask('setBreakpoints', source=f['source'], breakpoints=[{'line': line('tour', 'sum')}])
    expect(b['breakpoints'][0]['verified'], b)
    c.move('reverseContinue', threadId=1)
    same(c.evaluate('a'), '9', 'a value')
    c.close()


def case_socket():
    path = os.path.join(WHERE, 'dap.socket')
    server = subprocess.Popen([EBB, 'dap', '--unix', path], stdout=subprocess.PIPE)
    expect(path in server.stdout.readline().decode(), 'it says where')
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    c = Client.__new__(Client)
    c.process = server
    c.attach(s.makefile('wb'), s.makefile('rb'))
    c.start(recording=recording('tour'))
    same(c.evaluate('counter'), '55', 'a value')
    same(c.close(), 0, 'status')
    expect(not os.path.exists(path), 'the socket is gone')


# --- what goes wrong ----------------------------------------------------------------------------

def case_malformed():
    c = Client()
    wrong = [b'{', b'', b'[]', b'5', b'"x"', b'{"seq":1}', b'{"seq":1,"type":"request"}',
             b'{"seq":"x","type":"request","command":5}', b'\xff\xfe', b'{"a":1}}', b'[' * 1000,
             b'{"seq":1,"type":"request","command":"threads","arguments":[1]}',
             b'{"seq":1,"type":"strange","command":"threads"}']
    for text in wrong:
        c.message(text)
        r = c.take()
        expect(r['type'] == 'response' and not r['success'], '%r: %r' % (text, r))
    c.message({'seq': 1, 'type': 'response', 'request_seq': 1, 'success': True, 'command': 'x'})
    for header in (b'Content-Length: x\r\n\r\n', b'Content-Length: -5\r\n\r\n', b'Nonsense\r\n\r\n',
                   b'Content-Length: 99999999999999999999\r\n\r\n', b'Content-Length:\r\n\r\n',
                   b'Content-Length: 70000000\r\n\r\n{}', b'x' * 10000 + b'\r\n\r\n'):
        c.raw(header)
        r = c.take()
        expect(not r['success'], header)
    r = c.try_('threads')
    expect('initialize' in r['message'], r)
    c.raw(b'content-length:  %d \nX-Other: 1\n\n' % 2 + b'{}')
    expect(not c.take()['success'], 'another spelling')
    r = c.try_('no/such/request')
    expect("no request 'no/such/request'" in r['message'], r)
    c.initialize()
    r = c.try_('initialize')
    expect(not r['success'], 'a second initialize')
    for early in ('threads', 'continue', 'configurationDone', 'ebb/history', 'setBreakpoints'):
        r = c.try_(early, threadId=1)
        expect(not r['success'] and 'no recording is open' in r['message'], r)
    c.ask('launch', recording=recording('tour'))
    bad = [('stackTrace', {}), ('stackTrace', {'threadId': 'x'}), ('stackTrace', {'threadId': 99}),
           ('stackTrace', {'threadId': 1, 'startFrame': -1}), ('scopes', {'frameId': 0}),
           ('scopes', {'frameId': 1 << 40}), ('scopes', {'frameId': -7}),
           ('variables', {'variablesReference': 12345}), ('variables', {}), ('evaluate', {}),
           ('evaluate', {'expression': 7}), ('evaluate', {'expression': '1 +'}),
           ('setBreakpoints', {}), ('setBreakpoints', {'source': {'path': 5}}),
           ('setBreakpoints', {'source': {'path': '/x'}, 'breakpoints': [7]}),
           ('setBreakpoints', {'source': {'path': '/x'}, 'breakpoints': [{'line': 'x'}]}),
           ('setDataBreakpoints', {'breakpoints': [{}]}), ('setExceptionBreakpoints', {}),
           ('next', {}), ('next', {'threadId': 77}), ('goto', {'targetId': 4}),
           ('disassemble', {'memoryReference': 'x y', 'instructionCount': 1}),
           ('disassemble', {'memoryReference': '0', 'instructionCount': -1}),
           ('readMemory', {'memoryReference': '0', 'count': -1}), ('source', {}),
           ('source', {'sourceReference': 5}), ('completions', {'text': 'a'}),
           ('ebb/history', {'expression': ''}), ('ebb/goto', {'moment': 'nowhere'}),
           ('ebb/becameTrue', {'condition': 'main'}), ('restartFrame', {'frameId': 1 << 50}),
           ('ebb/undo', {'count': 10 ** 9})]
    for command, arguments in bad:
        r = c.try_(command, **arguments)
        expect(not r['success'], '%s %r: %r' % (command, arguments, r))
    b = c.ask('setDataBreakpoints', breakpoints=[{'dataId': 'nonsense'}])['breakpoints']
    expect(not b[0]['verified'], b)
    c.message({'seq': 0, 'type': 'request', 'command': 'threads'})  # some clients count from 0
    expect(c.response(0)['success'], 'seq 0')
    same(c.evaluate('counter'), '55', 'all is well')
    r = c.try_('terminate')
    expect(r['success'], r)
    c.event('terminated')
    same(c.close(), 0, 'status')


def case_cancel():
    c = opened('tour')
    # Requests that wait are cancelled before it is their turn.
    first = c.send('ebb/history', expression='big[5] + counter')
    second = c.send('evaluate', expression='counter', context='watch')
    third = c.send('cancel', requestId=second)
    answers = {}
    while len(answers) < 3:
        m = c.take()
        if m['type'] == 'response':
            answers[m['request_seq']] = m
    expect(answers[third]['success'], answers)
    expect(answers[first]['type'] == 'response', answers)
    r = answers[second]
    expect(r['success'] or r['message'] == 'cancelled', r)
    # A pause that comes with a movement: it ends somewhere, and the server goes on.
    c.send('continue', threadId=1)
    c.send('pause', threadId=1)
    c.event('stopped')
    same(c.try_('cancel', requestId=777)['success'], True, 'nothing to cancel')
    same(c.try_('cancel', progressId='none')['success'], True, 'nothing to cancel')
    expect(c.ask('threads')['threads'], 'threads')
    c.close()
    # The client goes without a word.
    c = opened('tour')
    c.send('reverseContinue', threadId=1)
    c.to.close()
    same(c.process.wait(timeout=WAIT), 0, 'it ends')


def case_progress():
    """A movement that takes long tells so, and can be cancelled."""
    c = Client()
    c.initialize()
    c.ask('launch', recording=recording('long'), stopOnEntry=True)
    c.event('initialized')
    c.move('configurationDone')
    c.ask('setFunctionBreakpoints', breakpoints=[{'name': 'never'}])
    seq = c.send('continue', threadId=1)
    begun = None
    while True:
        m = c.take()
        if m.get('event') == 'progressStart':
            begun = m['body']
            same(begun['requestId'], seq, 'of the request')
            c.send('cancel', progressId=begun['progressId'])
        if m.get('event') == 'stopped':
            break
    if begun is None:
        print('# the machine is too quick for progress')
    else:
        expect(m['body']['reason'] == 'pause' or 'end of the recording' in m['body']['description'],
               m)
        expect(any(x.get('event') == 'progressEnd' for x in c.all), 'its end')
    c.close()


# --- every capability ---------------------------------------------------------------------------

# Which case exercises what is announced.
EXERCISED = {
    'supportsConfigurationDoneRequest': case_c, 'supportsFunctionBreakpoints': case_breakpoints,
    'supportsConditionalBreakpoints': case_breakpoints,
    'supportsHitConditionalBreakpoints': case_breakpoints,
    'supportsEvaluateForHovers': None, 'supportsStepBack': case_c,
    'supportsRestartFrame': case_places, 'supportsGotoTargetsRequest': case_places,
    'supportsCompletionsRequest': case_places, 'supportsModulesRequest': case_places,
    'supportsValueFormattingOptions': case_variables,
    'supportsExceptionInfoRequest': case_crash, 'supportsDelayedStackTraceLoading': case_deep,
    'supportsLoadedSourcesRequest': case_places, 'supportsLogPoints': case_logpoints,
    'supportsTerminateRequest': case_malformed, 'supportsDataBreakpoints': case_data,
    'supportsReadMemoryRequest': case_places, 'supportsDisassembleRequest': case_places,
    'supportsCancelRequest': case_cancel, 'supportsBreakpointLocationsRequest': case_breakpoints,
    'supportsClipboardContext': None, 'supportsSteppingGranularity': case_c,
    'supportsInstructionBreakpoints': case_breakpoints,
    'supportsExceptionFilterOptions': case_exceptions, 'supportsDataBreakpointBytes': case_data,
}


def case_capabilities():
    c = opened('tour')
    for name, value in c.capabilities.items():
        if value is True:
            expect(name in EXERCISED, 'nothing exercises ' + name)
    for name in EXERCISED:
        expect(c.capabilities.get(name) is True, name + ' is not announced')
    for context in ('hover', 'clipboard', 'variables', 'watch'):
        same(c.evaluate('counter', context=context), '55', context)
    for granularity in ('statement', 'line', 'instruction'):
        c.move('stepBack', threadId=1, granularity=granularity)
    # With lines and columns from 0.
    d = Client()
    d.ask('initialize', adapterID='x', linesStartAt1=False, columnsStartAt1=False)
    d.ask('launch', recording=recording('tour'))
    same(d.frames()[-1]['line'], line('tour', 'crash') - 1, 'lines from 0')
    d.close()
    c.close()


def main():
    failed = 0
    for name in sys.argv[2:]:
        began = time.time()
        try:
            globals()['case_' + name]()
            print('ok dap-' + name)
        except Exception as e:  # pylint: disable=broad-except
            text = '%s: %s' % (type(e).__name__, e)
            print('FAIL dap-%s: %s' % (name, ' '.join(text.split())[:300]))
            failed += 1
            if os.environ.get('DAP_TRACE'):
                raise
        if os.environ.get('DAP_TIMES'):
            print('# %s: %.1f s' % (name, time.time() - began))
        sys.stdout.flush()
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
