/**
 * The tags that a user asks for, on all that was made for a cluster, and those by which the in-cluster cloud provider finds
 * its way. Nothing waits for them.
 */
import { givenSpec } from '../common/filled.ts';
import type { Tag } from '../ports/cloud.ts';
import { callCloud } from '../ports/index.ts';
import {
  appliedTags,
  differenceOf,
  ec2Tagger,
  type Tagger,
  type TagPlan,
  type Thing,
  tagPlan,
  tagSteps,
} from './additional-tags.ts';
import type { Scope } from './context.ts';
import { launchedInterfaces, launchedVolumes } from './launched.ts';
import { isLive } from './network/nat-gateways.ts';
import { cloudProviderTags, observedSubnet, tagsOfBrought } from './network/subnets.ts';
import type { AWSCluster, AWSClusterSpec } from './schema.ts';
import { groupTags } from './security-groups.ts';
import type { Pending } from './step.ts';
import { additional, carries, cloudProviderTag, evidence, purposeTag, tagMap } from './tags.ts';

interface Made {
  sort: string;
  ids: string[];
  there: readonly Tag[];
  /** What it is asked for to carry itself, which wins. */
  given?: Record<string, string> | undefined;
  /** By what the in-cluster cloud provider finds it, which comes back when somebody takes it off. */
  finding?: Record<string, string>;
}

const each = <T extends { Tags: Tag[] }>(sort: string, all: readonly T[], idOf: (one: T) => string): Made[] =>
  all.map((one) => ({ sort, ids: [idOf(one)], there: one.Tags }));

const madeInEc2 = ({ owner: { clusterName }, network, observed }: Scope, given: AWSClusterSpec): Made[] => {
  const { vpc, subnets, carrierGateways, natGateways, addresses, bastion } = observed;
  const isUp = bastion && ['running', 'stopping', 'stopped'].includes(bastion.State.Name);
  return [
    ...each('vpc', vpc ? [vpc] : [], (one) => one.VpcId).map((one) => ({
      ...one,
      given: given.network?.vpc?.tags,
      finding: { [cloudProviderTag(clusterName)]: 'owned' },
    })),
    ...(network.subnets ?? []).flatMap((subnet) => {
      const there = observedSubnet(subnet, subnets);
      const finding = cloudProviderTags(subnet, clusterName, 'owned');
      return there ? [{ sort: 'subnet', ids: [there.SubnetId], there: there.Tags, given: subnet.tags, finding }] : [];
    }),
    ...each('internet-gateway', observed.internetGateways, (one) => one.InternetGatewayId),
    ...each(
      'carrier-gateway',
      carrierGateways.filter(({ State }) => State === 'available'),
      (one) => one.CarrierGatewayId,
    ),
    ...each('nat-gateway', natGateways.filter(isLive), (one) => one.NatGatewayId),
    // A machine sees to its own.
    ...each(
      'address',
      addresses.filter(({ Tags }) => tagMap(Tags)[purposeTag] !== undefined),
      (one) => one.AllocationId,
    ),
    ...each('route-table', observed.routeTables, (one) => one.RouteTableId),
    ...each('security-group', observed.securityGroups, (one) => one.GroupId).map((one) => ({
      ...one,
      finding: groupTags(tagMap(one.there)[purposeTag], clusterName),
    })),
    ...(isUp
      ? [
          {
            sort: 'bastion',
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
};

const madeInBalancing = ({ observed: { loadBalancers, targetGroups } }: Scope): Made[] => [
  ...loadBalancers.map(({ LoadBalancerArn, tags }) => ({ sort: 'load-balancer', ids: [LoadBalancerArn], there: tags })),
  ...loadBalancers.flatMap(({ listeners }) =>
    listeners.map(({ ListenerArn, tags }) => ({ sort: 'listener', ids: [ListenerArn], there: tags })),
  ),
  ...targetGroups.map(({ TargetGroupArn, tags }) => ({ sort: 'target-group', ids: [TargetGroupArn], there: tags })),
];

/** One thing at a time: the service takes no more. */
const elbTagger = (region: string, owned: Record<string, string>): Tagger => ({
  several: false,
  put: (ResourceArns, Tags) => callCloud(region, 'AddTags', { ResourceArns, Tags }),
  take: (ResourceArns, TagKeys) => callCloud(region, 'RemoveTags', { ResourceArns, TagKeys }, owned),
});

/** Whether tags are asked for, or were: nobody looks at those of each listener otherwise. */
export const isTagged = ({ metadata }: AWSCluster, asked: Record<string, string>): boolean =>
  Object.keys({ ...asked, ...appliedTags(metadata.annotations) }).length > 0;

export interface ClusterTagPlan extends TagPlan {
  /** What cannot be done, and is gone without. */
  forgone: string[];
}

export const planTags = (scope: Scope, awsCluster: AWSCluster, before: Pending, now: number): ClusterTagPlan => {
  const { owner, region } = scope;
  const applied = appliedTags(awsCluster.metadata.annotations) ?? {};
  const difference = differenceOf(owner.additionalTags, applied, owner.clusterName);
  const owned = evidence(owner);
  const things = (all: readonly Made[]): Thing[] =>
    all
      .filter(({ there }) => carries(there, owned))
      .map(({ given = {}, finding, ...made }) => ({
        ...made,
        wanted: { ...difference.wanted, ...additional(given, owner.clusterName), ...finding },
        surplus: difference.surplus.filter((key) => !Object.hasOwn(given, key)),
      }));
  const ec2 = ec2Tagger(region, owned);
  const brought = tagsOfBrought(scope);
  const steps = [
    ...tagSteps(brought.things, ec2),
    ...tagSteps(things(madeInEc2(scope, givenSpec(awsCluster) as AWSClusterSpec)), ec2),
    ...tagSteps(things(madeInBalancing(scope)), elbTagger(region, owned)),
  ];
  return { ...tagPlan(applied, difference, steps, before, now), forgone: brought.forgone };
};
