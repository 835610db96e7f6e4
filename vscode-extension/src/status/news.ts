import type { Memento } from 'vscode';

const KEY = 'packhound.version';

/** True once after an update to another minor version; false after the first installation. */
export async function isNews(state: Memento, version: string): Promise<boolean> {
  const before = state.get<string>(KEY);
  await state.update(KEY, version);
  return before !== undefined && release(before) !== release(version);
}

/** Major and minor: a fix alone is no news. */
function release(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
