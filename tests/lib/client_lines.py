#!/usr/bin/env python3
"""Answers of `ebb replay --json` as tests/debugger/client.c prints its own: why a movement stopped, what
was asked for, or an error with its code; and the moment."""
import json
import re
import sys

MOVES = ('step bstep next previous continue bcontinue finish before stepi bstepi nexti bnexti until buntil '
         'first out bout').split()


def lines(answer):
    command = str(answer.get('cmd', ''))
    word = command.split(' ')[0]
    text = answer.get('text', '')
    if word in MOVES:
        if word not in ('until', 'buntil', 'first'):
            yield answer['reason']
            if 'old' in answer:
                yield '%s -> %s' % (answer['old'], answer['new'])
        yield from re.findall(r'^\d+: .* = .*$', text, re.M)
    elif word in ('print', 'call'):
        yield answer.get('value')
    elif word == 'whatis':
        yield answer['type']
    elif word == 'history':
        for change in answer['changes']:
            yield '%s -> %s' % (change['old'], change['new'])
    elif word in ('up', 'down', 'frame'):
        yield '%s:%d' % (answer['function'], answer['line'])
    elif word == 'backtrace':
        yield ' '.join(frame['function'] for frame in answer['frames'])
    elif command == 'info threads':
        for thread in answer['threads']:
            yield '%d %d %s %s' % (thread['thread'], thread['tid'], thread['name'], thread['function'])
    elif command == 'info locals':
        for variable in answer['locals']:
            yield '%s = %s' % (variable['name'], variable['value'])
    elif command in ('info tracks', 'info skip') and not text.startswith('Nothing'):
        yield text.rstrip('\n')
    elif command == 'info breakpoints':
        yield from re.findall(r'^(\d+) ', text, re.M)


for line in sys.stdin:
    try:
        answer = json.loads(line)
    except ValueError:
        continue
    if answer.get('cmd') == 'open':
        continue
    if not answer.get('ok', True) or 'error' in answer:
        print('error %s: %s' % (answer.get('code'), answer.get('error')))
        continue
    for said in lines(answer):
        print(said)
    moment = answer['moment']
    print('%d:%s' % (moment['tick'], moment['pc']))
