"""A client of the Debug Adapter Protocol, for tests: starts `ebb dap`, sends requests, checks that
every message it gets has the shape that the protocol wants (schema.py)."""
import json
import os
import queue
import subprocess
import threading

import schema

WAIT = 120  # seconds: far more than anything takes


class Failed(Exception):
    """A request got an error response."""


class Client:
    def __init__(self, ebb=None):
        self.process = subprocess.Popen([ebb or os.environ['EBB'], 'dap'], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.attach(self.process.stdin, self.process.stdout)

    def attach(self, to, origin):
        self.to, self.origin = to, origin
        self.seq = 0
        self.messages = queue.Queue()
        self.events = []
        self.all = []
        self.commands = {}
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            length = None
            while True:
                line = self.origin.readline()
                if not line:
                    self.messages.put(None)
                    return
                if line in (b'\r\n', b'\n'):
                    break
                name, _, value = line.decode().partition(':')
                if name.lower() == 'content-length':
                    length = int(value)
            self.messages.put(json.loads(self.origin.read(length).decode()))

    def raw(self, data):
        self.to.write(data)
        self.to.flush()

    def message(self, content):
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.raw(b'Content-Length: %d\r\n\r\n' % len(text) + text)

    def send(self, command, **arguments):
        self.seq += 1
        self.commands[self.seq] = command
        self.message({'seq': self.seq, 'type': 'request', 'command': command,
                      'arguments': arguments})
        return self.seq

    def take(self):
        m = self.messages.get(timeout=WAIT)
        if m is None:
            raise EOFError('the server has ended')
        self.all.append(m)
        schema.check(m)
        return m

    def response(self, seq):
        """The response to a request; events that come before it are kept."""
        while True:
            m = self.take()
            if m['type'] == 'event':
                self.events.append(m)
            elif m['request_seq'] == seq:
                return m

    def try_(self, command, **arguments):
        return self.response(self.send(command, **arguments))

    def ask(self, command, **arguments):
        r = self.try_(command, **arguments)
        if not r['success']:
            raise Failed('%s: %s' % (command, r['message']))
        return r.get('body', {})

    def event(self, name):
        """The next event of the name; earlier others are dropped."""
        while True:
            while self.events:
                e = self.events.pop(0)
                if e['event'] == name:
                    return e['body']
            m = self.take()
            if m['type'] == 'event':
                self.events.append(m)

    def move(self, command, **arguments):
        """A movement, and where it led."""
        self.events = [e for e in self.events if e['event'] != 'stopped']
        self.ask(command, **arguments)
        return self.event('stopped')

    def initialize(self, **more):
        return self.ask('initialize', adapterID='ebb', linesStartAt1=True, columnsStartAt1=True,
                        pathFormat='path', supportsProgressReporting=True,
                        supportsInvalidatedEvent=True, supportsMemoryReferences=True,
                        supportsVariablePaging=True, **more)

    def start(self, **launch):
        """Up to the first stop."""
        self.capabilities = self.initialize()
        self.ask('launch', **launch)
        self.event('initialized')
        return self.move('configurationDone')

    def frames(self, thread=None, **more):
        return self.ask('stackTrace', threadId=thread or self.thread(), **more)['stackFrames']

    def thread(self):
        for t in self.ask('threads')['threads']:
            if t['name'].endswith('(runs)'):
                return t['id']
        return self.ask('threads')['threads'][0]['id']

    def scope(self, name, frame=None):
        frame = frame or self.frames(levels=1)[0]['id']
        for s in self.ask('scopes', frameId=frame)['scopes']:
            if s['name'].startswith(name):
                return s['variablesReference']
        raise Failed('there is no scope ' + name)

    def unfold(self, reference, **more):
        return {v['name']: v for v in
                self.ask('variables', variablesReference=reference, **more)['variables']}

    def locals(self, frame=None):
        return self.unfold(self.scope('Locals', frame))

    def evaluate(self, expression, frame=None, context='watch', **more):
        if frame:
            more['frameId'] = frame
        return self.ask('evaluate', expression=expression, context=context, **more)['result']

    def close(self):
        try:
            self.ask('disconnect')
            self.to.close()
        except (EOFError, OSError):
            pass
        return self.process.wait(timeout=WAIT) if self.process else 0
