// Written by `npm run registry`.

import { creation } from './create/definition.ts';
import { deletion } from './delete/definition.ts';
import type { OperationType } from './facts.ts';
import { restoration } from './restore/definition.ts';
import type { OperationDefinition } from './shared/definition.ts';
import { upgrade } from './upgrade/definition.ts';

/** Every type of operation that is served. */
export const operationsByType: Readonly<Record<OperationType, OperationDefinition>> = {
  create: creation,
  delete: deletion,
  restore: restoration,
  upgrade: upgrade,
};

/** Undefined for a type that an earlier or later version stored. */
export const definitionFor = (type: string): OperationDefinition | undefined =>
  Object.hasOwn(operationsByType, type) ? operationsByType[type as OperationType] : undefined;
