import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { askText } from '../boxes';
import { withErrorsShown } from '../problems';
import type { PackhoundClient } from '../server/packhoundClient';
import { noteItem } from '../search/hitItem';
import { accept, reject } from './decisions';
import type { ProposalChecks } from './proposalChecks';
import type { ProposalDocuments } from './proposalDocuments';
import { requests, type Proposal } from './proposalProtocol';
import { describe, titleOf } from './proposalText';

/** What is done with a proposal that is chosen. */
export type Act = (proposal: Proposal) => Promise<void>;

interface Row extends vscode.QuickPickItem {
  proposal?: Proposal;
}

/** The newest ones; each takes the server a while. */
const WITH_VERDICT = 10;
const NOTHING = noteItem(
  t('Nothing is proposed: "packhound overlay add FILE.diff" proposes a patch.'),
);

/** The commands that list proposed changes, and decide on one. */
export class Proposals {
  private readonly buttons: readonly (vscode.QuickInputButton & { act: Act })[];

  constructor(
    private readonly client: PackhoundClient,
    private readonly documents: ProposalDocuments,
    private readonly checks: ProposalChecks,
    /** Searches as if a proposal were applied. */
    readonly search: Act,
  ) {
    const button = (icon: string, tooltip: string, act: Act) => ({
      ...{ iconPath: new vscode.ThemeIcon(icon), tooltip, act },
    });
    this.buttons = [
      button('search', t('Search as if it were applied'), search),
      button('beaker', t('Check: run tests and tools on it, in a copy'), checks.check),
      button('check', t('Accept: write its files'), this.accept),
      button('circle-slash', t('Reject, with a reason'), this.reject),
      button('trash', t('Discard'), this.discard),
    ];
  }

  readonly check: Act = (proposal) => this.checks.check(proposal);

  readonly open: Act = (proposal) => this.documents.showChanges(proposal);

  readonly accept: Act = async (proposal) => {
    if (await accept(this.client, proposal)) {
      this.checks.forget(proposal);
    }
  };

  readonly reject: Act = async (proposal) => {
    const reason = await askText({
      title: t('Packhound: Reject {0}', titleOf(proposal)),
      placeholder: t('Why? It is kept with the proposal'),
      problem: (text) => (text.trim() ? undefined : t('Say why, or discard it.')),
    });
    if (reason) {
      await reject(this.client, proposal, reason);
      this.checks.forget(proposal);
    }
  };

  readonly discard: Act = async (proposal) => {
    await this.client.request(requests.discard, { id: proposal.id });
    this.checks.forget(proposal);
    vscode.window.setStatusBarMessage(t('Discarded {0}', titleOf(proposal)), 4000);
  };

  /** Lists the proposals; Enter does `act`, and a button of a row what it says. */
  async show(title: string, placeholder: string, act: Act): Promise<void> {
    const pick = vscode.window.createQuickPick<Row>();
    Object.assign(pick, { title: `Packhound: ${title}`, placeholder, busy: true });
    pick.matchOnDescription = pick.matchOnDetail = true;
    // The list stays until what follows has the focus, so that no key goes to another editor.
    const leave = (row: Row | undefined, chosen: Act): void => {
      void withErrorsShown(async () => {
        try {
          await (row?.proposal && chosen(row.proposal));
        } finally {
          pick.dispose();
        }
      });
    };
    pick.onDidTriggerItemButton(({ item, button }) => {
      leave(item, this.buttons.find((each) => each === button)?.act ?? act);
    });
    pick.onDidAccept(() => {
      leave(pick.activeItems[0], act);
    });
    pick.show();
    try {
      const rows = await this.rows();
      // Once: rows that are replaced under a click would have another one chosen.
      pick.items = rows.length > 0 ? rows : [NOTHING];
      pick.busy = false;
    } catch (error) {
      pick.dispose();
      throw error;
    }
  }

  private async rows(): Promise<Row[]> {
    const listed = await this.client.request<{ overlays: Proposal[] }>(requests.overlays, {});
    const proposals = await Promise.all(
      listed.overlays.map(async (each, at) =>
        each.applies && at < WITH_VERDICT
          ? this.client.request<Proposal>(requests.overlay, { id: each.id })
          : each,
      ),
    );
    return proposals.map((proposal) => {
      const { label, description, detail, icon } = describe(proposal, this.checks.badge(proposal));
      const iconPath = new vscode.ThemeIcon(icon);
      return { label, description, detail, iconPath, buttons: this.buttons, proposal };
    });
  }
}
