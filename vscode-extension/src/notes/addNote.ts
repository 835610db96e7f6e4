import * as vscode from 'vscode';
import { focus } from '../places';
import type { NewNote, NoteType } from './noteProtocol';
import type { PackhoundClient } from '../server/packhoundClient';
import { writeNote } from './noteRequests';
import { noteCode } from './noteText';

interface Field {
  name: 'key' | 'content' | 'topic' | 'decision' | 'reasoning' | 'name' | 'summary';
  prompt: string;
  optional?: boolean;
}

const TYPES: { type: NoteType; label: string; detail: string; fields: Field[] }[] = [
  {
    type: 'insight',
    label: '$(lightbulb) Insight',
    detail: 'What somebody who changes this code should know',
    fields: [
      { name: 'content', prompt: 'What should others know of this code?' },
      { name: 'key', prompt: 'A short name to recall it by', optional: true },
    ],
  },
  {
    type: 'decision',
    label: '$(law) Decision',
    detail: 'What was decided, and why; it cannot be changed later',
    fields: [
      { name: 'topic', prompt: 'What is it about?' },
      { name: 'decision', prompt: 'What was decided?' },
      { name: 'reasoning', prompt: 'Why?', optional: true },
    ],
  },
  {
    type: 'stash',
    label: '$(archive) Stash',
    detail: 'The state of your work: what is done, and what is next',
    fields: [
      { name: 'name', prompt: 'A short name for the work' },
      { name: 'summary', prompt: 'What is done, and what is next?' },
    ],
  },
];

/** Asks for a note and writes it on the definition at the cursor. */
export async function addNote(client: PackhoundClient): Promise<void> {
  const place = focus();
  if (!place) {
    throw new Error('Put the cursor into the code that the note is about first; then ask again.');
  }
  const title = 'Packhound: Add Note at Cursor';
  const chosen = await vscode.window.showQuickPick(TYPES, { title, ignoreFocusOut: true });
  const note: NewNote | undefined = chosen && { type: chosen.type, ...place };
  for (const field of chosen?.fields ?? []) {
    const text = await askFor(field, title);
    if (text === undefined || !note) {
      return;
    }
    if (text) {
      note[field.name] = text;
    }
  }
  if (note) {
    const written = await writeNote(client, note);
    vscode.window.setStatusBarMessage(`Packhound: noted on ${noteCode(written)}`, 4000);
  }
}

function askFor({ prompt, optional }: Field, title: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title,
    prompt: optional ? `${prompt} (Enter alone leaves it out)` : prompt,
    ignoreFocusOut: true,
    validateInput: (text) => (optional || text.trim() ? undefined : 'Write a word at least.'),
  });
}
