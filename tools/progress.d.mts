import type { Out } from '../cli/live.ts';

export interface Progress {
  /** Begins a step; the one before it is done. */
  step(what: string): void;
  /** What the present step is at. */
  detail(detail: string): void;
  /** Prints a line that stays. */
  line(line: string): void;
  done(): void;
  failed(): void;
}

export const openProgress: (out: Out, options?: { now?: () => number }) => Progress;
