/**
 * Admission by what users define, of which the process keeps a copy. What decides is loaded with the
 * first definition.
 */
import { type AdmissionObjects, admissionTypes } from '../api/admission.ts';
import type { Marked } from '../marked.ts';
import { onDemand } from '../once.ts';
import type { Reviewer, UsersAdmission } from './review.ts';
import type { ReviewerOptions } from './reviewer.ts';

const reviewer = onDemand(() => import('./reviewer.ts'));
/** Loads it ahead of its first use. */
export const loadReviewer = reviewer;

export const createUsersAdmission = ({ marked, ...options }: ReviewerOptions & { marked: Marked }): UsersAdmission => {
  const copy = marked.copy(admissionTypes, async (stored): Promise<Reviewer | undefined> => {
    const objects = stored as unknown as AdmissionObjects;
    if (Object.values(objects).every((list) => list.length === 0)) return undefined;
    return (await reviewer()).createReviewer(options, objects);
  });
  return { reviewer: () => copy.now() };
};
