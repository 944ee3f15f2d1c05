/** All seeded defects: each rule of a protocol switched off, and wrong code and decisions. */
import { afterthoughtMutants } from './catalogue/afterthoughts.ts';
import { awsMutants } from './catalogue/aws.ts';
import { loopMutants } from './catalogue/loop.ts';
import { reconcilerMutants } from './catalogue/reconcilers.ts';
import { ruleMutants } from './catalogue/rules.ts';
import { storeMutants } from './catalogue/store.ts';
import { workflowMutants } from './catalogue/workflows.ts';
import type { Mutant } from './mutant.ts';

/** The defects by the part of the system. */
export const catalogue = {
  rules: ruleMutants,
  store: storeMutants,
  loop: loopMutants,
  reconcilers: reconcilerMutants,
  aws: awsMutants,
  workflows: workflowMutants,
  afterthoughts: afterthoughtMutants,
} satisfies Record<string, readonly Mutant[]>;

export type Area = keyof typeof catalogue;

export const mutants: readonly Mutant[] = Object.values(catalogue).flat();
