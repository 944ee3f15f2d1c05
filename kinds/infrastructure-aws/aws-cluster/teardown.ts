/**
 * Plans the teardown: every resource with both tags is deleted as soon as nothing depends on it.
 */
import { type LegacyDraft, legacyFalse } from '../../../machinery/api/conditions.ts';
import type { CloudAction, CloudInput, Tag } from '../../ports/cloud.ts';
import { callCloud } from '../../ports/index.ts';
import {
  bastionReady,
  carrierGatewayReady,
  internetGatewayReady,
  loadBalancerReady,
  natGatewaysReady,
  routeTablesReady,
  securityGroupsReady,
  subnetsReady,
  vpcReady,
} from './conditions.ts';
import { isLive } from './network/nat-gateways.ts';
import type { Remains } from './observe-remains.ts';
import type { Pending, Step } from './step.ts';
import { carries, evidence, type Owner, purposeTag, tagMap } from './tags.ts';

export interface Teardown {
  steps: Step[];
  /** Resources that AWS is already deleting. */
  underway: string[];
  conditions: LegacyDraft[];
  /** No resource of the cluster was found. */
  empty: boolean;
}

export const planTeardown = (owner: Owner, region: string, remains: Remains): Teardown => {
  const owned = evidence(owner);
  const steps: Step[] = [];
  const underway: string[] = [];
  const remove = <A extends CloudAction>(id: string, action: A, input: CloudInput<A>) =>
    steps.push({ key: `delete/${id}`, actions: () => [callCloud(region, action, input, owned)] });

  const { bastion, natGateways, addresses, securityGroups, subnets, routeTables, vpcs } = remains;
  const gateways = remains.internetGateways;
  const balancers = remains.loadBalancers.filter(({ tags }) => carries(tags, owned));
  const groups = remains.targetGroups.filter(({ tags }) => carries(tags, owned));
  const nats = natGateways.filter(({ State }) => State !== 'deleted');

  if (bastion?.State.Name === 'shutting-down') underway.push(`delete/${bastion.InstanceId}`);
  else if (bastion) remove(bastion.InstanceId, 'TerminateInstances', { InstanceIds: [bastion.InstanceId] });

  for (const { LoadBalancerArn } of balancers) remove(LoadBalancerArn, 'DeleteLoadBalancer', { LoadBalancerArn });
  for (const { TargetGroupArn, LoadBalancerArns } of groups)
    if (balancers.length === 0 && LoadBalancerArns.length === 0)
      remove(TargetGroupArn, 'DeleteTargetGroup', { TargetGroupArn });

  // Groups reference each other in rules, and AWS deletes no referenced group.
  const ruled = securityGroups.filter(({ IpPermissions }) => IpPermissions.length > 0);
  for (const { GroupId, IpPermissions } of ruled)
    remove(`${GroupId}/rules`, 'RevokeSecurityGroupIngress', { GroupId, IpPermissions });
  if (ruled.length === 0 && !bastion && balancers.length === 0)
    for (const { GroupId } of securityGroups) remove(GroupId, 'DeleteSecurityGroup', { GroupId });

  for (const gateway of nats) {
    if (gateway.State === 'deleting') underway.push(`delete/${gateway.NatGatewayId}`);
    else if (isLive(gateway) || gateway.State === 'failed')
      remove(gateway.NatGatewayId, 'DeleteNatGateway', { NatGatewayId: gateway.NatGatewayId });
  }
  // An address may show its association for a moment after its gateway is gone.
  const released = natGateways.flatMap(({ NatGatewayAddresses }) => NatGatewayAddresses.map((one) => one.AllocationId));
  for (const { AllocationId, AssociationId } of addresses) {
    if ((!AssociationId || released.includes(AllocationId)) && nats.length === 0)
      remove(AllocationId, 'ReleaseAddress', { AllocationId });
  }

  const vacant = nats.length === 0 && balancers.length === 0 && !bastion;
  if (vacant) for (const { SubnetId } of subnets) remove(SubnetId, 'DeleteSubnet', { SubnetId });
  if (subnets.length === 0)
    for (const { RouteTableId, Associations } of routeTables) {
      // Associations of the cluster's subnets went with the subnets; the rest belongs to the user
      // and keeps the table.
      const left = Associations.filter(({ Main }) => !Main);
      for (const { RouteTableAssociationId: AssociationId } of left)
        remove(AssociationId, 'DisassociateRouteTable', { AssociationId });
      if (left.length === 0) remove(RouteTableId, 'DeleteRouteTable', { RouteTableId });
    }
  if (vacant && addresses.length === 0)
    for (const { InternetGatewayId, Attachments } of gateways) {
      const [attached] = Attachments;
      if (attached)
        remove(`${InternetGatewayId}/attachment`, 'DetachInternetGateway', {
          InternetGatewayId,
          VpcId: attached.VpcId,
        });
      else remove(InternetGatewayId, 'DeleteInternetGateway', { InternetGatewayId });
    }
  const carriers = remains.carrierGateways.filter(({ State }) => State !== 'deleted');
  if (subnets.length + routeTables.length === 0)
    for (const { CarrierGatewayId, State } of carriers) {
      if (State === 'deleting') underway.push(`delete/${CarrierGatewayId}`);
      else remove(CarrierGatewayId, 'DeleteCarrierGateway', { CarrierGatewayId });
    }
  const ways = gateways.length + carriers.length;
  if (subnets.length + routeTables.length + securityGroups.length + ways === 0 && vacant)
    for (const { VpcId } of vpcs) remove(VpcId, 'DeleteVpc', { VpcId });

  const left: [string, number][] = [
    [vpcReady, vpcs.length],
    [subnetsReady, subnets.length],
    [internetGatewayReady, gateways.length],
    ...(carriers.length > 0 ? [[carrierGatewayReady, carriers.length] as [string, number]] : []),
    [natGatewaysReady, nats.length + addresses.length],
    [routeTablesReady, routeTables.length],
    [securityGroupsReady, securityGroups.length],
    [bastionReady, bastion ? 1 : 0],
    [loadBalancerReady, balancers.length + groups.length],
  ];
  // An empty list proves nothing when some reads were skipped.
  const isGone = (count: number) => count === 0 && remains.isWhole;
  return {
    steps,
    underway,
    conditions: left.map(([type, count]) => legacyFalse(type, isGone(count) ? 'Deleted' : 'Deleting', 'Info')),
    empty: left.every(([, count]) => isGone(count)),
  };
};

