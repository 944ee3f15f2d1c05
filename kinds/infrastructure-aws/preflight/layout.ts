/** Checks that the subnets of a network to be made reach the internet, which is known from the spec alone. */
import { found } from '../../../machinery/api/reconcile.ts';
import type { AWSClusterSpec } from '../aws-cluster/schema.ts';
import { filledNetwork, isEdge, type SubnetSpec } from '../network/fill.ts';
import { gatewaySubnets, zoneOfGateway } from '../network/resources/nat-gateways.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, nameOf, refused } from './finding.ts';

const balancers = ['controlPlaneLoadBalancer', 'secondaryControlPlaneLoadBalancer'] as const;

export const judgeLayout = ({ awsCluster, cloud, given, owner }: PreflightFacts): Finding[] => {
  const { network } = given;
  const zones = cloud && found(cloud.zones);
  if (awsCluster.state !== 'found' || !zones || network?.vpc?.id !== undefined || !network?.subnets?.length) return [];
  const { subnets = [] } = filledNetwork(owner.clusterName, network, true, zones, ([first]) => first!);
  const at = `${nameOf(awsCluster.value)} spec.network.subnets`;
  if (!subnets.some(({ isPublic }) => isPublic))
    return [
      refused(`${at}: none is public, and NAT gateways need one: set isPublic: true on one in each zone, or add one`),
    ];
  return [...judgeZones(at, subnets), ...judgePublic(at, given, subnets)];
};

/** A private subnet reaches the internet through the NAT gateway of its zone. */
const judgeZones = (at: string, subnets: readonly SubnetSpec[]): Finding[] => {
  const served = new Set(gatewaySubnets(subnets).map(({ availabilityZone }) => availabilityZone));
  return subnets.flatMap((subnet, i) => {
    const zone = zoneOfGateway(subnet);
    if (subnet.isPublic || !zone || served.has(zone)) return [];
    return [
      refused(
        `${at}[${i}]: ${subnet.id} is private, and zone ${zone} has no public subnet for its NAT gateway: add one, or set isPublic: true`,
      ),
    ];
  });
};

/** What must stand in a public subnet of a regular zone. */
const judgePublic = (at: string, given: AWSClusterSpec, subnets: readonly SubnetSpec[]): Finding[] => {
  if (subnets.some((subnet) => subnet.isPublic && !isEdge(subnet))) return [];
  const open = balancers.filter((field) => {
    const balancer = given[field];
    const { loadBalancerType: type, scheme } = balancer ?? {};
    return balancer && type !== 'disabled' && scheme !== 'internal' && !balancer.subnets?.length;
  });
  const needing = [...open.map((field) => `spec.${field}`), ...(given.bastion?.enabled ? ['spec.bastion'] : [])];
  return needing.map((field) =>
    refused(`${at}: none is public in a regular zone, and ${field} needs one: add one, or change that`),
  );
};
