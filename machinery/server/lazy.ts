/**
 * Modules that only some requests need, loaded with the first such request: processes start often,
 * and most of them serve reads.
 */
import { onDemand } from '../once.ts';

export const lazy = {
  review: onDemand(async () => (await import('./reviews.ts')).answerReview),
  impersonated: onDemand(async () => (await import('./impersonate.ts')).impersonated),
  recordedBody: onDemand(async () => (await import('./audit-body.ts')).recordedBody),
  watch: onDemand(async () => (await import('./watch.ts')).watch),
  create: onDemand(async () => (await import('./create.ts')).create),
  update: onDemand(async () => (await import('./update.ts')).update),
  patch: onDemand(async () => (await import('./patch.ts')).patch),
  delete: onDemand(async () => (await import('./delete.ts')).remove),
  deletecollection: onDemand(async () => (await import('./delete-collection.ts')).deleteCollection),
};
