import type { KindFacts } from '../../../machinery/api/kind.ts';
import { coreGroup } from '../../common/versions.ts';
import { changedTargets } from '../contract/object-targets.ts';
import { operationStopped } from '../contract/operation.ts';
import { directionOf } from '../contract/target.ts';
import { refuseDelete } from './protection.ts';
import { referencesOfCluster } from './references.ts';

export const cluster: KindFacts = {
  group: coreGroup,
  kind: 'Cluster',
  plural: 'clusters',
  namespaced: true,
  gates: ['initialization', 'spec.controlPlaneEndpoint', operationStopped],
  summary: 'Available',
  refuseDelete,
  direction: directionOf,
  about: changedTargets,
  references: referencesOfCluster,
  scope: async () => (await import('../contract/scope.ts')).clusterScope,
};
