/** The setting that a note of the server is about: `search.limit` in "setting 'search.limit' is 0". */
export function namedSetting(note: string): string | undefined {
  return /\bsetting '([\w.]+)'/.exec(note)?.[1];
}
