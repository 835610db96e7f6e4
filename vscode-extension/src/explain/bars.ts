/**
 * A bar of `width` cells for a share from 0 to 1. Whole cells only: parts of a cell leave gaps in
 * the proportional fonts of lists.
 */
export function bar(share: number, width: number): string {
  const cells = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(cells).padEnd(width, '░');
}

/** `0.8123` as `+0.81`, `-0.05` as `−0.05`. */
export function signed(amount: number): string {
  return `${amount < 0 ? '−' : '+'}${Math.abs(amount).toFixed(2)}`;
}
