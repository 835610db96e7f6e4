interface Cell {
  cell_type?: string;
  source?: string | string[];
  metadata?: { vscode?: { languageId?: string } };
}

interface Notebook {
  cells?: Cell[];
  metadata?: { kernelspec?: { language?: string }; language_info?: { name?: string } };
}

/** Text and language of a cell, counted from 1, of the JSON of a Jupyter notebook. */
export function notebookCell(
  json: string,
  number: number,
): { text: string; language: string } | undefined {
  const { cells = [], metadata = {} } = JSON.parse(json) as Notebook;
  const cell = cells[number - 1];
  if (!cell) {
    return undefined;
  }
  const { source = '', cell_type } = cell;
  const language =
    cell.metadata?.vscode?.languageId ??
    (cell_type === 'code'
      ? (metadata.language_info?.name ?? metadata.kernelspec?.language ?? 'python')
      : 'markdown');
  return { text: Array.isArray(source) ? source.join('') : source, language };
}
