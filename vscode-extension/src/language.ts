import { config } from '@vscode/l10n';
import * as vscode from 'vscode';

// The first import of the extension: texts are looked up while its other modules are loaded.
if (vscode.l10n.bundle) {
  config({ contents: vscode.l10n.bundle });
}
