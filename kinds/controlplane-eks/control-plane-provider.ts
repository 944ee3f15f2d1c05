import type { ControlPlaneProvider } from '../core/contract/control-plane.ts';
import { awsManagedControlPlane } from './aws-managed-control-plane/kind.ts';

export const eksControlPlanes: ControlPlaneProvider = {
  group: awsManagedControlPlane.group,
  kind: awsManagedControlPlane.kind,
  followsTargets: true,
};
