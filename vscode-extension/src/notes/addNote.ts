import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { askText } from '../boxes';
import { focus } from '../places';
import type { PackhoundClient } from '../server/packhoundClient';
import type { NoteMarks } from './noteMarks';
import { deleteNote, writeNote } from './noteRequests';
import { newNote, NAMES, noteCode } from './noteText';

const UNDO = t('Undo');
const NAME = t('Give It a Name');

/** Asks for a note, and writes it on the definition at the cursor before anything else is asked. */
export async function addNote(client: PackhoundClient, marks: NoteMarks): Promise<void> {
  const place = focus();
  if (!place) {
    throw new Error(
      t('Put the cursor into the code that the note is about first; then ask again.'),
    );
  }
  const title = t('Packhound: Add Note at Cursor');
  const text = await askText({
    title,
    prompt: t(
      'What should others know of this code? A decision begins with "decision:", a stash with "stash:".',
    ),
    placeholder: t(
      'An insight; decision: what and because of what; stash: what is done, what is next',
    ),
    ignoreFocusOut: true,
    problem: (typed) => (newNote(typed) ? undefined : t('Write a word at least.')),
  });
  const note = newNote(text ?? '');
  if (!note) {
    return;
  }
  const written = await writeNote(client, { ...note, ...place });
  await marks.refresh();
  const said = t('Packhound: noted on {0}', noteCode(written));
  const choice = await vscode.window.showInformationMessage(said, UNDO, NAME);
  if (choice === UNDO) {
    await deleteNote(client, written.id);
    await marks.refresh();
  } else if (choice === NAME) {
    const name = await askText({ title, prompt: t('A short name to recall it by') });
    if (name?.trim()) {
      // Names cannot be changed; the first note goes when the second is there.
      await writeNote(client, { ...note, ...place, [NAMES[note.type]]: name.trim() });
      await deleteNote(client, written.id);
    }
  }
}
