const MOST = 30;

/** The queries a user has used, newest first, none twice. */
export function remember(history: readonly string[], query: string): string[] {
  const text = query.trim();
  if (!text) {
    return [...history];
  }
  return [text, ...history.filter((earlier) => earlier !== text)].slice(0, MOST);
}
