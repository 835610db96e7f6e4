import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { openPage, showExplanation } from './explain/explanationPanel';
import type { Pins } from './pack/pins';
import { openHit } from './places';
import { isCode, type Hit } from './protocol';
import type { Results } from './results/results';
import { placeOf } from './search/hitText';
import type { Previews } from './search/preview';
import type { PackhoundClient } from './server/packhoundClient';

/** What can be done with a hit besides opening it, wherever it is listed. */
export class HitActions {
  constructor(
    private readonly client: PackhoundClient,
    private readonly results: Results,
    readonly pins: Pins,
    readonly previews: Previews,
  ) {}

  async why(hit: Hit): Promise<void> {
    const { query = '' } = this.results.around(hit) ?? {};
    if (isCode(hit)) {
      await showExplanation(this.client, hit, query);
    } else {
      openPage(hit, query);
    }
  }

  pin(hit: Hit, pinned = true): void {
    if (pinned) {
      this.pins.add(hit);
    } else {
      this.pins.remove(hit);
    }
  }

  pinnedTitle(): string {
    const { count } = this.pins;
    return count === 1
      ? t('Packhound: 1 result added to the next context pack')
      : t('Packhound: {0} results added to the next context pack', count);
  }

  async copyReference(hit: Hit): Promise<void> {
    await vscode.env.clipboard.writeText(placeOf(hit));
    vscode.window.setStatusBarMessage(t('Copied: {0}', placeOf(hit)), 4000);
  }

  /** Runs the test that a hit is, with whatever runs tests in this editor. */
  async runTest(hit: Hit): Promise<void> {
    await openHit(hit);
    this.client.picked(hit, true);
    await vscode.commands.executeCommand('testing.runAtCursor');
  }
}
