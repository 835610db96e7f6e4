import type { Hit } from '../protocol';

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
