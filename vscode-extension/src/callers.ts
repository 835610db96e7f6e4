import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { rangeOf } from './places';
import type { Link, SymbolAnswer } from './protocol';

const KINDS: Partial<Record<vscode.SymbolKind, string>> = {
  [vscode.SymbolKind.Class]: 'class',
  [vscode.SymbolKind.Method]: 'method',
  [vscode.SymbolKind.Module]: 'file',
  [vscode.SymbolKind.File]: 'file',
};

/**
 * The answer with the callers that another extension knows of the language, which its own server
 * has from types; unchanged where there is none. Tests among them stay in their part.
 */
export async function withCallersOfLanguage(symbol: SymbolAnswer): Promise<SymbolAnswer> {
  const { uri, selectionRange, tests } = symbol;
  const callers = await callersOfLanguage(vscode.Uri.parse(uri), rangeOf(selectionRange).start);
  if (callers.length === 0) {
    return symbol;
  }
  const isTest = (caller: Link): boolean =>
    tests.some((test) => test.uri === caller.uri && test.name === caller.name);
  return { ...symbol, callers: callers.filter((each) => !isTest(each)), mentions: [] };
}

async function callersOfLanguage(uri: vscode.Uri, position: vscode.Position): Promise<Link[]> {
  try {
    const [item] = await vscode.commands.executeCommand<vscode.CallHierarchyItem[]>(
      'vscode.prepareCallHierarchy',
      uri,
      position,
    );
    if (!item || isOurs(item)) {
      return [];
    }
    const calls = await vscode.commands.executeCommand<vscode.CallHierarchyIncomingCall[]>(
      'vscode.provideIncomingCalls',
      item,
    );
    return calls.map(linkOf);
  } catch {
    // Another extension that fails leaves what our server knows.
    return [];
  }
}

/** VS Code asks our server where no other one knows the language. */
function isOurs({ uri, detail = '' }: vscode.CallHierarchyItem): boolean {
  return detail !== '' && vscode.workspace.asRelativePath(uri, false).endsWith(detail);
}

function linkOf({ from, fromRanges }: vscode.CallHierarchyIncomingCall): Link {
  const { name, uri, range, selectionRange, kind } = from;
  return {
    ...{ path: vscode.workspace.asRelativePath(uri), uri: uri.toString() },
    ...{ start_line: range.start.line + 1, end_line: range.end.line + 1 },
    ...{ kind: KINDS[kind] ?? 'function', name, qualname: name, range, selectionRange },
    by: t('the extension of the language'),
    line: (fromRanges[0]?.start.line ?? selectionRange.start.line) + 1,
  };
}
