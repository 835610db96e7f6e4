import type { Hit } from '../protocol';

/** Files of results that the user wants in the next context pack, whatever the prompt. */
export class Pins {
  private readonly hits = new Map<string, Hit>();

  get count(): number {
    return this.hits.size;
  }

  /** Paths relative to their root, each once, in the order of adding. */
  get paths(): string[] {
    return [...new Set([...this.hits.values()].map((hit) => hit.path))];
  }

  add(hit: Hit): void {
    this.hits.set(`${hit.uri}#${hit.start_line}`, hit);
  }

  clear(): void {
    this.hits.clear();
  }
}
