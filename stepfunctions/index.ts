// Written by `npm run registry`.

import { complete } from './complete.ts';
import createCluster from './create-cluster/definition.asl.json' with { type: 'json' };
import deleteCluster from './delete-cluster/definition.asl.json' with { type: 'json' };
import restoreCluster from './restore-cluster/definition.asl.json' with { type: 'json' };
import upgradeCluster from './upgrade-cluster/definition.asl.json' with { type: 'json' };

export { awaitedInvoke } from './asl.ts';

/** The workflows by name. */
export const definitions = {
  'create-cluster': complete(createCluster),
  'delete-cluster': complete(deleteCluster),
  'restore-cluster': complete(restoreCluster),
  'upgrade-cluster': complete(upgradeCluster),
} as const;

export type DefinitionName = keyof typeof definitions;
export const definitionNames = Object.keys(definitions) as DefinitionName[];
