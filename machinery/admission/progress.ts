/** What the rounds of mutating policies and webhooks have led to. */
import type { Mutation, Review } from './review.ts';

export interface Progress extends Mutation {
  /** Policies and webhooks that may be asked again, since the object last changed. */
  asked: Set<unknown>;
  /** Those that the next round asks. */
  again: Set<unknown>;
}

export const newProgress = (review: Review): Progress => ({
  object: review.object,
  warnings: [],
  annotations: {},
  asked: new Set(),
  again: new Set(),
});

/** The object has changed: those that were asked before are asked again. */
export const changed = (progress: Progress): void => {
  for (const one of progress.asked) progress.again.add(one);
  progress.asked.clear();
};
