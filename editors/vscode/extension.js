// ebb in VS Code: starts `ebb dap`, and adds what the protocol has no buttons for.
'use strict';
const vscode = require('vscode');
const { execFile } = require('child_process');

const program = () => vscode.workspace.getConfiguration('ebb').get('path') || 'ebb';

// The session of ebb that is looked at; undefined: there is none.
function current() {
  const s = vscode.debug.activeDebugSession;
  return s && s.type === 'ebb' ? s : undefined;
}

async function ask(request, args) {
  const s = current();
  if (!s) {
    vscode.window.showInformationMessage('No recording is open.');
    return undefined;
  }
  try {
    return await s.customRequest(request, args);
  } catch (e) {
    vscode.window.showErrorMessage(String(e.message || e));
    return undefined;
  }
}

async function runningThread() {
  const answer = await ask('threads');
  const all = answer ? answer.threads : [];
  const runs = all.find((t) => t.name.endsWith('(runs)')) || all[0];
  return runs ? runs.id : 1;
}

const step = (request) => async () => ask(request, { threadId: await runningThread() });

// The frame that is chosen in the editor, for the names in an expression.
function frameId() {
  const item = vscode.debug.activeStackItem;
  return item && 'frameId' in item ? item.frameId : undefined;
}

// Of a variable's context menu, or what is selected in the editor.
async function expressionOf(item, prompt) {
  if (item && item.variable && item.variable.evaluateName) return item.variable.evaluateName;
  const editor = vscode.window.activeTextEditor;
  let word = '';
  if (editor) {
    const range = editor.selection.isEmpty
      ? editor.document.getWordRangeAtPosition(editor.selection.active) : editor.selection;
    word = range ? editor.document.getText(range) : '';
  }
  return word || vscode.window.showInputBox({ prompt });
}

function describe(change) {
  const at = change.source ? `${change.source.name}:${change.line}` : change.moment;
  return { label: `${change.old} \u2192 ${change.new}`, moment: change.moment,
           description: `${change.function || ''} ${at}`, detail: `moment ${change.moment}` };
}

async function history(item) {
  const expression = await expressionOf(item, 'The history of which expression?');
  const answer = expression && await ask('ebb/history', { expression, frameId: frameId() });
  if (!answer) return;
  const chosen = await vscode.window.showQuickPick(answer.changes.map(describe),
    { title: `${expression}: ${answer.changes.length} changes`, placeHolder: answer.covers });
  if (chosen) await ask('ebb/goto', { moment: chosen.moment });
}

async function whoWrote(item) {
  const expression = await expressionOf(item, 'Who wrote which expression?');
  if (expression) await ask('ebb/whoWrote', { expression, frameId: frameId(), goto: true });
}

async function becameTrue() {
  const condition = await vscode.window.showInputBox({ prompt: 'Which condition? counter > 20' });
  if (condition) await ask('ebb/becameTrue', { condition, frameId: frameId() });
}

async function runBack() {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  await ask('ebb/runToLine', { source: { path: editor.document.uri.fsPath }, direction: 'backward',
                               line: editor.selection.active.line + 1 });
}

async function bookmark() {
  const add = await vscode.window.showInputBox({ prompt: 'A name for this moment' });
  if (add) await ask('ebb/bookmarks', { add });
}

async function openRecording() {
  const names = await new Promise((done) => {
    execFile(program(), ['ls', '--json'], (err, out) => {
      const rows = err ? [] : out.split('\n').filter(Boolean);
      done(rows.map((row) => { try { return JSON.parse(row).name; } catch (e) { return ''; } })
        .filter(Boolean).reverse());
    });
  });
  const other = 'Another...';
  let recording = await vscode.window.showQuickPick([...names, other]);
  if (recording === other) recording = await vscode.window.showInputBox({ prompt: 'Its path' });
  if (recording) {
    vscode.debug.startDebugging(undefined,
      { type: 'ebb', request: 'launch', name: recording, recording });
  }
}

// Threads, signals, output and bookmarks of the run; each row is a jump.
class Timeline {
  constructor() {
    this.changed = new vscode.EventEmitter();
    this.onDidChangeTreeData = this.changed.event;
  }

  getTreeItem(row) { return row; }

  async getChildren(row) {
    if (row) return row.rows || [];
    if (!current()) return [];
    let t;
    try { t = await current().customRequest('ebb/timeline', {}); } catch (e) { return []; }
    return [
      this.jump(`here: ${t.here}`, t.here), this.jump('start', 'start'), this.jump('end', 'end'),
      this.group('Threads', t.threads.map((x) => this.jump(`thread ${x.id - 1}`, x.first))),
      this.group('Signals', t.signals.map((x) => this.jump(x.signal, x.moment))),
      this.group('Output', t.output.map((x) => this.jump(
        `${x.fd === 1 ? 'stdout' : 'stderr'}, ${x.bytes} bytes`, x.moment))),
      this.group('Bookmarks', t.bookmarks.map((x) => this.jump(x.name, x.moment))),
    ];
  }

  group(label, rows) {
    const item = new vscode.TreeItem(`${label} (${rows.length})`, rows.length
      ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None);
    item.rows = rows;
    return item;
  }

  jump(label, moment) {
    const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.None);
    item.description = moment;
    item.command = { command: 'ebb.go', title: 'Go', arguments: [moment] };
    return item;
  }
}

function activate(context) {
  const timeline = new Timeline();
  const commands = {
    reverseStepIn: step('ebb/reverseStepIn'), reverseStepOut: step('ebb/reverseStepOut'),
    openRecording, history, whoWrote, becameTrue, runBack, bookmark,
    undo: () => ask('ebb/undo', {}),
    go: async (moment) => {
      const to = moment || await vscode.window.showInputBox({ prompt: 'start, end, 40%, TICK:PC' });
      if (to) await ask('ebb/goto', { moment: to });
    },
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(`ebb.${name}`, run));
  }
  context.subscriptions.push(
    vscode.window.registerTreeDataProvider('ebb.timeline', timeline),
    vscode.debug.registerDebugAdapterDescriptorFactory('ebb', {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(program(), ['dap']),
    }),
    vscode.debug.registerDebugAdapterTrackerFactory('ebb', {
      createDebugAdapterTracker: () => ({
        onDidSendMessage: (m) => {
          if (m.type === 'event' && m.event === 'stopped') timeline.changed.fire();
        },
      }),
    }));
}

module.exports = { activate, deactivate() {} };
