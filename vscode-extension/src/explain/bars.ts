const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of `width` cells for a share from 0 to 1, to an eighth of a cell. */
export function bar(share: number, width: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * width * 8);
  const drawn = '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
  return drawn.padEnd(width, '░');
}

/** A bar for what takes away from a score: hatched, so that it reads as negative without colour. */
export function negativeBar(share: number, width: number): string {
  const cells = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '▒'.repeat(Math.max(1, cells)).padEnd(width, '░');
}

/** `0.8123` as `+0.812`, `-0.05` as `−0.050`. */
export function signed(amount: number): string {
  return `${amount < 0 ? '−' : '+'}${Math.abs(amount).toFixed(3)}`;
}
