// The part of VS Code's agent API that is used here. It is younger than the oldest VS Code that
// this extension runs in, so it is described here and looked for at run time.

import type * as vscode from 'vscode';

export interface ToolCall<T> {
  input: T;
}

export interface Tool<T> {
  invoke(call: ToolCall<T>, token: vscode.CancellationToken): Promise<object>;
  prepareInvocation?(call: ToolCall<T>): { invocationMessage: string };
}

export interface AgentApi {
  lm?: {
    registerTool?<T>(name: string, tool: Tool<T>): vscode.Disposable;
    registerMcpServerDefinitionProvider?(
      id: string,
      provider: {
        onDidChangeMcpServerDefinitions?: vscode.Event<void>;
        provideMcpServerDefinitions(): object[];
      },
    ): vscode.Disposable;
  };
  LanguageModelToolResult?: new (parts: object[]) => object;
  LanguageModelTextPart?: new (text: string) => object;
  McpStdioServerDefinition?: new (
    label: string,
    command: string,
    args: string[],
    env: Record<string, string>,
    version: string,
  ) => { cwd?: vscode.Uri };
}
