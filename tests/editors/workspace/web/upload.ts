export interface Part {
  index: number;
  bytes: Uint8Array;
}

/** Cuts a file into parts of equal size, so that a broken upload can go on where it stopped. */
export function splitIntoParts(file: Uint8Array, partSize: number): Part[] {
  const parts: Part[] = [];
  for (let start = 0; start < file.length; start += partSize) {
    parts.push({ index: parts.length, bytes: file.subarray(start, start + partSize) });
  }
  return parts;
}

export class UploadQueue {
  private readonly waiting: Part[] = [];

  /** Puts a part at the end of the queue. */
  enqueue(part: Part): void {
    this.waiting.push(part);
  }

  /** The part to be sent next. */
  next(): Part | undefined {
    return this.waiting.shift();
  }
}
