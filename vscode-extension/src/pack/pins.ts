import type { Hit } from '../protocol';

/** Results that the user wants in the next context pack, whatever the prompt. */
export class Pins {
  private readonly hits = new Map<string, Hit>();

  get count(): number {
    return this.hits.size;
  }

  /** Runs of lines as the server names them, `path:10-20`, in the order of adding. */
  get runs(): string[] {
    return [...this.hits.values()].map(
      ({ path, start_line, end_line }) => `${path}:${start_line}-${end_line}`,
    );
  }

  add(hit: Hit): void {
    this.hits.set(`${hit.uri}#${hit.start_line}-${hit.end_line}`, hit);
  }

  clear(): void {
    this.hits.clear();
  }
}
