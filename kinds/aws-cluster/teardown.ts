/** The plan towards nothing: whatever carries both tags goes, each thing as soon as nothing stands on it. */
import { type LegacyDraft, legacyFalse } from '../../machinery/api/conditions.ts';
import type { CloudAction, CloudInput } from '../ports/cloud.ts';
import { callCloud } from '../ports/index.ts';
import {
  bastionReady,
  internetGatewayReady,
  loadBalancerReady,
  natGatewaysReady,
  routeTablesReady,
  securityGroupsReady,
  subnetsReady,
  vpcReady,
} from './conditions.ts';
import { isLive } from './network/nat-gateways.ts';
import type { Observed } from './observe-cloud.ts';
import type { Step } from './step.ts';
import { carries, evidence, type Owner } from './tags.ts';

export interface Teardown {
  steps: Step[];
  /** What is on its way out by itself. */
  underway: string[];
  conditions: LegacyDraft[];
  /** Nothing that is the cluster's own was found. */
  empty: boolean;
}

export const planTeardown = (owner: Owner, region: string, observed: Observed): Teardown => {
  const owned = evidence(owner);
  const steps: Step[] = [];
  const underway: string[] = [];
  const remove = <A extends CloudAction>(id: string, action: A, input: CloudInput<A>) =>
    steps.push({ key: `delete/${id}`, actions: () => [callCloud(region, action, input, owned)] });

  const { bastion, natGateways, addresses, securityGroups, subnets, routeTables } = observed;
  const vpcs = [...(observed.vpc ? [observed.vpc] : []), ...observed.surplus.vpcs];
  const gateways = [
    ...(observed.internetGateway ? [observed.internetGateway] : []),
    ...observed.surplus.internetGateways,
  ];
  const balancers = observed.loadBalancers.filter(({ tags }) => carries(tags, owned));
  const groups = observed.targetGroups.filter(({ tags }) => carries(tags, owned));
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
  for (const { AllocationId, AssociationId } of addresses) {
    if (!AssociationId && nats.length === 0) remove(AllocationId, 'ReleaseAddress', { AllocationId });
  }

  const vacant = nats.length === 0 && balancers.length === 0 && !bastion;
  if (vacant) for (const { SubnetId } of subnets) remove(SubnetId, 'DeleteSubnet', { SubnetId });
  if (subnets.length === 0)
    for (const { RouteTableId } of routeTables) remove(RouteTableId, 'DeleteRouteTable', { RouteTableId });
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
  if (subnets.length + routeTables.length + securityGroups.length + gateways.length === 0 && vacant)
    for (const { VpcId } of vpcs) remove(VpcId, 'DeleteVpc', { VpcId });

  const left: [string, number][] = [
    [vpcReady, vpcs.length],
    [subnetsReady, subnets.length],
    [internetGatewayReady, gateways.length],
    [natGatewaysReady, nats.length + addresses.length],
    [routeTablesReady, routeTables.length],
    [securityGroupsReady, securityGroups.length],
    [bastionReady, bastion ? 1 : 0],
    [loadBalancerReady, balancers.length + groups.length],
  ];
  return {
    steps,
    underway,
    conditions: left.map(([type, count]) => legacyFalse(type, count ? 'Deleting' : 'Deleted', 'Info')),
    empty: left.every(([, count]) => count === 0),
  };
};
