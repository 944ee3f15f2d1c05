/** KubeadmControlPlane v1beta2, the stored version. */
import { boolean, type Infer, int32, object, oneOf, required, time } from '../../../machinery/api/schema.ts';
import { kubeadmConfigSpec } from '../../bootstrap-kubeadm/kubeadm-config/schema.ts';
import {
  conditions,
  deletionTimeouts,
  deprecated,
  gates,
  legacyFailure,
  machineTaints,
  observedGeneration,
  reference,
  scaleSelector,
  templateMetadata,
} from '../../common/schema.ts';
import * as p from './schema-parts.ts';

const some = { minProperties: 1 };
const seconds = (description: string) => int32(description, { minimum: 0 });

export const machineNaming = object('How machines are named.', p.naming, some);
export const remediation = object(
  'How unhealthy machines are replaced.',
  {
    maxRetry: p.maxRetry,
    minHealthyPeriodSeconds: seconds('Seconds after which a failure is a new one and not a retry. Default 3600.'),
    retryPeriodSeconds: seconds('Seconds to wait before the next try.'),
  },
  some,
);
export const rollout = object(
  'When and how machines are replaced by new ones.',
  {
    after: time('Machines older than this are replaced once this moment has passed.'),
    before: object(
      'Replaces machines before something ends.',
      { certificatesExpiryDays: int32('Days before the end of a machine’s certificates.', { minimum: 7 }) },
      some,
    ),
    strategy: object(
      'How machines are replaced.',
      {
        rollingUpdate: object('Settings of RollingUpdate.', { maxSurge: p.maxSurge }, some),
        type: required(oneOf('The only strategy is RollingUpdate.', ['RollingUpdate'])),
      },
      some,
    ),
  },
  some,
);

export const kubeadmControlPlaneSpec = object('The control plane that is wanted.', {
  kubeadmConfigSpec,
  machineNaming,
  machineTemplate: required(
    object('What the machines are made from.', {
      metadata: templateMetadata('v1beta2', 'Labels and annotations of the machines.'),
      spec: required(
        object('Spec of the machines.', {
          deletion: object('How the machines are deleted.', deletionTimeouts, some),
          infrastructureRef: required(reference('The infrastructure template.')),
          readinessGates: gates('v1beta2', 'Further conditions that count for the readiness of each machine.'),
          taints: machineTaints('Taints of the nodes, besides those that kubeadm sets.'),
        }),
      ),
    }),
  ),
  remediation,
  replicas: p.replicas,
  rollout,
  version: required(p.version),
});
export type KubeadmControlPlaneSpec = Infer<typeof kubeadmControlPlaneSpec>;

export const kubeadmControlPlaneStatus = object(
  'What was observed of the control plane.',
  {
    availableReplicas: int32('Machines that are available.'),
    conditions: conditions(),
    deprecated: deprecated({
      ...legacyFailure,
      readyReplicas: int32('Machines whose node is ready.'),
      unavailableReplicas: int32('Machines still missing from the desired number.'),
      updatedReplicas: int32('Machines that match the spec.'),
    }),
    initialization: object(
      'Facts about the first provisioning; they never turn back.',
      { controlPlaneInitialized: boolean('True once the API server can take requests.') },
      some,
    ),
    lastRemediation: object('The last replacement of an unhealthy machine.', {
      machine: required(p.remediatedMachine),
      retryCount: required(int32('How often it was tried again.', { minimum: 0 })),
      time: required(time('When it began.')),
    }),
    observedGeneration: observedGeneration('v1beta2'),
    readyReplicas: int32('Machines that are ready.'),
    replicas: int32('Machines there are.'),
    selector: scaleSelector,
    upToDateReplicas: int32('Machines that match the spec.'),
    version: p.currentVersion,
    versions: p.versions,
  },
  some,
);
export type KubeadmControlPlaneStatus = Infer<typeof kubeadmControlPlaneStatus>;
