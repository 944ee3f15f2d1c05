/** Checks that an unmanaged network exists, and that new resources fit into it. */
import { found, type Read } from '../../../machinery/api/reconcile.ts';
import type { SecurityGroup, Subnet } from '../../ports/cloud/index.ts';
import { namedSubnetId } from '../aws-machine/placement.ts';
import type { AWSMachineSpec } from '../aws-machine/schema.ts';
import { carries, evidence, tagMap } from '../engine/tags.ts';
import { isSecondary, type SubnetSpec } from '../network/fill.ts';
import { isSubnetId, observedSubnet, resourceIdOf } from '../network/resources/subnets.ts';
import type { CloudFacts, PreflightFacts } from './facts.ts';
import { absent, type Finding, nameOf, refused, unknown } from './finding.ts';
import { filtersOf } from './observe-cloud.ts';

export const judgeNetwork = (facts: PreflightFacts): Finding[] => {
  const { cloud, awsCluster } = facts;
  if (!cloud || awsCluster.state !== 'found') return [];
  const me = nameOf(awsCluster.value);
  return [
    ...unknown('the availability zones', cloud.zones),
    ...judgeVpc(me, facts, cloud),
    ...judgeSubnets(me, facts, cloud),
    ...judgeNamedSubnets(me, facts, cloud),
    ...judgeGroups(me, facts, cloud),
  ];
};

const judgeVpc = (me: string, { given, region }: PreflightFacts, { unmanagedVpc }: CloudFacts): Finding[] => {
  const id = given.network?.vpc?.id;
  if (id === undefined) return [];
  if (unmanagedVpc?.state === 'absent')
    return [
      absent(
        `${me} spec.network.vpc.id: VPC ${id} does not exist in ${region}: name one that does, or leave the field out to have one made`,
      ),
    ];
  return given.network?.subnets?.length
    ? unknown(`VPC ${id}`, unmanagedVpc)
    : [refused(`${me} spec.network.subnets: there are none: list those of VPC ${id} that the cluster is to use`)];
};

/** Checks that each subnet of the spec exists where the spec says, or can be created. */
const judgeSubnets = (me: string, facts: PreflightFacts, cloud: CloudFacts): Finding[] => {
  const { given, region } = facts;
  const vpc = given.network?.vpc?.id;
  const zones = found(cloud.zones);
  return (given.network?.subnets ?? []).flatMap((subnet, i) => {
    const at = `${me} spec.network.subnets[${i}]`;
    const id = resourceIdOf(subnet);
    const zone = subnet.availabilityZone;
    if (id) {
      if (vpc === undefined)
        return [refused(`${at}.id: ${id} is in a VPC of your own: name that VPC in spec.network.vpc.id`)];
      const answer = cloud.subnets.get(id);
      if (answer?.state === 'absent') return [absent(`${at}.id: subnet ${id} does not exist in ${region}`)];
      if (answer?.state !== 'found') return unknown(`subnet ${id}`, answer);
      const { VpcId, AvailabilityZone } = answer.value;
      if (VpcId !== vpc) return [refused(`${at}.id: subnet ${id} is in ${VpcId}, not in spec.network.vpc.id ${vpc}`)];
      return zone && zone !== AvailabilityZone
        ? [refused(`${at}.availabilityZone: subnet ${id} is in ${AvailabilityZone}, not in ${zone}: correct the field`)]
        : [];
    }
    if (vpc !== undefined) {
      if (cloud.vpcSubnets.state !== 'found') return unknown(`the subnets of VPC ${vpc}`, cloud.vpcSubnets);
      return observedSubnet(subnet, cloud.vpcSubnets.value)
        ? []
        : [absent(`${at}.id: ${subnet.id} is no subnet of VPC ${vpc}: give the id of one, such as subnet-0123`)];
    }
    if (!subnet.cidrBlock || !zone)
      return [refused(`${at}: ${subnet.id} needs a cidrBlock and an availabilityZone to be made`)];
    return zones && !zones.some(({ ZoneName }) => ZoneName === zone)
      ? [
          refused(
            `${at}.availabilityZone: ${region} has no zone ${zone} that is available: choose one of ${zones
              .map(({ ZoneName }) => ZoneName)
              .sort()
              .join(', ')}`,
          ),
        ]
      : [];
  });
};

