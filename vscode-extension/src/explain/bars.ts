/**
 * A bar of `width` cells for a share from 0 to 1. Whole cells only: parts of a cell leave gaps in
 * the proportional fonts of lists.
 */
export function bar(share: number, width: number): string {
  return '█'.repeat(cells(share, width)).padEnd(width, '░');
}

/** A bar for what takes away from a score: hatched, so that it reads as negative without colour. */
export function negativeBar(share: number, width: number): string {
  return '▒'.repeat(Math.max(1, cells(share, width))).padEnd(width, '░');
}

function cells(share: number, width: number): number {
  return Math.round(Math.min(1, Math.max(0, share)) * width);
}

/** `0.8123` as `+0.812`, `-0.05` as `−0.050`. */
export function signed(amount: number): string {
  return `${amount < 0 ? '−' : '+'}${Math.abs(amount).toFixed(3)}`;
}
