import type { Hit } from '../protocol';

/** Results that the user wants in the next context pack, whatever the prompt. */
export class Pins {
  private readonly pinned = new Map<string, Hit>();
  /** Called after each change. */
  onChange: () => void = () => undefined;

  get count(): number {
    return this.pinned.size;
  }

  get hits(): Hit[] {
    return [...this.pinned.values()];
  }

  /** Runs of lines as the server names them, `path:10-20`, in the order of adding. */
  get runs(): string[] {
    return this.hits.map(({ path, start_line, end_line }) => `${path}:${start_line}-${end_line}`);
  }

  has(hit: Hit): boolean {
    return this.pinned.has(keyOf(hit));
  }

  add(hit: Hit): void {
    this.pinned.set(keyOf(hit), hit);
    this.onChange();
  }

  remove(hit: Hit): void {
    this.pinned.delete(keyOf(hit));
    this.onChange();
  }

  clear(): void {
    this.pinned.clear();
    this.onChange();
  }
}

function keyOf(hit: Hit): string {
  return `${hit.uri}#${hit.start_line}-${hit.end_line}`;
}
