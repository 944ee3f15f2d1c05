/** The instances of a pool as AWSMachines, whose Machines the core makes, and what happens as one ends. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, found, type Read } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { labelValueOf } from '../../common/names.ts';
import { deletionOf, ownerReference } from '../../common/owners.ts';
import { interruptionOf } from '../../core/contract/interruption.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { AutoScalingGroup, GroupInstance } from '../../ports/cloud/index.ts';
import { callCloud } from '../../ports/index.ts';
import { instanceReady } from '../aws-machine/conditions.ts';
import { instanceIdOf } from '../aws-machine/instance-id.ts';
import type { AWSMachine } from '../aws-machine/schema.ts';
import { instancesOf } from './group.ts';
import { drainHook } from './hooks.ts';
import type { AWSMachinePool } from './schema.ts';
import { asMachineSpec } from './template.ts';

export const providerIdOf = ({ AvailabilityZone, InstanceId }: GroupInstance): string =>
  `aws:///${AvailabilityZone}/${InstanceId}`;

/** A repeated pass makes no second object for an instance. */
const nameFor = ({ metadata }: AWSMachinePool, { InstanceId }: GroupInstance): string =>
  `${metadata.name.slice(0, 43)}-${InstanceId.replace(/^i-/, '')}`;

/** What the controller of AWSMachines keeps as it is on a running instance. */
const kept = [
  'additionalSecurityGroups',
  'additionalTags',
  'ami',
  'iamInstanceProfile',
  'instanceMetadataOptions',
  'sshKeyName',
] as const;

const machineFor = (
  pool: AWSMachinePool,
  { name: poolName, clusterName }: { name: string; clusterName: string },
  instance: GroupInstance,
): KubeObject => {
  const spec = asMachineSpec(pool.spec!);
  return {
    apiVersion: pool.apiVersion,
    kind: 'AWSMachine',
    metadata: {
      name: nameFor(pool, instance),
      namespace: pool.metadata.namespace ?? '',
      labels: { [labels.cluster]: clusterName, [labels.pool]: labelValueOf(poolName) },
      ownerReferences: [ownerReference(pool)],
    },
    spec: {
      ...(Object.fromEntries(kept.flatMap((key) => (spec[key] === undefined ? [] : [[key, spec[key]]]))) as object),
      instanceType: instance.InstanceType,
      providerID: providerIdOf(instance),
      instanceID: instance.InstanceId,
    },
  };
};

const isEnding = ({ LifecycleState }: GroupInstance): boolean => LifecycleState.startsWith('Terminat');

export interface Hosts {
  pool: AWSMachinePool;
  group: AutoScalingGroup | undefined;
  awsMachines: Read<AWSMachine[]>;
  machines: Read<Machine[]>;
}

const byInstance = ({ awsMachines }: Hosts): Map<string, AWSMachine> =>
  new Map((found(awsMachines) ?? []).map((one) => [instanceIdOf(one) ?? '', one]));

/** AWSMachines of instances that have none. */
export const missingHosts = (hosts: Hosts, machinePool: { name: string; clusterName: string }): Action[] => {
  if (hosts.awsMachines.state !== 'found') return [];
  const known = byInstance(hosts);
  return instancesOf(hosts.group)
    .filter((instance) => !isEnding(instance) && !known.has(instance.InstanceId))
    .map((instance) => ({ do: 'create', object: machineFor(hosts.pool, machinePool, instance), group: 'hosts' }));
};

/** EC2 has ended the instance, or ends it at a time that it named. */
const isLost = (awsMachine: AWSMachine): boolean =>
  awsMachine.status?.failureReason !== undefined ||
  conditionOf(awsMachine.status?.conditions, instanceReady)?.reason === 'InstanceNotFound' ||
  interruptionOf(awsMachine)?.deadline !== undefined;

/**
 * Machines whose instances Auto Scaling or EC2 takes: their deletion drains the Nodes. An instance that
 * merely left the group stays with its Machine.
 */
export const endedMachines = (hosts: Hosts, everything = false): Action[] => {
  const ending = new Set((hosts.group?.Instances ?? []).filter(isEnding).map(({ InstanceId }) => InstanceId));
  const machines = new Map((found(hosts.machines) ?? []).map((one) => [one.metadata.name, one]));
  return (found(hosts.awsMachines) ?? [])
    .filter((one) => everything || ending.has(instanceIdOf(one) ?? '') || isLost(one))
    .flatMap((one) => {
      const machine = machines.get(one.metadata.name);
      const object: KubeObject = machine ?? one;
      return isDeleting(object) ? [] : [{ ...deletionOf(object), group: `end ${one.metadata.name}` }];
    });
};

/** Seconds between heartbeats of the drain hook. */
export const heartbeatInterval = 240;

/** Answers the drain hook: that an instance may end once its Node is drained, and until then that it may not. */
export const answerHooks = (hosts: Hosts, region: string, owned: Record<string, string>): Action[] => {
  const { group } = hosts;
  if (!group || hosts.awsMachines.state !== 'found') return [];
  const known = byInstance(hosts);
  const AutoScalingGroupName = group.AutoScalingGroupName;
  return group.Instances.filter(({ LifecycleState }) => LifecycleState === 'Terminating:Wait').map(({ InstanceId }) => {
    const awsMachine = known.get(InstanceId);
    const hook = { AutoScalingGroupName, LifecycleHookName: drainHook, InstanceId };
    const call =
      awsMachine && !isDeleting(awsMachine)
        ? callCloud(region, 'RecordLifecycleActionHeartbeat', hook, owned)
        : callCloud(region, 'CompleteLifecycleAction', { ...hook, LifecycleActionResult: 'CONTINUE' }, owned);
    // Another hook may hold the instance after this one was answered; Auto Scaling refuses a second answer.
    return { ...call, group: `hook ${InstanceId}`, optional: true as const };
  });
};

export const isDraining = ({ group }: Pick<Hosts, 'group'>): boolean => (group?.Instances ?? []).some(isEnding);
