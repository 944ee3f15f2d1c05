import type { ControlPlaneProvider } from '../core/contract/control-plane.ts';
import type { InfrastructureProvider } from '../core/contract/infrastructure.ts';
import { observeLeftovers } from '../infrastructure-aws/leftovers.ts';
import { awsManagedCluster } from './aws-managed-cluster/kind.ts';
import { awsManagedControlPlane } from './aws-managed-control-plane/kind.ts';

export const eksControlPlanes: ControlPlaneProvider = {
  group: awsManagedControlPlane.group,
  kind: awsManagedControlPlane.kind,
  followsTargets: true,
};

export const eksInfrastructure: InfrastructureProvider = {
  group: awsManagedCluster.group,
  kind: awsManagedCluster.kind,
  followsTargets: true,
  leftovers: observeLeftovers,
};
