import type { KubeObject } from '../../../machinery/api/object.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import type { OperationScope } from '../shared/scope.ts';

export const controlPlaneIn = ({ clusterState }: Pick<OperationScope, 'clusterState'>): KubeObject | undefined =>
  clusterState.controlPlane && found(clusterState.controlPlane);
