// Written by `npm run registry`.

import type { OperationType } from '../core/contract/operation.ts';
import { creation } from './create/definition.ts';
import { deletion } from './delete/definition.ts';
import { restoration } from './restore/definition.ts';
import type { OperationDefinition } from './shared/definition.ts';
import { upgrade } from './upgrade/definition.ts';

/** Every type of operation that is served. */
export const operationsByType: Readonly<Partial<Record<OperationType, OperationDefinition>>> = {
  create: creation,
  delete: deletion,
  restore: restoration,
  upgrade: upgrade,
};

export const definitionFor = (type: OperationType): OperationDefinition | undefined => operationsByType[type];
