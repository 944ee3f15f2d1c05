/**
 * What can be known before anything is paid: whether the cluster, as its objects describe it, can be built in this account.
 * Pure judgements over what was read; each says which field of which object to change.
 */

import { judgeAdmission } from './admission.ts';
import type { PreflightFacts } from './facts.ts';
import type { Finding } from './finding.ts';

export type { PreflightFacts } from './facts.ts';
export { observePreflight } from './observe.ts';

export interface Judgement {
  verdict: 'passed' | 'pending' | 'refused';
  /** Empty when it passed. */
  message: string;
}

const checks: readonly ((facts: PreflightFacts) => Finding[])[] = [judgeAdmission];

/** What is wrong for certain outweighs what is not known yet. */
export const judgePreflight = (facts: PreflightFacts): Judgement => {
  const findings = checks.flatMap((check) => check(facts));
  const refusals = findings.flatMap((finding) => ('refused' in finding ? [finding.refused] : []));
  if (refusals.length > 0) return { verdict: 'refused', message: sentences(refusals) };
  const waits = findings.flatMap((finding) => ('pending' in finding ? [finding.pending] : []));
  return waits.length > 0 ? { verdict: 'pending', message: sentences(waits) } : { verdict: 'passed', message: '' };
};

const sentences = (messages: string[]): string => [...new Set(messages)].join('; ');
