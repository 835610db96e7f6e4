import * as vscode from 'vscode';
import { askText, choose } from '../boxes';
import { focus } from '../places';
import type { NewNote, NoteType } from './noteProtocol';
import type { PackhoundClient } from '../server/packhoundClient';
import { writeNote } from './noteRequests';
import { noteCode } from './noteText';

interface Field {
  name: 'key' | 'content' | 'topic' | 'decision' | 'reasoning' | 'name' | 'summary';
  prompt: string;
  optional: boolean;
}

interface TypeItem extends vscode.QuickPickItem {
  type: NoteType;
  fields: Field[];
}

const type = (type: NoteType, label: string, detail: string, fields: Field[]): TypeItem => {
  return { type, label, detail, fields };
};

const field = (name: Field['name'], prompt: string, optional = false): Field => {
  return { name, prompt, optional };
};

const TYPES = [
  type('insight', '$(lightbulb) Insight', 'What somebody who changes this code should know', [
    field('content', 'What should others know of this code?'),
    field('key', 'A short name to recall it by', true),
  ]),
  type('decision', '$(law) Decision', 'What was decided, and why; it cannot be changed later', [
    field('topic', 'What is it about?'),
    field('decision', 'What was decided?'),
    field('reasoning', 'Why?', true),
  ]),
  type('stash', '$(archive) Stash', 'The state of your work: what is done, and what is next', [
    field('name', 'A short name for the work'),
    field('summary', 'What is done, and what is next?'),
  ]),
];

/** Asks for a note and writes it on the definition at the cursor. */
export async function addNote(client: PackhoundClient): Promise<void> {
  const place = focus();
  if (!place) {
    throw new Error('Put the cursor into the code that the note is about first; then ask again.');
  }
  const title = 'Packhound: Add Note at Cursor';
  const choice = await choose(TYPES, { title, ignoreFocusOut: true });
  const note: NewNote | undefined = choice && { type: choice.type, ...place };
  for (const field of choice?.fields ?? []) {
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

function askFor({ prompt, optional }: Field, title: string): Promise<string | undefined> {
  return askText({
    title,
    prompt: optional ? `${prompt} (Enter alone leaves it out)` : prompt,
    ignoreFocusOut: true,
    problem: (text) => (optional || text.trim() ? undefined : 'Write a word at least.'),
  });
}
