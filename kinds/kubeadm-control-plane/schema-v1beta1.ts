/** KubeadmControlPlane v1beta1. */
import {
  boolean,
  type Infer,
  int32,
  int64,
  object,
  oneOf,
  required,
  string,
  time,
} from '../../machinery/api/schema.ts';
import { conditions, failureMessage, failureReason, legacyConditions } from '../kubeadm-config/schema-common.ts';
import { kubeadmConfigSpec } from '../kubeadm-config/schema-v1beta1.ts';
import * as p from './schema-parts.ts';

export const kubeadmControlPlaneSpec = object('The control plane that is wanted.', {
  kubeadmConfigSpec: required(kubeadmConfigSpec),
  machineNamingStrategy: object('How machines are named.', p.naming),
  machineTemplate: required(
    object('What the machines are made from.', {
      infrastructureRef: required(
        object(
          'The infrastructure template.',
          {
            apiVersion: string('Its group and version.'),
            fieldPath: string('Ignored.'),
            kind: string('Its kind.'),
            name: string('Its name.'),
            namespace: string('Its namespace: that of the control plane.'),
            resourceVersion: string('Ignored.'),
            uid: string('Ignored.'),
          },
          { 'x-kubernetes-map-type': 'atomic' },
        ),
      ),
      metadata: object('Labels and annotations of the machines.', p.metadata),
      nodeDeletionTimeout: string('How long to try deleting the Node, as a duration; 0s means for ever.'),
      nodeDrainTimeout: string('How long to spend on draining, as a duration; 0s means without limit.'),
      nodeVolumeDetachTimeout: string('How long to wait for volumes to detach; 0s means without limit.'),
      readinessGates: p.readinessGates({}),
      taints: p.taints,
    }),
  ),
  remediationStrategy: object('How unhealthy machines are replaced.', {
    maxRetry: int32('How often in a row one replacement may be tried again; unset means without limit.'),
    minHealthyPeriod: string('How long until a failure is a new one and not a retry; 1h when empty.'),
    retryPeriod: string('How long to wait before the next try, as a duration.'),
  }),
  replicas: p.replicas,
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
  version: required(p.version),
});
export type KubeadmControlPlaneSpec = Infer<typeof kubeadmControlPlaneSpec>;

export const kubeadmControlPlaneStatus = object('What was observed of the control plane.', {
  conditions: legacyConditions,
  failureMessage,
  failureReason: failureReason(false),
  initialized: boolean('True once the API server can take requests.'),
  lastRemediation: object('The last replacement of an unhealthy machine.', {
    machine: required(p.remediatedMachine),
    retryCount: required(int32('How often it was tried again.')),
    timestamp: required(time('When it began.')),
  }),
  observedGeneration: int64('The generation last acted on.'),
  ready: boolean('True while the API server can take requests.'),
  readyReplicas: int32('Machines whose node is ready.'),
  replicas: int32('Machines there are.'),
  selector: p.selector,
  unavailableReplicas: int32('Machines still missing from the desired number.'),
  updatedReplicas: int32('Machines that match the spec.'),
  v1beta2: object('Status fields as v1beta2 has them.', {
    availableReplicas: int32('Machines that are available.'),
    conditions,
    readyReplicas: int32('Machines that are ready.'),
    upToDateReplicas: int32('Machines that match the spec.'),
  }),
  version: p.currentVersion,
  versions: p.versions,
});
export type KubeadmControlPlaneStatus = Infer<typeof kubeadmControlPlaneStatus>;
