import { showExplanation } from './explain/explanationPanel';
import type { Pins } from './pack/pins';
import type { Hit } from './protocol';
import type { Results } from './results/results';
import type { PackhoundClient } from './server/packhoundClient';

/** What can be done with a hit besides opening it, wherever it is listed. */
export class HitActions {
  constructor(
    private readonly client: PackhoundClient,
    private readonly results: Results,
    private readonly pins: Pins,
  ) {}

  async why(hit: Hit): Promise<void> {
    const around = this.results.around(hit);
    await showExplanation(this.client, hit, around?.query ?? '', around?.hits ?? []);
  }

  pin(hit: Hit): void {
    this.pins.add(hit);
  }

  pinnedTitle(): string {
    const { count } = this.pins;
    return `Packhound: ${count} ${count === 1 ? 'result' : 'results'} added to the next context pack`;
  }
}
