/**
 * Runs `work` one at a time. Calls made while it runs share one more run after it, so that any
 * number of requests to restart leads to at most one that waits.
 */
export function onlyNewest(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;

  const run = (): Promise<void> => {
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };

  return () => {
    if (!running) {
      return run();
    }
    waiting ??= running
      .catch(() => undefined)
      .then(() => {
        waiting = undefined;
        return run();
      });
    return waiting;
  };
}
