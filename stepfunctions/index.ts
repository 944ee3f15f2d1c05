/** The workflows by name. */
import { complete } from './complete.ts';
import createCluster from './create-cluster/definition.asl.json' with { type: 'json' };
import deleteCluster from './delete-cluster/definition.asl.json' with { type: 'json' };

export { awaitedInvoke } from './asl.ts';

export const definitionNames = ['create-cluster', 'delete-cluster'] as const;
export type DefinitionName = (typeof definitionNames)[number];

export const definitions = {
  'create-cluster': complete(createCluster),
  'delete-cluster': complete(deleteCluster),
} as const satisfies Record<DefinitionName, object>;
