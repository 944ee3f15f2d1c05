/** Whether the cluster is well enough to be upgraded. Pure. */
import { conditionOf, isTrue } from '../../../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../../../machinery/api/object.ts';
import { pausedAnnotation } from '../../../core/contract/hold.ts';
import { isDeleting } from '../../../core/contract/machines.ts';
import { oneLine } from '../../shared/cause.ts';
import { type Check, type Finding, isUnreadable, nameOf } from './facts.ts';

const day = 86_400_000;
/** Certificates that end sooner are renewed by the upgrade itself, if it begins in time. */
const certificateWarning = 30 * day;

const conditionsOf = (object: KubeObject): Condition[] =>
  (object.status as { conditions?: Condition[] } | undefined)?.conditions ?? [];

const pauseOf = ({ metadata, spec }: KubeObject): string | undefined => {
  if (metadata.annotations?.[pausedAnnotation] !== undefined) return `Remove its annotation ${pausedAnnotation}`;
  return (spec as { paused?: boolean } | undefined)?.paused === true ? 'Set spec.paused to false' : undefined;
};

export const checkCluster: Check = ({ cluster, controlPlane }) => {
  const refuse = (code: string, message: string, remedy: string): Finding[] => [
    { code, level: 'Refuse', object: nameOf(cluster), message, remedy },
  ];
  if (isDeleting(cluster))
    return refuse('ClusterDeleting', 'The Cluster is being deleted', 'Create another one, of that version');
  const resume = pauseOf(cluster);
  return [
    ...(resume ? refuse('ClusterPaused', 'The Cluster is paused: nothing would happen', resume) : []),
    ...(controlPlane
      ? []
      : refuse(
          'ControlPlaneMissing',
          'The Cluster has no control plane whose version could be set',
          'Create the object that spec.controlPlaneRef names',
        )),
  ];
};

export const checkReachable: Check = ({ cluster, workload }) =>
  workload && isUnreadable(workload)
    ? [
        {
          code: 'ClusterUnreachable',
          level: 'Refuse',
          isUnknown: true,
          object: nameOf(cluster),
          message: `The cluster cannot be looked into: ${workload.unreadable}`,
          remedy: 'Make its API reachable; nothing inside it was checked',
        },
      ]
    : [];

export const checkPaused: Check = ({ controlPlane, machineDeployments }) => {
  const resumeControlPlane = controlPlane && pauseOf(controlPlane);
  return [
    ...(controlPlane && resumeControlPlane
      ? [
          {
            code: 'ControlPlanePaused',
            level: 'Refuse' as const,
            object: nameOf(controlPlane),
            message: 'It is paused: nothing would happen',
            remedy: resumeControlPlane,
          },
        ]
      : []),
    ...machineDeployments.flatMap((deployment): Finding[] => {
      const remedy = pauseOf(deployment);
      if (!remedy) return [];
      const message = 'It is paused: its Machines would keep their version';
      return [{ code: 'WorkersPaused', level: 'Warn', object: nameOf(deployment), message, remedy }];
    }),
  ];
};

/** Conditions that must be True, and those that must not. */
const needed = ['Available', 'EtcdClusterHealthy', 'ControlPlaneComponentsHealthy', 'CertificatesAvailable'];
const changing = ['ScalingUp', 'ScalingDown', 'Remediating', 'Deleting'];

export const checkControlPlane: Check = ({ controlPlane, isRequested }) => {
  if (!controlPlane) return [];
  const conditions = conditionsOf(controlPlane);
  const object = nameOf(controlPlane);
  const unmet = needed.flatMap((type): Finding[] => {
    const condition = conditionOf(conditions, type);
    if (!condition || condition.status === 'True') return [];
    const message = `${type} is ${condition.status}${condition.message ? `: ${oneLine(condition.message)}` : ''}`;
    return [
      { code: 'ControlPlaneUnhealthy', level: 'Refuse', object, message, remedy: 'Repair the control plane first' },
    ];
  });
  const busy = [...changing, ...(isRequested ? [] : ['RollingOut'])]
    .filter((type) => isTrue(conditions, type))
    .map(
      (type): Finding => ({
        code: 'ControlPlaneChanging',
        level: 'Refuse',
        object,
        message: `${type} is True`,
        remedy: 'Wait until the change is complete',
      }),
    );
  const { replicas } = (controlPlane.spec ?? {}) as { replicas?: number };
  const single: Finding[] =
    replicas === 1
      ? [
          {
            code: 'SingleControlPlaneMachine',
            level: 'Warn',
            object,
            message: 'One machine holds the only copy of etcd until the second one has joined',
            remedy: 'Scale the control plane to three machines first',
          },
        ]
      : [];
  return [...unmet, ...busy, ...single];
};

export const checkMachines: Check = ({ machines, now }) =>
  machines
    .filter((machine) => !isDeleting(machine))
    .flatMap((machine): Finding[] => {
      const object = nameOf(machine);
      const ready = conditionOf(machine.status?.conditions, 'Ready');
      const expiry = Date.parse(machine.status?.certificatesExpiryDate ?? '');
      return [
        ...(ready?.status === 'True'
          ? []
          : [
              {
                code: 'MachineNotReady',
                level: 'Warn' as const,
                object,
                message: `It is not Ready${ready?.message ? `: ${oneLine(ready.message)}` : ''}`,
                remedy: 'Repair or delete it: a rollout waits for Machines that do not become Ready',
              },
            ]),
        ...(expiry < now + certificateWarning
          ? [
              {
                code: 'CertificatesExpire',
                level: 'Warn' as const,
                object,
                message: `Its certificates expire on ${machine.status?.certificatesExpiryDate}`,
                remedy: 'Upgrade before; its replacement gets new ones',
              },
            ]
          : []),
      ];
    });
