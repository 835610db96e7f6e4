import type { Hit } from '../protocol';

const TYPES = new Set(['class', 'struct', 'enum', 'interface', 'trait', 'type']);

export interface FileGroup {
  path: string;
  uri: string;
  hits: Hit[];
}

/** Hits by file; files in the order of their best hit, hits of one file in the server's order. */
export function groupByFile(hits: readonly Hit[]): FileGroup[] {
  const groups = new Map<string, FileGroup>();
  for (const hit of hits) {
    const group = groups.get(hit.uri);
    if (group) {
      group.hits.push(hit);
    } else {
      groups.set(hit.uri, { path: hit.path, uri: hit.uri, hits: [hit] });
    }
  }
  return [...groups.values()];
}

/** The impl blocks of each type among the hits; in the type's file first, where two share a name. */
export function implsByType(hits: readonly Hit[]): Map<Hit, Hit[]> {
  const types = hits.filter(({ kind }) => TYPES.has(kind));
  const impls = new Map<Hit, Hit[]>();
  for (const hit of hits.filter(({ kind }) => kind === 'impl')) {
    const same = types.filter(({ name }) => name === hit.name);
    const type = same.find(({ uri }) => uri === hit.uri) ?? same[0];
    if (type) {
      impls.set(type, [...(impls.get(type) ?? []), hit]);
    }
  }
  return impls;
}

export function isTest(hit: Hit): boolean {
  return hit.kind === 'test';
}
