import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { uriOfPath } from '../places';
import type { PackhoundClient } from '../server/packhoundClient';
import type { ProposalDocuments } from './proposalDocuments';
import { requests, type Checked, type CheckedLine, type Proposal } from './proposalProtocol';
import { badgeOf, lineText, titleOf } from './proposalText';

/** As many are shown as soon as a tool prints them; the others with the outcome. */
const FIRST = 10;

/** Checks of proposals: what is new of one is shown in its documents, and counted in the list. */
export class ProposalChecks implements vscode.Disposable {
  private readonly diagnostics = vscode.languages.createDiagnosticCollection('packhound checks');
  private readonly badges = new Map<string, string>();
  private readonly shown = new Map<string, vscode.Uri[]>();

  constructor(
    private readonly client: PackhoundClient,
    private readonly documents: ProposalDocuments,
  ) {}

  /** What the last check of these very changes found, in three words. */
  badge(proposal: Proposal): string {
    return this.badges.get(keyOf(proposal)) ?? '';
  }

  readonly check = async (proposal: Proposal): Promise<void> => {
    const where = {
      location: vscode.ProgressLocation.Notification,
      title: t('Checking {0}', titleOf(proposal)),
      cancellable: true,
    };
    this.forget(proposal);
    const found: CheckedLine[] = [];
    const checked = await vscode.window.withProgress(where, (progress, token) =>
      this.client.requestInSteps<Checked>(
        requests.check,
        { diff: proposal.id },
        token,
        (message) => {
          progress.report({ message });
        },
        (more) => {
          found.push(...(more.new ?? []));
          if (found.length <= FIRST) {
            this.show(proposal, found);
          }
        },
      ),
    );
    this.badges.set(keyOf(proposal), badgeOf(checked));
    this.show(proposal, checked.new);
    const show = t('Show Changes');
    const tell = checked.passed
      ? vscode.window.showInformationMessage
      : vscode.window.showWarningMessage;
    if ((await tell(`Packhound: ${checked.summary}`, show)) === show) {
      await this.documents.showChanges(proposal);
    }
  };

  /** Takes the diagnostics of a proposal away. */
  forget({ id }: Proposal): void {
    for (const uri of this.shown.get(id) ?? []) {
      this.diagnostics.delete(uri);
    }
    this.shown.delete(id);
  }

  dispose(): void {
    this.diagnostics.dispose();
  }

  /** Replaces the diagnostics of a proposal. One of a file that it leaves alone is at its start. */
  private show(proposal: Proposal, lines: readonly CheckedLine[]): void {
    this.forget(proposal);
    const changed = proposal.files.filter(({ change }) => change !== 'deleted');
    const byPath = new Map<string, vscode.Diagnostic[]>();
    for (const line of lines) {
      const own = changed.find(({ path }) => path === line.path) ?? changed[0];
      if (own) {
        const made = diagnosticOf(line, own.path === line.path ? undefined : proposal.root);
        byPath.set(own.path, [...(byPath.get(own.path) ?? []), made]);
      }
    }
    const uris = [...byPath].map(([path, found]) => {
      const uri = this.documents.document(proposal, path, 'after');
      this.diagnostics.set(uri, found);
      return uri;
    });
    this.shown.set(proposal.id, uris);
  }
}

function keyOf({ id, files }: Proposal): string {
  return JSON.stringify([id, files]);
}

function diagnosticOf(line: CheckedLine, elsewhere: string | undefined): vscode.Diagnostic {
  const isElsewhere = elsewhere !== undefined;
  const at = new vscode.Position(isElsewhere ? 0 : (line.line ?? 1) - 1, 0);
  const made = new vscode.Diagnostic(
    new vscode.Range(at, at.translate(0, 1_000)),
    lineText(line, isElsewhere),
    line.severity === 'warning'
      ? vscode.DiagnosticSeverity.Warning
      : vscode.DiagnosticSeverity.Error,
  );
  made.source = line.runner;
  if (isElsewhere && line.path) {
    const uri = vscode.Uri.parse(uriOfPath(line.path, elsewhere));
    const place = new vscode.Location(uri, new vscode.Position((line.line ?? 1) - 1, 0));
    made.relatedInformation = [new vscode.DiagnosticRelatedInformation(place, line.message)];
  }
  return made;
}
