import { keyOf, type Hit } from '../protocol';

/** Results that the user wants in the next context pack, whatever the prompt. */
export class Pins {
  private readonly pinned = new Map<string, Hit>();
  /** Called after each change, with the hits that were added or removed. */
  readonly listeners: ((changed: readonly Hit[]) => void)[] = [];

  get count(): number {
    return this.pinned.size;
  }

  get hits(): Hit[] {
    return [...this.pinned.values()];
  }

  /** Runs of lines as the server names them, `path:10-20`, or files, in the order of adding. */
  get runs(): string[] {
    return this.hits.map(({ path, start_line, end_line }) =>
      end_line > 0 ? `${path}:${start_line}-${end_line}` : path,
    );
  }

  has(hit: Hit): boolean {
    return this.pinned.has(keyOf(hit));
  }

  add(hit: Hit): void {
    this.pinned.set(keyOf(hit), hit);
    this.changed([hit]);
  }

  remove(hit: Hit): void {
    this.pinned.delete(keyOf(hit));
    this.changed([hit]);
  }

  clear(): void {
    const { hits } = this;
    this.pinned.clear();
    this.changed(hits);
  }

  private changed(hits: readonly Hit[]): void {
    for (const listener of this.listeners) {
      listener(hits);
    }
  }
}
