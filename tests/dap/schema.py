"""The shapes of the protocol's messages, as far as ebb sends them: a subset of its published JSON
schema, written by hand.  A field with '?' may be missing; others that are not named may be there
only if they are ebb's own."""

class Wrong(Exception):
    pass

S, I, B, N = str, int, bool, None

SOURCE = {'name?': S, 'path?': S, 'sourceReference?': I, 'origin?': S, 'presentationHint?': S}
BREAKPOINT = {'id?': I, 'verified': B, 'message?': S, 'source?': SOURCE, 'line?': I,
              'instructionReference?': S}
BREAKPOINTS = {'breakpoints': [BREAKPOINT]}
VARIABLE = {'name': S, 'value': S, 'type?': S, 'evaluateName?': S, 'variablesReference': I,
            'namedVariables?': I, 'indexedVariables?': I, 'memoryReference?': S}
FRAME = {'id': I, 'name': S, 'source?': SOURCE, 'line': I, 'column': I, 'canRestart?': B,
         'instructionPointerReference?': S, 'moduleId?': S,
         'presentationHint?': ('normal', 'label', 'subtle')}
FILTER = {'filter': S, 'label': S, 'description?': S, 'default?': B, 'supportsCondition?': B,
          'conditionDescription?': S}
CAPABILITIES = ['supports' + c for c in '''ConfigurationDoneRequest FunctionBreakpoints
    ConditionalBreakpoints HitConditionalBreakpoints EvaluateForHovers StepBack SetVariable
    RestartFrame GotoTargetsRequest StepInTargetsRequest CompletionsRequest ModulesRequest
    RestartRequest ExceptionOptions ValueFormattingOptions ExceptionInfoRequest
    DelayedStackTraceLoading LoadedSourcesRequest LogPoints TerminateThreadsRequest SetExpression
    TerminateRequest DataBreakpoints ReadMemoryRequest WriteMemoryRequest DisassembleRequest
    CancelRequest BreakpointLocationsRequest ClipboardContext SteppingGranularity
    InstructionBreakpoints ExceptionFilterOptions SingleThreadExecutionRequests
    DataBreakpointBytes ANSIStyling'''.split()]
CHANGE = {'moment': S, 'after': S, 'threadId': I, 'old': (S, N), 'new': (S, N), 'function?': S,
          'source?': SOURCE, 'line?': I}
MARK = {'name': S, 'track': I, 'moment': S}

RESPONSES = {
    'initialize': dict({c + '?': B for c in CAPABILITIES}, **{
        'exceptionBreakpointFilters?': [FILTER], 'completionTriggerCharacters?': [S]}),
    'threads': {'threads': [{'id': I, 'name': S}]},
    'stackTrace': {'stackFrames': [FRAME], 'totalFrames?': I},
    'scopes': {'scopes': [{'name': S, 'presentationHint?': S, 'variablesReference': I,
                           'expensive': B}]},
    'variables': {'variables': [VARIABLE]},
    'evaluate': {'result': S, 'type?': S, 'variablesReference': I, 'namedVariables?': I,
                 'indexedVariables?': I, 'memoryReference?': S},
    'completions': {'targets': [{'label': S, 'text?': S, 'start?': I, 'length?': I}]},
    'modules': {'modules': [{'id': S, 'name': S, 'path?': S, 'symbolStatus?': S,
                             'addressRange?': S}], 'totalModules?': I},
    'source': {'content': S, 'mimeType?': S},
    'loadedSources': {'sources': [SOURCE]},
    'breakpointLocations': {'breakpoints': [{'line': I}]},
    'setBreakpoints': BREAKPOINTS, 'setFunctionBreakpoints': BREAKPOINTS,
    'setInstructionBreakpoints': BREAKPOINTS, 'setDataBreakpoints': BREAKPOINTS,
    'setExceptionBreakpoints': BREAKPOINTS,
    'dataBreakpointInfo': {'dataId': (S, N), 'description': S,
                           'accessTypes?': [('read', 'write', 'readWrite')], 'canPersist?': B},
    'exceptionInfo': {'exceptionId': S, 'description?': S,
                      'breakMode': ('never', 'always', 'unhandled', 'userUnhandled')},
    'continue': {'allThreadsContinued?': B},
    'gotoTargets': {'targets': [{'id': I, 'label': S, 'line': I}]},
    'readMemory': {'address': S, 'unreadableBytes?': I, 'data?': S},
    'disassemble': {'instructions': [{'address': S, 'instructionBytes?': S, 'instruction': S,
                                      'symbol?': S, 'location?': SOURCE, 'line?': I,
                                      'presentationHint?': ('normal', 'invalid')}]},
    'ebb/history': {'changes': [CHANGE], 'covers': S, 'more': B, 'leftOut': I, 'interrupted': B},
    'ebb/whoWrote': {'change': CHANGE},
    'ebb/timeline': {'first': S, 'last': S, 'here': S, 'track': I,
                     'threads': [{'id': I, 'first': S, 'last': S}],
                     'signals': [{'moment': S, 'threadId': I, 'signal': S}],
                     'output': [{'moment': S, 'threadId': I, 'fd': I, 'bytes': I}],
                     'bookmarks': [MARK], 'leftOut': I},
    'ebb/bookmarks': {'bookmarks': [MARK]},
}

