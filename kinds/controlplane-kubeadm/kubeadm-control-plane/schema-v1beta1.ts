/** KubeadmControlPlane v1beta1. */
import { boolean, type Infer, int32, object, oneOf, required, time } from '../../../machinery/api/schema.ts';
import { kubeadmConfigSpec } from '../../bootstrap-kubeadm/kubeadm-config/schema-v1beta1.ts';
import {
  conditions,
  duration,
  gates,
  legacyConditions,
  legacyDeletionTimeouts,
  legacyFailure,
  machineTaints,
  objectReference,
  observedGeneration,
  scaleSelector,
  templateMetadata,
} from '../../common/schema.ts';
import * as p from './schema-parts.ts';

/** Fields that its template has, too. */
export const replacement = {
  machineNamingStrategy: object('How machines are named.', p.naming),
  remediationStrategy: object('How unhealthy machines are replaced.', {
    maxRetry: p.maxRetry,
    minHealthyPeriod: duration('How long until a failure is a new one and not a retry; 1h when empty.'),
    retryPeriod: duration('How long to wait before the next try, as a duration.'),
  }),
  rolloutAfter: time('Machines older than this are replaced once this moment has passed.'),
  rolloutBefore: object('Replaces machines before something ends.', {
    certificatesExpiryDays: int32('Days before the end of a machine’s certificates.'),
  }),
  rolloutStrategy: object(
    'How machines are replaced.',
    {
      rollingUpdate: object('Settings of RollingUpdate.', { maxSurge: p.maxSurge }),
      type: oneOf('The only strategy is RollingUpdate.', ['RollingUpdate']),
    },
    { default: { rollingUpdate: { maxSurge: 1 }, type: 'RollingUpdate' } },
  ),
};

export const kubeadmControlPlaneSpec = object('The control plane that is wanted.', {
  kubeadmConfigSpec: required(kubeadmConfigSpec),
  machineTemplate: required(
    object('What the machines are made from.', {
      infrastructureRef: required(objectReference('The infrastructure template.')),
      metadata: templateMetadata('v1beta1', 'Labels and annotations of the machines.'),
      ...legacyDeletionTimeouts,
      readinessGates: gates('v1beta1', 'Further conditions that count for the readiness of each machine.'),
      taints: machineTaints('Taints of the nodes, besides those that kubeadm sets.'),
    }),
  ),
  ...replacement,
  replicas: p.replicas,
  version: required(p.version),
});
export type KubeadmControlPlaneSpec = Infer<typeof kubeadmControlPlaneSpec>;

export const kubeadmControlPlaneStatus = object('What was observed of the control plane.', {
  conditions: legacyConditions(),
  ...legacyFailure,
  initialized: boolean('True once the API server can take requests.'),
  lastRemediation: object('The last replacement of an unhealthy machine.', {
    machine: required(p.remediatedMachine),
    retryCount: required(int32('How often it was tried again.')),
    timestamp: required(time('When it began.')),
  }),
  observedGeneration: observedGeneration('v1beta1'),
  ready: boolean('True while the API server can take requests.'),
  readyReplicas: int32('Machines whose node is ready.'),
  replicas: int32('Machines there are.'),
  selector: scaleSelector,
  unavailableReplicas: int32('Machines still missing from the desired number.'),
  updatedReplicas: int32('Machines that match the spec.'),
  v1beta2: object('Status fields as v1beta2 has them.', {
    availableReplicas: int32('Machines that are available.'),
    conditions: conditions(),
    readyReplicas: int32('Machines that are ready.'),
    upToDateReplicas: int32('Machines that match the spec.'),
  }),
  version: p.currentVersion,
  versions: p.versions,
});
export type KubeadmControlPlaneStatus = Infer<typeof kubeadmControlPlaneStatus>;
