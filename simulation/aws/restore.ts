/** Rebuilds derived data at start, and completes changes that a crash interrupted between two writes. */
import { groupNameTag } from './group.ts';
import { countVcpus, endInstance } from './lifecycle.ts';
import type { AccountState } from './state.ts';

/** A VPC is written after its parts and deleted before them: parts without one were cut off by a crash. */
const dropOrphans = (account: AccountState): void => {
  const lost = ({ vpcId }: { vpcId: string }): boolean => account.vpcs.get(vpcId) === undefined;
  for (const group of account.securityGroups.all()) if (lost(group)) account.securityGroups.delete(group.id);
  for (const table of account.routeTables.all()) if (lost(table)) account.routeTables.delete(table.id);
  for (const subnet of account.subnets.all()) if (subnet.provided && lost(subnet)) account.subnets.delete(subnet.id);
  for (const gateway of account.internetGateways.all())
    if (gateway.provided && gateway.vpcId && lost({ vpcId: gateway.vpcId }))
      account.internetGateways.delete(gateway.id);
  for (const listener of account.listeners.all())
    if (
      account.loadBalancers.get(listener.loadBalancer)?.interfacesGone !== undefined ||
      !account.loadBalancers.get(listener.loadBalancer)
    )
      account.listeners.delete(listener.id);
};

/** A group is written after the launch of an instance: one that it does not know was cut off by a crash. */
export const endOrphanedInstances = (account: AccountState): void => {
  for (const instance of account.instances.all())
    if (Object.hasOwn(instance.tags, groupNameTag) && account.autoScalingGroups.count('instance', instance.id) === 0)
      endInstance(account, instance, {
        code: 'Client.UserInitiatedShutdown',
        message: 'Client.UserInitiatedShutdown: User initiated shutdown',
      });
};

export const restoreState = (account: AccountState): void => {
  dropOrphans(account);
  for (const instance of account.instances.all()) {
    if (instance.announced === 'terminated') continue;
    countVcpus(account, instance, 1);
    for (const { subnetId, privateIp } of instance.interfaces) account.subnetAddresses.claim(subnetId, privateIp);
  }
  for (const gateway of account.natGateways.all())
    if (!gateway.released) account.subnetAddresses.claim(gateway.subnetId, gateway.privateIp);
  const services = [
    ...account.loadBalancers.all(),
    ...account.classicLoadBalancers.all(),
    ...account.eksClusters.all(),
  ];
  for (const { interfaces = [] } of services)
    for (const { subnetId, privateIp } of interfaces) account.subnetAddresses.claim(subnetId, privateIp);
};
