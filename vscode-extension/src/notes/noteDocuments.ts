import { t } from '@vscode/l10n';
import type * as vscode from 'vscode';
import { isCode, type Hit } from '../protocol';
import type { ReadOnlyDocuments } from '../readOnlyDocuments';
import type { PackhoundClient } from '../server/packhoundClient';
import { noteOf } from './noteRequests';
import { notePage } from './noteText';

const NOWHERE = { line: 0, character: 0 };
const START = { start: NOWHERE, end: NOWHERE };

/** The document of a note, which says what has changed in its code by the time it is opened. */
export function noteDocument(
  id: string,
  client: PackhoundClient,
  documents: ReadOnlyDocuments,
): vscode.Uri {
  return documents.offer(t('Note {0}.md', id), async () => {
    const note = await noteOf(client, id);
    return note ? notePage(note) : t('This note is gone.');
  });
}

/** A function that gives hits that stand in no file, such as notes and commits, a document. */
export function inDocuments(
  client: PackhoundClient,
  documents: ReadOnlyDocuments,
): (hit: Hit) => Hit {
  return (hit) => {
    if (isCode(hit) || hit.path) {
      return hit;
    }
    const { id = '', source, kind, name, date = '', text = '' } = hit;
    const uri =
      source === 'notes'
        ? noteDocument(id, client, documents)
        : documents.offer(`${kind} ${id}.md`, `# ${name}\n\n${kind}, ${date}\n\n${text}\n`);
    return { ...hit, uri: uri.toString(), range: START, selectionRange: START };
  };
}
