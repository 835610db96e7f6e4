import { t } from '@vscode/l10n';
import type { NewNote, Note, NoteCode, NoteType } from './noteProtocol';

/** The field that has the name of a note. */
export const NAMES = { insight: 'key', decision: 'topic', stash: 'name' } as const;
const TYPED = /^\s*(insight|decision|stash):\s*/i;
const BECAUSE = /[,;.]?\s+because\s+(?:of\s+)?/i;
const MOST_OF_NAME = 60;

/** The note that a text says, whose type stands before a colon; undefined where it says nothing. */
export function newNote(text: string): NewNote | undefined {
  const type = (TYPED.exec(text)?.[1]?.toLowerCase() ?? 'insight') as NoteType;
  const content = text.replace(TYPED, '').trim();
  if (!content) {
    return undefined;
  }
  const name = content.length > MOST_OF_NAME ? `${content.slice(0, MOST_OF_NAME - 1)}…` : content;
  if (type === 'insight') {
    return { type, content };
  }
  const [decision = '', ...reasons] = content.split(BECAUSE);
  return type === 'stash'
    ? { type, name, summary: content }
    : { type, topic: name, decision, reasoning: reasons.join(' because ') };
}

/** What a note is called: its key, topic or name, else how it begins. */
export function noteTitle(note: Note): string {
  return note.key || note.topic || note.name || firstLine(noteBody(note));
}

/** What a note says. */
export function noteBody({ content, decision, reasoning, summary }: Note): string {
  const why = reasoning ? `\n\n${t('Because: {0}', reasoning)}` : '';
  return `${content || decision || summary || ''}${why}`;
}

/** Type, author and day. */
export function byline({ type, author, date }: Note): string {
  return t('{0} by {1}, {2}', type, author, date);
}

/** Where its code is and how it stands, such as `src/net.py#connect [stale]`. */
export function noteCode(note: Note): string {
  return note.code.map(({ ref, state }) => (state ? `${ref} [${state}]` : ref)).join(', ');
}

const MEANINGS: Record<string, string> = {
  '': t('Is as it was when the note was written'),
  stale: t('Is stale: it has changed since the note was written'),
  'moved?': t('Has moved? It is not where it was; this is the most similar code there is now'),
  orphaned: t('Is orphaned: nothing like it is left'),
};

const ICONS: Record<string, string> = {
  '': 'note',
  stale: 'warning',
  'moved?': 'question',
  orphaned: 'circle-slash',
};

/** The codicon of a state. */
export function stateIcon(state: string): string {
  return ICONS[state] ?? 'note';
}

/** A note as a document: what it says, and what became of its code. */
export function notePage(note: Note): string {
  const tags = note.tags.length > 0 ? ` · ${note.tags.join(', ')}` : '';
  return [
    `# ${noteTitle(note)}`,
    '',
    `${byline(note)}${tags}`,
    '',
    noteBody(note),
    '',
    ...note.code.flatMap(codeLines),
  ].join('\n');
}

function codeLines({ ref, path, state, start_line, end_line, diff }: NoteCode): string[] {
  const lines = start_line > 0 ? `, ${path}:${start_line}-${end_line}` : '';
  return [
    `## \`${ref}\``,
    '',
    `${MEANINGS[state] ?? state}${lines}.`,
    '',
    ...(diff ? ['```diff', diff.trimEnd(), '```', ''] : []),
  ];
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
