import type { PackFile } from './packDocument';

/** A row of the files of a pack: a folder, or a file in one, each with its tokens. */
export interface PackRow {
  label: string;
  tokens: number;
  /** Of a file; a folder has none, and its files below it. */
  file?: PackFile;
  folder?: PackRow;
}

/** The files of a pack below their folders, which come in the order of their first file. */
export function rowsByFolder(files: readonly PackFile[]): PackRow[] {
  const groups = new Map<string, { folder: PackRow; files: PackRow[] }>();
  for (const file of files) {
    const slash = file.path.lastIndexOf('/');
    const label = slash < 0 ? '/' : file.path.slice(0, slash + 1);
    const group = groups.get(label) ?? { folder: { label, tokens: 0 }, files: [] };
    groups.set(label, group);
    const { tokens } = file;
    group.folder.tokens += tokens;
    group.files.push({ label: file.path.slice(slash + 1), tokens, file, folder: group.folder });
  }
  return [...groups.values()].flatMap((group) => [group.folder, ...group.files]);
}

/**
 * The rows that are ticked when the user has ticked or unticked some: what he does to a folder is
 * done to its files, and a folder is ticked where all its files are.
 */
export function tickedRows<Row extends PackRow>(
  rows: readonly Row[],
  before: readonly Row[],
  selected: readonly Row[],
): Row[] {
  const now = new Set<PackRow>(selected);
  for (const folder of rows.filter(({ file }) => !file)) {
    const files = rows.filter((row) => row.folder === folder);
    if (now.has(folder) && !before.includes(folder)) {
      files.forEach((file) => now.add(file));
    } else if (!now.has(folder) && before.includes(folder)) {
      files.forEach((file) => now.delete(file));
    }
    if (files.every((file) => now.has(file))) {
      now.add(folder);
    } else {
      now.delete(folder);
    }
  }
  return rows.filter((row) => now.has(row));
}
