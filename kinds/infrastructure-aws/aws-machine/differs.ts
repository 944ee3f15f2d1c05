/**
 * Whether reconciling a machine would find something to do or to report, as far as a page of
 * instances shows it.
 */
import { equal } from '../../../machinery/api/merge.ts';
import type { Address, Instance } from '../../ports/cloud/index.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import { isAbandoned, pendingOf } from '../engine/step.ts';
import type { Owner } from '../engine/tags.ts';
import { duplicateAddresses } from './address.ts';
import { addressesOf, groupRepairs, metadataRepairs } from './instance.ts';
import { instanceIdOf } from './instance-id.ts';
import { isControlPlane, isOf } from './observe.ts';
import { securityGroupIds } from './request.ts';
import type { AWSMachine } from './schema.ts';
import { planTags } from './tags.ts';

export interface Shown {
  owner: Owner;
  region: string;
  awsCluster: AWSCluster;
  instances: readonly Instance[];
  addresses: readonly Address[];
}

/**
 * Other objects have their own timers or wait for an event, and have no observed state to compare.
 */
export const isIdle = (awsMachine: AWSMachine): boolean =>
  awsMachine.metadata.deletionTimestamp === undefined &&
  (awsMachine.status?.ready === true || awsMachine.status?.instanceState === 'stopped') &&
  instanceIdOf(awsMachine) !== undefined;

/** A page of instances cannot resolve groups that a filter selects. */
const groupsDiffer = (awsMachine: AWSMachine, instance: Instance, { region, awsCluster }: Shown): boolean => {
  const { additionalSecurityGroups = [], networkInterfaces } = awsMachine.spec ?? {};
  const named = additionalSecurityGroups.flatMap(({ id }) => id ?? []);
  if (networkInterfaces?.length || named.length < additionalSecurityGroups.length) return false;
  const groups = securityGroupIds(awsMachine, awsCluster, isControlPlane(undefined, awsMachine), named);
  return 'ids' in groups && groupRepairs(region, instance, groups.ids).length > 0;
};

export const differs = (awsMachine: AWSMachine, shown: Shown): boolean => {
  const { region, owner, instances, addresses } = shown;
  const { spec, status } = awsMachine;
  const id = instanceIdOf(awsMachine);
  const instance = instances.find(({ InstanceId }) => InstanceId === id);
  if (!instance || instance.State.Name !== status?.instanceState) return true;
  if (!equal(status.addresses ?? [], addressesOf(instance))) return true;
  if (spec?.elasticIpPool && !addresses.some(({ InstanceId }) => InstanceId === id)) return true;
  const own = addresses.filter(isOf(awsMachine.metadata.uid));
  if (duplicateAddresses(own, id).length > 0) return true;
  const controlPlane = isControlPlane(undefined, awsMachine);
  const pending = pendingOf(awsMachine.metadata.annotations);
  return (
    planTags({ region, owner, awsMachine, controlPlane }, instance, own, 0).steps.some(
      ({ key }) => !isAbandoned(pending, key),
    ) ||
    (instance.State.Name === 'running' && metadataRepairs(region, awsMachine, instance).length > 0) ||
    groupsDiffer(awsMachine, instance, shown)
  );
};