/** Checks subnets that load balancers and machines name. */
const judgeNamedSubnets = (
  me: string,
  { given, network, machines, region }: PreflightFacts,
  cloud: CloudFacts,
): Finding[] => {
  const subnets = network.subnets ?? [];
  const judge = (field: string, name: string): Finding[] => {
    if (subnets.some(({ id }) => id === name)) return [];
    if (!isSubnetId(name))
      return subnets.length > 0 ? [refused(`${field}: ${name} is none of spec.network.subnets of ${me}`)] : [];
    const answer = cloud.subnets.get(name);
    return answer?.state === 'absent'
      ? [absent(`${field}: subnet ${name} does not exist in ${region}`)]
      : unknown(`subnet ${name}`, answer);
  };
  const ofBalancers = (['controlPlaneLoadBalancer', 'secondaryControlPlaneLoadBalancer'] as const).flatMap((which) =>
    (given[which]?.subnets ?? []).flatMap((name, i) => judge(`${me} spec.${which}.subnets[${i}]`, name)),
  );
  const ofMachines = machines.flatMap(({ spec, at, failureDomain }) => {
    const machine = found(spec);
    if (!machine) return [];
    if (machine.subnet?.id) {
      const field = `${at.object} ${at.path}.subnet.id`;
      const id = namedSubnetId(machine, subnets) ?? machine.subnet.id;
      const there = cloud.subnets.get(id);
      const named = there && found(there);
      return [...judge(field, id), ...(named ? judgeFit(field, [named], machine, failureDomain, subnets) : [])];
    }
    const filters = filtersOf(machine);
    // Filters match nothing in a network that does not exist yet.
    if (!filters || given.network?.vpc?.id === undefined) return [];
    const matching = cloud.filtered.get(JSON.stringify(filters));
    if (matching?.state !== 'found') return unknown(`the subnets of ${at.object}`, matching);
    const field = `${at.object} ${at.path}.subnet.filters`;
    return matching.value.length > 0
      ? judgeFit(field, matching.value, machine, failureDomain, subnets)
      : [absent(`${field}: they match no subnet in ${region}`)];
  });
  return [...ofBalancers, ...ofMachines];
};

/** Why no machine can be in any of these subnets, in the AWS provider's words. */
const judgeFit = (
  field: string,
  matching: readonly Subnet[],
  { publicIP }: AWSMachineSpec,
  failureDomain: string | undefined,
  subnets: readonly SubnetSpec[],
): Finding[] => {
  const obstacles = matching.map(({ SubnetId, AvailabilityZone, MapPublicIpOnLaunch, Tags }) => {
    const known = subnets.find((one) => resourceIdOf(one) === SubnetId);
    if (failureDomain && AvailabilityZone !== failureDomain)
      return `subnet ${SubnetId} availability zone ${AvailabilityZone} does not match failure domain ${failureDomain}`;
    if (publicIP && !(known?.isPublic ?? MapPublicIpOnLaunch)) return `subnet ${SubnetId} is a private subnet`;
    return isSecondary({ tags: tagMap(Tags) })
      ? `subnet ${SubnetId} belongs to a secondary CIDR block which won't be used to create instances`
      : undefined;
  });
  return obstacles.includes(undefined) ? [] : [refused(`${field}: ${obstacles.join(', ')}`)];
};

const judgeGroups = (me: string, facts: PreflightFacts, cloud: CloudFacts): Finding[] => {
  const { given, machines, region, owner } = facts;
  const own = (found(cloud.vpcs) ?? []).find(({ Tags }) => carries(Tags, evidence(owner)));
  const vpc = given.network?.vpc?.id ?? own?.VpcId;
  const judge = (field: string, id: string | undefined): Finding[] => {
    const answer: Read<SecurityGroup> | undefined = id ? cloud.securityGroups.get(id) : undefined;
    if (!id || !answer) return [];
    if (answer.state === 'absent') return [absent(`${field}: security group ${id} does not exist in ${region}`)];
    if (answer.state !== 'found') return unknown(`security group ${id}`, answer);
    if (answer.value.VpcId === vpc) return [];
    const where = vpc ? `not in ${vpc}` : 'and the cluster would be in one of its own';
    return [
      refused(
        `${field}: security group ${id} is in ${answer.value.VpcId}, ${where}: choose another, or set spec.network.vpc.id of ${me}`,
      ),
    ];
  };
  return [
    ...Object.entries(given.network?.securityGroupOverrides ?? {}).flatMap(([role, id]) =>
      judge(`${me} spec.network.securityGroupOverrides.${role}`, id),
    ),
    ...(['controlPlaneLoadBalancer', 'secondaryControlPlaneLoadBalancer'] as const).flatMap((which) =>
      (given[which]?.additionalSecurityGroups ?? []).flatMap((id, i) =>
        judge(`${me} spec.${which}.additionalSecurityGroups[${i}]`, id),
      ),
    ),
    ...machines.flatMap(({ spec, at }) => {
      const { securityGroupOverrides, additionalSecurityGroups } = found(spec) ?? {};
      return [
        ...Object.entries(securityGroupOverrides ?? {}).flatMap(([role, id]) =>
          judge(`${at.object} ${at.path}.securityGroupOverrides.${role}`, id),
        ),
        ...(additionalSecurityGroups ?? []).flatMap(({ id }, i) =>
          judge(`${at.object} ${at.path}.additionalSecurityGroups[${i}].id`, id),
        ),
      ];
    }),
  ];
};
