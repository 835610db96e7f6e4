import { explanation, EXPLANATION, EXPLANATION_LANGUAGE } from './explain/contributionTable';
import type { Pins } from './pack/pins';
import type { Hit } from './protocol';
import type { ReadOnlyDocuments } from './readOnlyDocuments';
import type { Results } from './results/results';

/** What can be done with a hit besides opening it, wherever it is listed. */
export class HitActions {
  constructor(
    private readonly results: Results,
    private readonly documents: ReadOnlyDocuments,
    private readonly pins: Pins,
  ) {}

  async why(hit: Hit): Promise<void> {
    const around = this.results.around(hit);
    const text = explanation(hit, around?.query ?? '', around?.hits ?? []);
    await this.documents.show(EXPLANATION, text, EXPLANATION_LANGUAGE);
  }

  pin(hit: Hit): void {
    this.pins.add(hit);
  }

  pinnedTitle(): string {
    const { count } = this.pins;
    return `Packhound: ${count} ${count === 1 ? 'result' : 'results'} added to the next context pack`;
  }
}
