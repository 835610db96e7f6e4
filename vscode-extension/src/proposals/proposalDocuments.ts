import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { uriOfPath } from '../places';
import type { Hit } from '../protocol';
import type { ReadOnlyDocuments } from '../readOnlyDocuments';
import type { PackhoundClient } from '../server/packhoundClient';
import { requests, type Proposal } from './proposalProtocol';
import { sidesOf, titleOf } from './proposalText';

type Side = 'before' | 'after';

/** The files of proposals before and after them, as documents that nobody can edit. */
export class ProposalDocuments {
  constructor(
    private readonly client: PackhoundClient,
    private readonly documents: ReadOnlyDocuments,
  ) {}

  /** Opens all files of a proposal in one editor of diffs. */
  async showChanges(proposal: Proposal): Promise<void> {
    const changes = proposal.files.map((file) => {
      const { before, after } = sidesOf(file);
      return [
        vscode.Uri.parse(uriOfPath(file.path, proposal.root)),
        before ? this.document(proposal, file.path, 'before') : undefined,
        after ? this.document(proposal, file.path, 'after') : undefined,
      ];
    });
    if (changes.length === 0) {
      throw new Error(t('{0} does not apply any more: {1}', titleOf(proposal), proposal.problem));
    }
    await vscode.commands.executeCommand(
      'vscode.changes',
      t('Proposed: {0}', proposal.message || proposal.id),
      changes,
    );
  }

  /** A hit of a search as if a proposal were applied opens in the proposed file. */
  inProposal(proposal: Proposal, hit: Hit): Hit {
    const isProposed = proposal.files.some(({ path }) => path === hit.path);
    return isProposed
      ? { ...hit, uri: this.document(proposal, hit.path, 'after').toString() }
      : hit;
  }

  /** A side of a file of a proposal. */
  document({ id }: Proposal, path: string, side: Side): vscode.Uri {
    const text = async (): Promise<string> =>
      (await this.client.request<Record<Side, string>>(requests.overlayText, { id, path }))[side];
    // Both have one path: with two the file would count as renamed.
    return this.documents.offer(path, text, `${side} proposal ${id}`);
  }
}
