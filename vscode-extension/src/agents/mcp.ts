import * as vscode from 'vscode';
import type { PackhoundClient } from '../server/packhoundClient';
import type { AgentApi } from './api';

/** Tells VS Code how to start Packhound's MCP server, where it knows such servers. */
export function registerMcp(
  client: PackhoundClient,
  version: string,
  api: AgentApi = vscode as AgentApi,
): vscode.Disposable[] {
  const { lm, McpStdioServerDefinition: StdioServer } = api;
  if (!lm?.registerMcpServerDefinitionProvider || !StdioServer) {
    return [];
  }
  const changes = new vscode.EventEmitter<void>();
  let announced = '';
  const subscription = client.onDidChangeState(() => {
    const command = JSON.stringify(client.command ?? null);
    if (command !== announced) {
      announced = command;
      changes.fire();
    }
  });
  const provider = lm.registerMcpServerDefinitionProvider('packhound.mcp', {
    onDidChangeMcpServerDefinitions: changes.event,
    provideMcpServerDefinitions: () => {
      const roots = localRoots();
      if (!client.command || roots.length === 0) {
        return [];
      }
      const { program, args } = client.command;
      return [new StdioServer('Packhound', program, [...args, 'mcp', ...roots], {}, version)];
    },
  });
  return [provider, subscription, vscode.Disposable.from(changes)];
}

function localRoots(): string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => uri.fsPath);
}
