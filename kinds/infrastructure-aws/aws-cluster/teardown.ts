/** The plan towards nothing: whatever carries both tags goes, each thing as soon as nothing stands on it. */
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
  /** What is on its way out by itself. */
  underway: string[];
  conditions: LegacyDraft[];
  /** Nothing that is the cluster's own was found. */
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

  // Groups name each other in their rules, and none can go while another names it.
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
  // What still says that it belongs to a gateway which is gone says so a moment too long.
  const released = natGateways.flatMap(({ NatGatewayAddresses }) => NatGatewayAddresses.map((one) => one.AllocationId));
  for (const { AllocationId, AssociationId } of addresses) {
    if ((!AssociationId || released.includes(AllocationId)) && nats.length === 0)
      remove(AllocationId, 'ReleaseAddress', { AllocationId });
  }

  const vacant = nats.length === 0 && balancers.length === 0 && !bastion;
  if (vacant) for (const { SubnetId } of subnets) remove(SubnetId, 'DeleteSubnet', { SubnetId });
  if (subnets.length === 0)
    for (const { RouteTableId, Associations } of routeTables) {
      // Those of the cluster's subnets went with them; what is left is somebody's own, and holds the table.
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
  // What was not asked for is there for all that is known.
  const isGone = (count: number) => count === 0 && remains.isWhole;
  return {
    steps,
    underway,
    conditions: left.map(([type, count]) => legacyFalse(type, isGone(count) ? 'Deleted' : 'Deleting', 'Info')),
    empty: left.every(([, count]) => isGone(count)),
  };
};

// Keys of steps that make a thing, rather than change one.
const creations =
  /^(vpc|internet-gateway|carrier-gateway|bastion|(subnet|address|nat-gateway|route-table|security-group|load-balancer)\/[^/]+|target-group\/[^/]+\/[^/]+)$/;

/** Whether it may have made something, which no describe call shows yet. */
export const isCreation = (key: string): boolean => creations.test(key);

/** With a note on those whose work is in sight: once that is deleted, a describe call that misses it soon is right. */
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