// Keys of steps that create a resource rather than change one.
const creations =
  /^(vpc|internet-gateway|carrier-gateway|bastion|(subnet|address|nat-gateway|route-table|security-group|load-balancer)\/[^/]+|target-group\/[^/]+\/[^/]+)$/;

/** Whether the step may have created a resource that describe calls do not show yet. */
export const isCreation = (key: string): boolean => creations.test(key);

/**
 * Records the announcements whose resource is visible: once it is deleted, a describe call that
 * misses it is right.
 */
export const sighted = (pending: Pending, remains: Remains): Pending => {
  const inSight = new Set<string>();
  const note = (tags: readonly Tag[], key = (purpose: string) => purpose) => {
    const purpose = tagMap(tags)[purposeTag];
    if (purpose) inSight.add(key(purpose));
  };
  const { subnets, natGateways, routeTables, securityGroups, carrierGateways, vpcs, internetGateways } = remains;
  for (const { Tags } of [...subnets, ...natGateways, ...routeTables, ...securityGroups, ...carrierGateways])
    note(Tags);
  for (const { Tags } of [...vpcs, ...internetGateways]) note(Tags);
  note(remains.bastion?.Tags ?? []);
  for (const { Tags } of remains.addresses) note(Tags, (purpose) => purpose.replace(/^nat-gateway/, 'address'));
  for (const { tags } of remains.loadBalancers) note(tags);
  for (const { tags, Port } of remains.targetGroups)
    note(tags, (purpose) => `${purpose.replace(/^load-balancer/, 'target-group')}/${Port}`);
  return Object.fromEntries(
    Object.entries(pending).map(([key, one]) => [key, inSight.has(key) ? { ...one, seen: true } : one]),
  );
};