EVENTS = {
    'initialized': {},
    'process': {'name': S, 'systemProcessId?': I, 'isLocalProcess?': B, 'startMethod?': ('launch',),
                'pointerSize?': I, 'recording': S},
    'stopped': {'reason': S, 'description?': S, 'threadId?': I, 'text?': S,
                'allThreadsStopped?': B, 'hitBreakpointIds?': [I], 'moment': S},
    'output': {'category?': ('console', 'important', 'stdout', 'stderr'), 'output': S,
               'source?': SOURCE, 'line?': I, 'moment?': S},
    'terminated': {},
    'progressStart': {'progressId': S, 'title': S, 'requestId?': I, 'cancellable?': B,
                      'message?': S, 'percentage?': I},
    'progressUpdate': {'progressId': S, 'message?': S, 'percentage?': I},
    'progressEnd': {'progressId': S, 'message?': S},
    'invalidated': {'areas?': [('all', 'stacks', 'threads', 'variables')]},
}


def fits(value, shape, where):
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise Wrong('%s is no object: %r' % (where, value))
        known = {k.rstrip('?') for k in shape}
        for k in value:
            if k not in known:
                raise Wrong('%s has an unknown field %s' % (where, k))
        for k, inner in shape.items():
            name = k.rstrip('?')
            if name in value:
                fits(value[name], inner, where + '.' + name)
            elif not k.endswith('?'):
                raise Wrong('%s has no field %s' % (where, name))
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise Wrong('%s is no list: %r' % (where, value))
        for i, item in enumerate(value):
            fits(item, shape[0], '%s[%d]' % (where, i))
    elif isinstance(shape, tuple):
        for one in shape:
            if value == one or (isinstance(one, type) and type(value) is one):
                return
        raise Wrong('%s is none of %s: %r' % (where, shape, value))
    elif type(value) is not shape:
        raise Wrong('%s is not %s: %r' % (where, shape.__name__, value))


def check(m):
    fits(m.get('seq'), I, 'seq')
    if m.get('type') == 'event':
        if m.get('event') not in EVENTS:
            raise Wrong('unknown event %r' % m.get('event'))
        fits(m, {'seq': I, 'type': S, 'event': S, 'body?': EVENTS[m['event']]}, m['event'])
        return
    if m.get('type') != 'response':
        raise Wrong('unknown type: %r' % m)
    body = RESPONSES.get(m.get('command'), {})
    if not m.get('success'):
        body = {'error': {'id': I, 'format': S, 'showUser?': B}}
    fits(m, {'seq': I, 'type': S, 'request_seq': I, 'success': B, 'command': S, 'message?': S,
             'body?': body}, m.get('command') or 'response')
    if body and m['success'] and 'body' not in m and any(not k.endswith('?') for k in body):
        raise Wrong('%s has no body' % m['command'])
    if not m['success'] and not m.get('message'):
        raise Wrong('an error without a message: %r' % m)
