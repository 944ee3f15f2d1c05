/** KubeadmControlPlane v1beta2, the stored version. */
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
import { kubeadmConfigSpec } from '../kubeadm-config/schema.ts';
import { conditions, failureMessage, failureReason, legacyConditions } from '../kubeadm-config/schema-common.ts';
import * as p from './schema-parts.ts';

const some = { minProperties: 1 };
const dns = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
const seconds = (description: string) => int32(description, { minimum: 0 });

export const kubeadmControlPlaneSpec = object('The control plane that is wanted.', {
  kubeadmConfigSpec,
  machineNaming: object('How machines are named.', p.naming, some),
  machineTemplate: required(
    object('What the machines are made from.', {
      metadata: object('Labels and annotations of the machines.', p.metadata, some),
      spec: required(
        object('Spec of the machines.', {
          deletion: object(
            'How the machines are deleted.',
            {
              nodeDeletionTimeoutSeconds: seconds('Seconds to try deleting the Node; 0 means for ever. Default 10.'),
              nodeDrainTimeoutSeconds: seconds('Seconds to spend on draining; 0 means without limit.'),
              nodeVolumeDetachTimeoutSeconds: seconds('Seconds to wait for volumes to detach; 0 means without limit.'),
            },
            some,
          ),
          infrastructureRef: required(
            object('The infrastructure template.', {
              apiGroup: required(string('Its API group.', { maxLength: 253, minLength: 1, pattern: dns })),
              kind: required(
                string('Its kind.', { maxLength: 63, minLength: 1, pattern: '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$' }),
              ),
              name: required(string('Its name.', { maxLength: 253, minLength: 1, pattern: dns })),
            }),
          ),
          readinessGates: p.readinessGates({ minItems: 1 }),
          taints: p.taints,
        }),
      ),
    }),
  ),
  remediation: object(
    'How unhealthy machines are replaced.',
    {
      maxRetry: int32('How often in a row one replacement may be tried again; unset means without limit.'),
      minHealthyPeriodSeconds: seconds('Seconds after which a failure is a new one and not a retry. Default 3600.'),
      retryPeriodSeconds: seconds('Seconds to wait before the next try.'),
    },
    some,
  ),
  replicas: p.replicas,
  rollout: object(
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
  ),
  version: required(p.version),
});
export type KubeadmControlPlaneSpec = Infer<typeof kubeadmControlPlaneSpec>;

export const kubeadmControlPlaneStatus = object(
  'What was observed of the control plane.',
  {
    availableReplicas: int32('Machines that are available.'),
    conditions,
    deprecated: object('What only older clients read.', {
      v1beta1: object('Status fields of v1beta1 that have no successor.', {
        conditions: legacyConditions,
        failureMessage,
        failureReason: failureReason(false),
        readyReplicas: int32('Machines whose node is ready.'),
        unavailableReplicas: int32('Machines still missing from the desired number.'),
        updatedReplicas: int32('Machines that match the spec.'),
      }),
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
    observedGeneration: int64('The generation last acted on.', { minimum: 1 }),
    readyReplicas: int32('Machines that are ready.'),
    replicas: int32('Machines there are.'),
    selector: p.selector,
    upToDateReplicas: int32('Machines that match the spec.'),
    version: p.currentVersion,
    versions: p.versions,
  },
  some,
);
export type KubeadmControlPlaneStatus = Infer<typeof kubeadmControlPlaneStatus>;
