// Written by `npm run registry`.

import { createFacts } from './create/facts.ts';
import { deleteFacts } from './delete/facts.ts';
import { restoreFacts } from './restore/facts.ts';
import type { OperationFacts } from './shared/facts.ts';
import { upgradeFacts } from './upgrade/facts.ts';

/** Every type of operation, in the order in which a cluster has them. */
export const operationTypes = ['create', 'restore', 'upgrade', 'delete'] as const;
export type OperationType = (typeof operationTypes)[number];

export const operationFacts: Readonly<Record<OperationType, OperationFacts>> = {
  create: createFacts,
  restore: restoreFacts,
  upgrade: upgradeFacts,
  delete: deleteFacts,
};

/** Undefined for a type that an earlier or later version stored. */
export const factsOf = (type: string | undefined): OperationFacts | undefined =>
  type !== undefined && Object.hasOwn(operationFacts, type) ? operationFacts[type as OperationType] : undefined;
