/**
 * The tags that a user asks for, on all that was made for a cluster, and those by which the in-cluster cloud provider finds
 * its way. Nothing waits for them.
 */
import { callCloud } from '../ports/index.ts';
import {
  additional,
  additionalTags,
  appliedNote,
  appliedTags,
  ec2TagSteps,
  type Tagging,
  type TagPlan,
  tagSteps,
} from './additional-tags.ts';
import type { Scope } from './context.ts';
import { desiredLoadBalancers } from './desired-load-balancer.ts';
import { launchedInterfaces, launchedVolumes } from './launched.ts';
import { ownLoadBalancer } from './load-balancer.ts';
import { isLive } from './network/nat-gateways.ts';
import { cloudProviderTags, observedSubnet } from './network/subnets.ts';
import { groupTags } from './security-groups.ts';
import type { Step } from './step.ts';
import { carries, cloudProviderTag, evidence, purposeTag, roleTag, tagMap } from './tags.ts';

/**
 * A thing of EC2. `given`: what it is asked for to carry itself, which wins; `finding`: by what the in-cluster cloud provider
 * finds it, which comes back when somebody takes it off.
 */
interface Thing extends Pick<Tagging, 'there'> {
  key: string;
  ids: string[];
  given?: Record<string, string> | undefined;
  finding?: Record<string, string>;
}

const thingsOf = ({ owner: { clusterName }, network, observed }: Scope): Thing[] => {
  const { vpc, subnets, internetGateways, carrierGateways, natGateways, addresses, routeTables, securityGroups } =
    observed;
  const { bastion } = observed;
  const things: Thing[] = [
    ...(vpc
      ? [{ key: 'vpc', ids: [vpc.VpcId], there: vpc.Tags, finding: { [cloudProviderTag(clusterName)]: 'owned' } }]
      : []),
    ...(network.subnets ?? []).flatMap((subnet) => {
      const there = observedSubnet(subnet, subnets);
      if (!there) return [];
      const finding = cloudProviderTags(subnet, clusterName, 'owned');
      return [{ key: `subnet/${subnet.id}`, ids: [there.SubnetId], there: there.Tags, given: subnet.tags, finding }];
    }),
    ...internetGateways.map(({ InternetGatewayId: id, Tags }) => ({
      key: `internet-gateway/${id}`,
      ids: [id],
      there: Tags,
    })),
    ...carrierGateways.map(({ CarrierGatewayId: id, Tags }) => ({
      key: `carrier-gateway/${id}`,
      ids: [id],
      there: Tags,
    })),
    ...natGateways
      .filter(isLive)
      .map(({ NatGatewayId: id, Tags }) => ({ key: `nat-gateway/${id}`, ids: [id], there: Tags })),
    // A machine sees to its own.
    ...addresses
      .filter(({ Tags }) => tagMap(Tags)[purposeTag] !== undefined)
      .map(({ AllocationId: id, Tags }) => ({ key: `address/${id}`, ids: [id], there: Tags })),
    ...routeTables.map(({ RouteTableId: id, Tags }) => ({ key: `route-table/${id}`, ids: [id], there: Tags })),
    ...securityGroups.map(({ GroupId: id, Tags }) => ({
      key: `security-group/${id}`,
      ids: [id],
      there: Tags,
      finding: groupTags(tagMap(Tags)[roleTag], clusterName),
    })),
    ...(bastion
      ? [
          {
            key: 'bastion',
            ids: [
              bastion.InstanceId,
              ...launchedVolumes(bastion),
              ...launchedInterfaces(bastion).map(({ NetworkInterfaceId }) => NetworkInterfaceId),
            ],
            there: bastion.Tags,
          },
        ]
      : []),
  ];
  return things;
};

/** What load balancing made is tagged alike: only the load balancer's tags are read. */
const balancingSteps = (scope: Scope, wanted: Record<string, string>, surplus: readonly string[]): Step[] => {
  const { owner, region, spec, apiPort, observed } = scope;
  return desiredLoadBalancers(spec, owner, apiPort).flatMap((one) => {
    const there = ownLoadBalancer(scope, one);
    if (!there) return [];
    const ResourceArns = [
      there.LoadBalancerArn,
      ...there.listeners
        .filter(({ Port }) => one.ports.some(({ port }) => port === Port))
        .map(({ ListenerArn }) => ListenerArn),
      ...observed.targetGroups
        .filter(({ TargetGroupName }) => one.ports.some(({ targetGroupName }) => targetGroupName === TargetGroupName))
        .map(({ TargetGroupArn }) => TargetGroupArn),
    ];
    return tagSteps(
      { key: `load-balancer/${one.which}`, there: there.tags, wanted, surplus },
      (Tags) => callCloud(region, 'AddTags', { ResourceArns, Tags }),
      (TagKeys) => callCloud(region, 'RemoveTags', { ResourceArns, TagKeys }, evidence(owner)),
    );
  });
};

export const planTags = (scope: Scope, annotations: Record<string, string> | undefined): TagPlan => {
  const { owner, region } = scope;
  const applied = appliedTags(annotations) ?? {};
  const tags = additionalTags(owner.additionalTags, applied, owner.clusterName);
  const { wanted, surplus } = tags;
  const owned = evidence(owner);
  const steps = [
    ...thingsOf(scope)
      .filter(({ there }) => carries(there, owned))
      .flatMap(({ key, ids, there, given = {}, finding }) =>
        ec2TagSteps(region, ids, owned, {
          key,
          there,
          wanted: { ...wanted, ...additional(given, owner.clusterName), ...finding },
          surplus: surplus.filter((name) => !Object.hasOwn(given, name)),
        }),
      ),
    ...balancingSteps(scope, wanted, surplus),
  ];
  return { steps, note: (pending) => appliedNote(applied, tags, steps, pending) };
};
