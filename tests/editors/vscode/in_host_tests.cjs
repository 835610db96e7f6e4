// Runs inside VS Code's extension host, against the real extension and the real server. Each test
// is one entry of the report: null when it passed, else what went wrong.
const assert = require('node:assert/strict');
const { renameSync, writeFileSync } = require('node:fs');
const vscode = require('vscode');

const EXTENSION = 'packhound.packhound';
const PATIENCE_MS = 240_000;

const folder = () => vscode.workspace.workspaceFolders[0].uri;
const file = (name) => vscode.Uri.joinPath(folder(), name);
const api = () => vscode.extensions.getExtension(EXTENSION).exports;

async function until(what, ask) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await Promise.resolve().then(ask).catch(() => undefined);
    if (found) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`waited in vain for: ${what}`);
    }
    await new Promise((done) => setTimeout(done, 100));
  }
}

const running = () => api().client.state.kind === 'running';
const settled = () => api().client.status(true);
const titles = (results) => results.hits.map((hit) => hit.qualname);
const commandText = (result) => result.content.map((part) => part.value).join('');

const tests = {
  async 'the extension starts the server by itself'() {
    await vscode.extensions.getExtension(EXTENSION).activate();
    await until('a running server', running);
    const status = await settled();
    assert.ok(status.files >= 8, JSON.stringify(status));
  },

  async 'every command that the manifest names is there'() {
    const { contributes } = vscode.extensions.getExtension(EXTENSION).packageJSON;
    const known = await vscode.commands.getCommands(true);
    for (const { command } of contributes.commands) {
      assert.ok(known.includes(command), command);
    }
  },

  async 'the key bindings are free by default'() {
    const defaults = await vscode.workspace.openTextDocument(
      vscode.Uri.parse('vscode://defaultsettings/keybindings.json'),
    );
    const text = defaults.getText();
    assert.match(text, /"key": "ctrl\+k ctrl\+s"/);
    const { contributes } = vscode.extensions.getExtension(EXTENSION).packageJSON;
    const bound = [...text.matchAll(/"key": "([^"]+)",\s*"command": "([^"]+)"/g)];
    assert.ok(bound.length > 500, String(bound.length));
    for (const { key } of contributes.keybindings.filter(({ key }) => key.startsWith('ctrl+k'))) {
      const ours = contributes.keybindings.filter((binding) => binding.key === key);
      const all = bound.filter((m) => m[1] === key).map((m) => m[2]);
      assert.deepEqual(all.sort(), ours.map(({ command }) => command).sort(), key);
    }
  },

  async 'a prose query finds the right function first, with reasons that add up'() {
    const found = await api().search('send a request again after a growing delay');
    assert.equal(found.hits[0].qualname, 'send_with_retries');
    assert.equal(found.hits[0].path, 'courier/retry.py');
    for (const hit of found.hits) {
      const sum = hit.why.reduce((total, { contribution }) => total + contribution, 0);
      assert.ok(Math.abs(sum - hit.score) < 1e-6, `${hit.qualname}: ${sum} is not ${hit.score}`);
    }
  },

  // What is open counts in the order of hits, as what the user is at.
  async 'a preview opens no document of the workspace'() {
    const inWorkspace = [];
    const opening = vscode.workspace.onDidOpenTextDocument(({ uri }) => {
      if (vscode.workspace.getWorkspaceFolder(uri)) {
        inWorkspace.push(uri.toString());
      }
    });
    const previews = () =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .filter(({ input }) => input?.uri?.scheme === 'packhound-preview');
    await vscode.commands.executeCommand('packhound.search', 'send a request again after a growing delay');
    await until('a preview', () => previews().length === 1);
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await until('no preview', () => previews().length === 0);
    opening.dispose();
    assert.deepEqual(inWorkspace, []);
  },

  async 'workspace symbols come through VS Code'() {
    const symbols = await vscode.commands.executeCommand('vscode.executeWorkspaceSymbolProvider', 'AnswerCache');
    assert.ok(symbols.some((symbol) => symbol.name === 'AnswerCache'), JSON.stringify(symbols));
  },

  async 'hovering over a result says what speaks for it and against it'() {
    const found = await api().search('AnswerCache');
    const [hit] = found.hits;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(hit.uri));
    const lines = document.getText().split('\n');
    const line = lines.findIndex((text, at) => at >= hit.start_line - 1 && text.includes('class AnswerCache'));
    const at = new vscode.Position(line, 8);
    const hovers = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at);
    const text = hovers.flatMap((hover) => hover.contents.map((one) => one.value ?? one)).join('\n');
    assert.match(text, /AnswerCache/);
    assert.match(text, /for +named AnswerCache/);
    assert.match(text, /All reasons/);
  },

  async 'unsaved text is found, and gone again when it is undone'() {
    const document = await vscode.workspace.openTextDocument(file('courier/urls.py'));
    const edit = new vscode.WorkspaceEdit();
    const end = document.lineAt(document.lineCount - 1).range.end;
    edit.insert(document.uri, end, '\n\ndef fold_zebra_stripes(é: str) -> str:\n    """😋 striped."""\n    return é\n');
    await vscode.workspace.applyEdit(edit);
    assert.ok(document.isDirty);
    assert.equal(titles(await api().search('fold_zebra_stripes'))[0], 'fold_zebra_stripes');
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('undo');
    assert.ok(!titles(await api().search('fold_zebra_stripes')).includes('fold_zebra_stripes'));
  },

  async 'cells of a notebook are found on disk, and as they are edited'() {
    const source = (...lines) => lines.map((line, i) => line + (i + 1 < lines.length ? '\n' : ''));
    const cells = [
      { cell_type: 'markdown', metadata: {}, source: source('# Parcels', 'Weights of a year.') },
      { cell_type: 'code', metadata: {}, outputs: [], execution_count: null,
        source: source('def weigh_parcels(frame):', '    return frame.sum()') },
    ];
    const kernelspec = { name: 'python3', display_name: 'Python 3', language: 'python' };
    const json = { cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 };
    const path = file('parcels.ipynb');
    await vscode.workspace.fs.writeFile(path, Buffer.from(JSON.stringify(json, null, 1)));
    const best = async (query) => (await api().search(query)).hits[0];
    const onDisk = await until('a cell on disk', async () => {
      const hit = await best('weigh_parcels');
      return hit?.name === 'weigh_parcels' && hit;
    });
    assert.deepEqual(onDisk.cell, { number: 2, line: 1 });
    assert.equal(onDisk.uri, path.toString());

    const notebook = await vscode.workspace.openNotebookDocument(path);
    await vscode.window.showNotebookDocument(notebook);
    const inserted = new vscode.NotebookCellData(
      vscode.NotebookCellKind.Code, 'def fold_zebra_cells(x):\n    return x', 'python');
    const edit = new vscode.WorkspaceEdit();
    edit.set(path, [vscode.NotebookEdit.insertCells(1, [inserted])]);
    const text = new vscode.WorkspaceEdit();
    const { document } = notebook.cellAt(1);
    text.replace(document.uri, new vscode.Range(0, 4, 0, 17), 'lift_parcels');
    await vscode.workspace.applyEdit(text);
    await vscode.workspace.applyEdit(edit);
    const unsaved = await until('an unsaved cell', async () => {
      const hit = await best('fold_zebra_cells');
      return hit?.name === 'fold_zebra_cells' && hit;
    });
    assert.equal(unsaved.uri, notebook.cellAt(1).document.uri.toString());
    assert.equal(unsaved.selectionRange.start.line, 0);
    const edited = await best('lift_parcels');
    assert.deepEqual([edited.name, edited.cell], ['lift_parcels', { number: 3, line: 1 }]);
    assert.equal(edited.uri, notebook.cellAt(2).document.uri.toString());
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.workspace.fs.delete(path);
  },

  async 'a cancelled search answers as cancelled'() {
    const source = new vscode.CancellationTokenSource();
    const asked = api().client.search({ query: 'cache' }, source.token);
    source.cancel();
    const outcome = await asked.then(() => 'answered', (error) => error.code);
    // The server may have been faster than the cancellation.
    assert.ok([-32800, 'answered'].includes(outcome), String(outcome));
    assert.ok((await api().search('cache')).hits.length > 0);
  },

  async 'a changed setting reaches the server'() {
    const settings = () => vscode.workspace.getConfiguration('packhound');
    await settings().update('search.limit', 2, vscode.ConfigurationTarget.Workspace);
    await until('two hits', async () => (await api().search('request')).hits.length === 2);
    await settings().update('search.limit', undefined, vscode.ConfigurationTarget.Workspace);
    await until('more hits', async () => (await api().search('request')).hits.length > 2);
  },

  async 'what is new is shown'() {
    await vscode.commands.executeCommand('packhound.whatIsNew');
    const shown = () => vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? '';
    await until('the page', () => /CHANGELOG/.test(shown()));
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  },

  async 'callers come from another extension that knows the language'() {
    const item = (name, path, line) => {
      const range = new vscode.Range(line, 0, line, 4);
      const { CallHierarchyItem, SymbolKind } = vscode;
      return new CallHierarchyItem(SymbolKind.Function, name, 'of the language', file(path), range, range);
    };
    const caller = item('Client', 'courier/client.py', 5);
    const registration = vscode.languages.registerCallHierarchyProvider('python', {
      prepareCallHierarchy: () => item('backoff_delays', 'courier/retry.py', 17),
      provideCallHierarchyIncomingCalls: () => [
        new vscode.CallHierarchyIncomingCall(caller, [new vscode.Range(7, 0, 7, 4)]),
      ],
      provideCallHierarchyOutgoingCalls: () => [],
    });
    const opened = async (path, line) => {
      const place = { uri: file('courier/retry.py').toString(), position: { line: 17, character: 4 } };
      await vscode.commands.executeCommand('packhound.calls', place);
      await until(`${path}:${line}`, async () => {
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
        const { document, selection } = vscode.window.activeTextEditor;
        return document.uri.path.endsWith(path) && selection.active.line === line;
      });
    };
    try {
      await opened('courier/client.py', 7);
    } finally {
      registration.dispose();
    }
    await opened('courier/retry.py', 27);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'related code is found from a place in a file'() {
    const found = await api().client.related({
      uri: file('courier/retry.py').toString(),
      position: { line: 19, character: 4 },
    });
    assert.ok(found.hits.length > 0);
  },

  async 'lines are found by a regular expression, in unsaved text too'() {
    const found = await api().client.grep({ pattern: 'def \\w+_password' });
    assert.equal(found.total_lines, 1);
    assert.equal(found.groups[0].qualname, 'mask_password');
    assert.equal(found.groups[0].uri, file('courier/urls.py').toString());
    await assert.rejects(api().client.grep({ pattern: '(' }), /\(/);
  },

  async 'a hit that is a test is run by the runner of the editor, and that is an episode'() {
    const settings = vscode.workspace.getConfiguration('packhound');
    await settings.update('sources.episodes.enabled', true, vscode.ConfigurationTarget.Global);
    await settled();
    const { hits } = await api().search('test_delays_grow');
    assert.equal(hits[0].kind, 'test');
    const uri = vscode.Uri.parse(hits[0].uri);
    const runner = vscode.tests.createTestController('courier', 'Courier');
    try {
      const item = runner.createTestItem('grow', 'grow', uri);
      const { start, end } = hits[0].range;
      item.range = new vscode.Range(start.line, start.character, end.line, end.character);
      runner.items.add(item);
      const ran = [];
      const run = (request) => {
        ran.push(...request.include.map(({ id }) => id));
        const result = runner.createTestRun(request);
        request.include.forEach((each) => result.passed(each));
        result.end();
      };
      runner.createRunProfile('Run', vscode.TestRunProfileKind.Run, run, true);
      await until('the episode', async () => {
        await vscode.commands.executeCommand('packhound.result.runTest', { type: 'hit', hit: hits[0] });
        const episodes = await api().search('test_delays_grow type:episode');
        return episodes.hits.some(({ name }) => name.startsWith('run: test_delays_grow'));
      });
      assert.ok(ran.includes('grow'));
    } finally {
      await settings.update('sources.episodes.enabled', undefined, vscode.ConfigurationTarget.Global);
      runner.dispose();
    }
  },

  async 'the language model tool searches'() {
    assert.ok(vscode.lm.tools.some((tool) => tool.name === 'packhound_search'));
    const result = await vscode.lm.invokeTool('packhound_search', {
      input: { query: 'mask a password in a url', limit: 3 },
      toolInvocationToken: undefined,
    });
    const answer = JSON.parse(commandText(result));
    assert.equal(answer.hits[0].name, 'mask_password');
    assert.match(answer.hits[0].source, /def mask_password/);
    assert.ok(answer.hits.length <= 3);
  },

  async 'the language model tool packs within the budget'() {
    assert.ok(vscode.lm.tools.some((tool) => tool.name === 'packhound_pack'));
    const result = await vscode.lm.invokeTool('packhound_pack', {
      input: { prompt: 'mend the retries of courier/retry.py', budget: 900 },
      toolInvocationToken: undefined,
    });
    const pack = JSON.parse(commandText(result));
    assert.ok(pack.tokens <= 900, `${pack.tokens} tokens`);
    assert.ok(pack.items.some((item) => item.path === 'courier/retry.py'), JSON.stringify(pack.items));
  },

  async 'the walkthrough opens'() {
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${EXTENSION}#start`);
  },

  async 'rebuilding ends ready'() {
    await vscode.commands.executeCommand('packhound.rebuild');
    const status = await settled();
    assert.ok(status.nodes > 0 && status.pending === 0, JSON.stringify(status));
  },

  async 'a killed server comes back by itself and answers'() {
    const before = api().client.languageClient._serverProcess.pid;
    process.kill(before, 'SIGKILL');
    const after = await until('another process', () => {
      const pid = api().client.languageClient?._serverProcess?.pid;
      return pid !== before && running() && pid;
    });
    assert.notEqual(after, before);
    await until('an answer', async () => (await api().search('AnswerCache')).hits.length > 0);
  },

  async 'restarts asked for at once leave one server that answers'() {
    const restart = () => vscode.commands.executeCommand('packhound.restart');
    await Promise.all([restart(), restart(), restart()]);
    await until('a running server', running);
    assert.ok((await api().search('AnswerCache')).hits.length > 0);
  },

  async 'a server that is not there is said in one sentence, and mended by the setting'() {
    const settings = () => vscode.workspace.getConfiguration('packhound');
    const good = settings().get('server.path');
    await settings().update('server.path', ['/nowhere/packhound'], vscode.ConfigurationTarget.Global);
    const failed = await until('a failure', () => api().client.state.kind === 'failed' && api().client.state);
    assert.match(failed.problem.reason, /"\/nowhere\/packhound"\) could not be started/);
    assert.ok(failed.problem.remedies.includes('Show Logs'));
    await assert.rejects(api().search('x'), /could not be started/);
    await settings().update('server.path', good, vscode.ConfigurationTarget.Global);
    await until('a running server', running);
    assert.ok((await api().search('AnswerCache')).hits.length > 0);
  },
};

// One hanging test is one failure, and the rest is still run.
function inTime(test) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error('it did not end')), 2 * PATIENCE_MS);
  });
  return Promise.race([test(), late]).finally(() => clearTimeout(timer));
}

exports.run = async () => {
  const only = process.env.PACKHOUND_TEST_ONLY;
  const target = process.env.PACKHOUND_TEST_REPORT;
  const report = {};
  for (const [name, test] of Object.entries(tests)) {
    if (!only || name.includes(only)) {
      report[name] = await inTime(test).then(() => null, (error) => String(error.stack ?? error));
      writeFileSync(`${target}.part`, JSON.stringify({ version: vscode.version, tests: report }, null, 1));
    }
  }
  renameSync(`${target}.part`, target);
};
