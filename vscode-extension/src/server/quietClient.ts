import type { ErrorHandler } from 'vscode-languageclient/node';
import type { LanguageClientOptions, ServerOptions } from 'vscode-languageclient/node';
import { CloseAction, ErrorAction, LanguageClient } from 'vscode-languageclient/node';
import type { RestartPolicy } from './restartPolicy';

const MOST_ERRORS = 3;

/** A client that logs its own errors; what the user should know is said by this extension. */
export class QuietClient extends LanguageClient {
  constructor(server: ServerOptions, options: LanguageClientOptions, policy: RestartPolicy) {
    super('packhound', 'Packhound', server, { ...options, errorHandler: handler(policy) });
  }

  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function handler(policy: RestartPolicy): ErrorHandler {
  return {
    error: (_error, _message, count = 0) => ({
      action: count <= MOST_ERRORS ? ErrorAction.Continue : ErrorAction.Shutdown,
    }),
    closed: () => ({
      action: policy.ended() ? CloseAction.Restart : CloseAction.DoNotRestart,
    }),
  };
}
