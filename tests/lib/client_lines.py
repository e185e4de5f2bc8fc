#!/usr/bin/env python3
"""Answers of `ebb replay --json` as tests/debugger/client.c prints its own: a value or an error, and
the moment."""
import json
import sys

for line in sys.stdin:
    try:
        answer = json.loads(line)
    except ValueError:
        continue
    if answer.get('cmd') == 'open':
        continue
    if not answer.get('ok', True) or 'error' in answer:
        print('error: ' + str(answer.get('error')))
        continue
    if str(answer.get('cmd', '')).startswith('print'):
        print(answer.get('value'))
    moment = answer['moment']
    print('%d:%s' % (moment['tick'], moment['pc']))
