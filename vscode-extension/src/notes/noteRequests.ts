import type { NewNote, Note } from './noteProtocol';
import { methods } from '../protocol';
import type { PackhoundClient } from '../server/packhoundClient';

export function writeNote(client: PackhoundClient, note: NewNote): Promise<Note> {
  return client.request(methods.addNote, note);
}

/** All notes of the open folders, the newest first. */
export async function allNotes(client: PackhoundClient): Promise<Note[]> {
  return (await client.request<{ notes: Note[] }>(methods.listNotes, {})).notes;
}

/** A note with what changed in its code; undefined where it is gone. */
export async function noteOf(client: PackhoundClient, id: string): Promise<Note | undefined> {
  const note = await client.request<Note | { status: string }>(methods.showNote, { id });
  return 'status' in note ? undefined : note;
}

export async function deleteNote(client: PackhoundClient, id: string): Promise<void> {
  await client.request(methods.forgetNote, { id });
}
