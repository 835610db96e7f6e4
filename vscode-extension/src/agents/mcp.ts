import * as vscode from 'vscode';
import type { PackhoundClient } from '../server/packhoundClient';
import type { ServerCommand } from '../server/serverCommand';
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
  const following = client.onDidChangeState(() => {
    const command = JSON.stringify(client.command ?? null);
    if (command !== announced) {
      announced = command;
      changes.fire();
    }
  });
  const provider = lm.registerMcpServerDefinitionProvider('packhound.mcp', {
    onDidChangeMcpServerDefinitions: changes.event,
    provideMcpServerDefinitions: () => {
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
      if (!client.command || folder?.scheme !== 'file') {
        return [];
      }
      const { program, args } = mcpCommand(client.command, folder.fsPath);
      return [new StdioServer('Packhound', program, args, {}, version)];
    },
  });
  return [provider, following, vscode.Disposable.from(changes)];
}

function mcpCommand(server: ServerCommand, root: string): ServerCommand {
  return { ...server, args: [...server.args, 'mcp', '--root', root] };
}
