const MOST_ENDS = 5;
const WITHIN_MS = 3 * 60 * 1000;

/** Has a server that ran and ended started again, until it ends five times in three minutes. */
export class RestartPolicy {
  private readonly ends: number[] = [];
  hasRun = false;
  hasGivenUp = false;

  constructor(private readonly now = Date.now) {}

  /** Counts an end, and says whether the server is to be started again. */
  ended(): boolean {
    if (this.hasRun) {
      this.ends.push(this.now());
      const [first = 0] = this.ends.slice(-MOST_ENDS);
      this.hasGivenUp = this.ends.length >= MOST_ENDS && this.now() - first <= WITHIN_MS;
    }
    return this.hasRun && !this.hasGivenUp;
  }
}
