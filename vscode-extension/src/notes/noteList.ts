import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { withErrorsShown } from '../problems';
import type { Note } from './noteProtocol';
import type { ReadOnlyDocuments } from '../readOnlyDocuments';
import { noteItem } from '../search/hitItem';
import type { PackhoundClient } from '../server/packhoundClient';
import type { NoteMarks } from './noteMarks';
import { noteDocument } from './noteDocuments';
import { allNotes, deleteNote } from './noteRequests';
import { byline, noteBody, noteCode, noteTitle, stateIcon } from './noteText';

const page: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('diff'),
  tooltip: t('Show the note, and what changed in its code'),
};
const forget: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('trash'),
  tooltip: t('Forget the note'),
};

interface NoteRow extends vscode.QuickPickItem {
  note?: Note;
}

/** Lists the notes of the open folders; each can be opened at its code, read and forgotten. */
export async function showNotes(
  client: PackhoundClient,
  documents: ReadOnlyDocuments,
  marks: NoteMarks,
): Promise<void> {
  const pick = vscode.window.createQuickPick<NoteRow>();
  pick.title = t('Packhound: Notes');
  pick.placeholder = t('Enter opens the code; the buttons show the note and forget it');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.busy = true;
  pick.onDidTriggerItemButton(({ item: { note }, button }) => {
    if (note && button === page) {
      leave(() => showPage(note, client, documents));
    } else if (note) {
      void withErrorsShown(() => forgetNote(note, client)).then((gone) => {
        pick.items = gone ? pick.items.filter((item) => item.note !== note) : pick.items;
        return marks.refresh();
      });
    }
  });
  // The list stays until the note has the focus, so that no key goes to another editor.
  const leave = (open: () => Promise<void>): void => {
    void withErrorsShown(async () => {
      try {
        await open();
      } finally {
        pick.hide();
      }
    });
  };
  pick.onDidAccept(() => {
    const note = pick.activeItems[0]?.note;
    if (note) {
      leave(() => openNote(note, client, documents));
    } else {
      pick.hide();
    }
  });
  pick.onDidHide(() => {
    pick.dispose();
  });
  pick.show();
  try {
    const notes = await allNotes(client);
    pick.items = notes.length > 0 ? notes.map(noteRow) : [NOTHING];
    pick.busy = false;
  } catch (error) {
    pick.hide();
    throw error;
  }
}

const NOTHING = noteItem(
  t('There are no notes yet: "{0}" writes one.', t('Packhound: Add Note at Cursor')),
);

function noteRow(note: Note): NoteRow {
  return {
    iconPath: new vscode.ThemeIcon(stateIcon(note.state)),
    label: noteTitle(note),
    description: noteCode(note),
    detail: `${byline(note)}: ${noteBody(note).replace(/\s+/g, ' ')}`,
    buttons: [page, forget],
    note,
  };
}

/** Opens the code of a note, or where none is left the note. */
async function openNote(
  note: Note,
  client: PackhoundClient,
  documents: ReadOnlyDocuments,
): Promise<void> {
  const code = note.code.find(({ start_line }) => start_line > 0);
  if (!code) {
    await showPage(note, client, documents);
    return;
  }
  const line = new vscode.Position(code.start_line - 1, 0);
  await vscode.window.showTextDocument(vscode.Uri.joinPath(vscode.Uri.file(note.root), code.path), {
    selection: new vscode.Range(line, line),
  });
}

async function showPage(
  note: Note,
  client: PackhoundClient,
  documents: ReadOnlyDocuments,
): Promise<void> {
  await vscode.window.showTextDocument(noteDocument(note.id, client, documents));
}

async function forgetNote(note: Note, client: PackhoundClient): Promise<boolean> {
  const title = noteTitle(note);
  const confirmation = await vscode.window.showWarningMessage(
    t('Forget the note "{0}"?', title),
    { modal: true, detail: t('Nothing can bring it back.') },
    t('Forget Note'),
  );
  if (confirmation) {
    await deleteNote(client, note.id);
  }
  return confirmation !== undefined;
}
