import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { problemText } from '../problems';
import type { PackhoundClient } from '../server/packhoundClient';
import { requests, type Accepted, type Proposal } from './proposalProtocol';
import { acceptedText, titleOf } from './proposalText';

/** What the server says where a merge may help. */
const MERGEABLE = /\(three-way\)/;

/** Writes the files of a proposal, unless the user will not have it merged with his changes. */
export async function accept(client: PackhoundClient, proposal: Proposal): Promise<boolean> {
  const params = { proposal: proposal.id };
  let accepted: Accepted;
  try {
    accepted = await client.request<Accepted>(requests.accept, params);
  } catch (error) {
    if (!MERGEABLE.test(problemText(error))) {
      throw error;
    }
    const merge = t('Merge');
    const detail = `${problemText(error)}\n\n${t('Where both change the same lines nothing is written.')}`;
    const message = t('Merge {0} with your changes?', titleOf(proposal));
    const choice = await vscode.window.showWarningMessage(message, { modal: true, detail }, merge);
    if (choice !== merge) {
      return false;
    }
    accepted = await client.request<Accepted>(requests.accept, { ...params, three_way: true });
  }
  void vscode.window.showInformationMessage(`Packhound: ${acceptedText(accepted.files)}`);
  return true;
}

export async function reject(
  client: PackhoundClient,
  proposal: Proposal,
  reason: string,
): Promise<void> {
  await client.request(requests.reject, { id: proposal.id, reason });
  vscode.window.setStatusBarMessage(t('Rejected {0}', titleOf(proposal)), 4000);
}
