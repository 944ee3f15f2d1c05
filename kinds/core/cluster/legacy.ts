/** The v1beta1 conditions, for clients that still read them. Pure. */
import {
  type LegacyDraft,
  legacyFalse,
  legacyTrue,
  summarizeLegacy,
  withLegacy,
} from '../../../machinery/api/conditions.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { partReady } from '../../common/legacy-part.ts';
import { isInitialized, isProvisioned } from '../contract/cluster.ts';
import type { Observed } from './observe.ts';
import type { Latches } from './status.ts';

const initialized = ({ controlPlane }: Observed, latches: Latches): LegacyDraft[] => {
  const type = 'ControlPlaneInitialized';
  if (latches.controlPlaneInitialized) return [legacyTrue(type)];
  if (!controlPlane) {
    const message = 'Waiting for the first control plane machine to have a Node';
    return [legacyFalse(type, 'MissingNodeRef', 'Info', message)];
  }
  if (controlPlane.state !== 'found') return [];
  const message = 'Waiting for the control plane to be initialized';
  return [legacyFalse(type, 'WaitingForControlPlaneProviderInitialized', 'Info', message)];
};

export const legacyConditions = (observed: Observed, latches: Latches): LegacyDraft[] => {
  const { cluster, infrastructure, controlPlane } = observed;
  const deleting = cluster.metadata.deletionTimestamp !== undefined;
  const [infra, plane] = [infrastructure && found(infrastructure), controlPlane && found(controlPlane)];
  const provisioned = infra !== undefined && isProvisioned(infra);
  const answers = plane !== undefined && isInitialized(plane);
  const own = withLegacy(
    cluster.status?.deprecated?.v1beta1?.conditions,
    ...(infrastructure
      ? partReady('InfrastructureReady', infrastructure, provisioned, 'WaitingForInfrastructure', deleting)
      : deleting
        ? []
        : [legacyTrue('InfrastructureReady')]),
    ...(controlPlane ? partReady('ControlPlaneReady', controlPlane, answers, 'WaitingForControlPlane', deleting) : []),
    ...initialized(observed, latches),
  );
  const summary = summarizeLegacy(own, { of: ['ControlPlaneReady', 'InfrastructureReady'] });
  return summary ? withLegacy(own, summary) : own;
};
