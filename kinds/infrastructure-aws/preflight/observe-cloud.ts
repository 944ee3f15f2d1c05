/** Reads everything in the cloud that the cluster's objects name, and the quotas. */

import { found, mapRead, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import {
  type CloudAction,
  type CloudInput,
  type CloudOutput,
  homeRegion,
  type Image,
  type Subnet,
  type Tag,
} from '../../ports/cloud/index.ts';
import { askCloud } from '../../ports/index.ts';
import type { AWSClusterSpec } from '../aws-cluster/schema.ts';
import { architectures, imageQuestion } from '../aws-machine/image.ts';
import { namedSubnetId } from '../aws-machine/placement.ts';
import type { AWSMachineSpec } from '../aws-machine/schema.ts';
import { pagesOf } from '../engine/pages.ts';
import type { Owner } from '../engine/tags.ts';
import { defaultApiPorts } from '../network/api-ports.ts';
import { bastionImages } from '../network/bastion-image.ts';
import { desiredClassic, desiredLoadBalancers, refusedType } from '../network/desired-load-balancer.ts';
import { isSubnetId, resourceIdOf } from '../network/resources/subnets.ts';
import type { CloudFacts, PlannedMachines } from './facts.ts';
import { type VcpuQuota, vcpuQuotaOf } from './vcpu-quotas.ts';

interface Question {
  region: string;
  spec: AWSClusterSpec;
  /** The spec without fields that controllers filled in. */
  given: AWSClusterSpec;
  owner: Owner;
  machines: readonly PlannedMachines[];
}

export type ImageQuestion = CloudInput<'DescribeImages'>;

/** The image question of a machine; a string says what is missing to ask it. */
export const imageQuestionOf = (
  { bastion, version }: PlannedMachines,
  spec: AWSMachineSpec,
  cluster: AWSClusterSpec,
  architecture: string | undefined,
): ReturnType<typeof imageQuestion> =>
  bastion && !spec.ami?.id ? bastionImages : imageQuestion(spec, cluster, version, architecture);

export const keyPairOf = (
  { bastion }: PlannedMachines,
  spec: AWSMachineSpec,
  cluster: AWSClusterSpec,
): string | undefined => (bastion ? cluster.sshKeyName : (spec.sshKeyName ?? cluster.sshKeyName)) || undefined;

/** Quota codes, and their names in messages; those of vCPUs are in `vcpu-quotas.ts`. */
export const quotas = {
  vpcs: { ServiceCode: 'vpc', QuotaCode: 'L-F678F1CE', name: 'VPCs per region' },
  addresses: { ServiceCode: 'ec2', QuotaCode: 'L-0263D0A3', name: 'Elastic IP addresses' },
} as const;

export const filtersOf = ({ subnet }: AWSMachineSpec) =>
  subnet?.id || !subnet?.filters?.length
    ? undefined
    : subnet.filters.map(({ name, values }) => ({ Name: name, Values: values }));

/** A definite answer without the item means absent. */
const firstOf = <T, U>(answer: Read<T>, items: (value: T) => readonly U[]): Read<U> => {
  const first = answer.state === 'found' ? items(answer.value)[0] : undefined;
  if (answer.state !== 'found') return answer;
  return first === undefined ? { state: 'absent' } : { state: 'found', value: first };
};
const each = <T>(keys: Iterable<string | undefined>, ask: (key: string) => T): Map<string, T> =>
  new Map([...new Set(keys)].flatMap((key) => (key ? [[key, ask(key)] as const] : [])));

/** All pages of a describe call. */
const allOf = <A extends CloudAction, T>(
  read: Reader,
  region: string,
  action: A,
  input: CloudInput<A>,
  items: (page: CloudOutput<A>) => readonly T[],
): Read<T[]> => {
  const all: T[] = [];
  for (const page of pagesOf((more) => askCloud(read, region, action, { ...input, ...more }), found)) {
    if (page.state !== 'found') return page;
    all.push(...items(page.value));
  }
  return { state: 'found', value: all };
};

/** What the machines need of the cloud. */
type OfMachines = Pick<
  CloudFacts,
  | 'zones'
  | 'types'
  | 'offerings'
  | 'images'
  | 'profiles'
  | 'keyPairs'
  | 'quotas'
  | 'subnets'
  | 'vpcSubnets'
  | 'filtered'
>;

const specsOf = (machines: readonly PlannedMachines[]): Specs =>
  machines.flatMap((planned) => {
    const value = found(planned.spec);
    return value ? [{ planned, value }] : [];
  });

const observeOfMachines = (question: Question, read: Reader): OfMachines => {
  const { region, spec, given, machines } = question;
  const ask = <A extends CloudAction>(action: A, input: CloudInput<A>) => askCloud(read, region, action, input);
  const specs = specsOf(machines);
  const typeNames = [...new Set(specs.map(({ value }) => value.instanceType))].sort();
  const vpc = given.network?.vpc?.id;
  const vpcSubnets: Read<Subnet[]> =
    vpc === undefined
      ? { state: 'found', value: [] }
      : allOf(
          read,
          region,
          'DescribeSubnets',
          { Filters: [{ Name: 'vpc-id', Values: [vpc] }] },
          ({ Subnets }) => Subnets,
        );
  const subnet = (id: string): Read<Subnet> => {
    if (vpcSubnets.state !== 'found') return vpcSubnets;
    const listed = vpcSubnets.value.find(({ SubnetId }) => SubnetId === id);
    if (listed) return { state: 'found', value: listed };
    return firstOf(ask('DescribeSubnets', { SubnetIds: [id] }), ({ Subnets }) => Subnets);
  };
  return {
    zones: mapRead(
      ask('DescribeAvailabilityZones', { Filters: [{ Name: 'state', Values: ['available'] }] }),
      ({ AvailabilityZones }) => AvailabilityZones,
    ),
    types: each(typeNames, (name) =>
      firstOf(ask('DescribeInstanceTypes', { InstanceTypes: [name] }), ({ InstanceTypes }) => InstanceTypes),
    ),
    offerings: observeOfferings(read, region, typeNames),
    images: observeImages(read, question, specs),
    profiles: each(
      specs.map(({ value }) => value.iamInstanceProfile),
      (InstanceProfileName) => ask('GetInstanceProfile', { InstanceProfileName }),
    ),
    keyPairs: each(
      specs.map(({ planned, value }) => keyPairOf(planned, value, spec)),
      (name) => firstOf(ask('DescribeKeyPairs', { KeyNames: [name] }), ({ KeyPairs }) => KeyPairs),
    ),
    quotas: observeQuotas(
      read,
      region,
      specs.flatMap(({ value }) => vcpuQuotaOf(value) ?? []),
    ),
    subnets: each(
      namedSubnets(
        given,
        specs.map(({ value }) => value),
      ),
      subnet,
    ),
    vpcSubnets,
    filtered: new Map(
      specs.flatMap(({ value }) => {
        const Filters = filtersOf(value);
        return Filters
          ? [
              [
                JSON.stringify(Filters),
                allOf(read, region, 'DescribeSubnets', { Filters }, ({ Subnets }) => Subnets),
              ] as const,
            ]
          : [];
      }),
    ),
  };
};

const unread = { state: 'unread' } as const;

/** For machines of a cluster whose other parts exist. */
export const observeReplacement = (question: Question, read: Reader): CloudFacts => ({
  ...observeOfMachines(question, read),
  regions: unread,
  vpcs: unread,
  addresses: unread,
  unmanagedVpc: undefined,
  securityGroups: new Map(),
  loadBalancers: new Map(),
});

export const observeCloud = (question: Question, read: Reader): CloudFacts => {
  const { region, given, machines } = question;
  const ask = <A extends CloudAction>(action: A, input: CloudInput<A>) => askCloud(read, region, action, input);
  const values = specsOf(machines).map(({ value }) => value);
  const managed = given.network?.vpc?.id === undefined;
  const pooled = values.some(({ elasticIpPool }) => elasticIpPool);
  const ofMachines = observeOfMachines(question, read);
  const ofCluster = [...(managed ? [quotas.vpcs] : []), ...(managed || pooled ? [quotas.addresses] : [])];
  return {
    ...ofMachines,
    quotas: new Map([...observeQuotas(read, region, ofCluster), ...ofMachines.quotas]),
    regions: mapRead(
      askCloud(read, homeRegion(region), 'DescribeRegions', { AllRegions: true }),
      ({ Regions }) => Regions,
    ),
    vpcs: managed ? allOf(read, region, 'DescribeVpcs', {}, ({ Vpcs }) => Vpcs) : { state: 'found', value: [] },
    addresses: mapRead(ask('DescribeAddresses', {}), ({ Addresses }) => Addresses),
    unmanagedVpc: managed
      ? undefined
      : firstOf(ask('DescribeVpcs', { VpcIds: [given.network!.vpc!.id!] }), ({ Vpcs }) => Vpcs),
    securityGroups: each(namedGroups(given, values), (id) =>
      firstOf(ask('DescribeSecurityGroups', { GroupIds: [id] }), ({ SecurityGroups }) => SecurityGroups),
    ),
    loadBalancers: new Map(refusedType(question.spec) === undefined ? observeLoadBalancers(question, read) : []),
  };
};

type LoadBalancers = CloudFacts['loadBalancers'] extends ReadonlyMap<string, infer One> ? [string, One][] : never;

const observeLoadBalancers = ({ region, spec, owner }: Question, read: Reader): LoadBalancers => {
  const ask = <A extends CloudAction>(action: A, input: CloudInput<A>) => askCloud(read, region, action, input);
  const classic = desiredClassic(spec, owner, defaultApiPorts);
  return [
    ...desiredLoadBalancers(spec, owner, defaultApiPorts).map(({ name }): LoadBalancers[number] => {
      const balancer = firstOf(ask('DescribeLoadBalancers', { Names: [name] }), ({ LoadBalancers }) => LoadBalancers);
      const arn = found(balancer)?.LoadBalancerArn;
      const tags: Read<Tag[]> = arn
        ? mapRead(ask('DescribeLoadBalancerTags', { ResourceArns: [arn] }), tagsIn)
        : { state: 'absent' };
      return [name, { balancer, tags }];
    }),
    ...(classic ? [classic.name] : []).map((name): LoadBalancers[number] => {
      const LoadBalancerNames = [name];
      const balancer = firstOf(
        ask('DescribeClassicLoadBalancers', { LoadBalancerNames }),
        ({ LoadBalancerDescriptions }) => LoadBalancerDescriptions,
      );
      const tags: Read<Tag[]> = found(balancer)
        ? mapRead(ask('DescribeClassicLoadBalancerTags', { LoadBalancerNames }), tagsIn)
        : { state: 'absent' };
      return [name, { balancer, tags }];
    }),
  ];
};

const tagsIn = ({ TagDescriptions }: { TagDescriptions: { Tags: Tag[] }[] }): Tag[] =>
  TagDescriptions.flatMap(({ Tags }) => Tags);

type Specs = { planned: PlannedMachines; value: AWSMachineSpec }[];

const observeOfferings = (read: Reader, region: string, names: string[]): CloudFacts['offerings'] => {
  if (names.length === 0) return { state: 'found', value: new Map() };
  const offerings = allOf(
    read,
    region,
    'DescribeInstanceTypeOfferings',
    { LocationType: 'availability-zone', Filters: [{ Name: 'instance-type', Values: names }] },
    ({ InstanceTypeOfferings }) => InstanceTypeOfferings,
  );
  return mapRead(offerings, (all) => {
    const byType = Map.groupBy(all, ({ InstanceType }) => InstanceType);
    return new Map([...byType].map(([name, zones]) => [name, zones.map(({ Location }) => Location).sort()]));
  });
};

/** For every architecture, because the type's architecture is not known in the same round. */
const observeImages = (read: Reader, { region, spec }: Question, specs: Specs): Map<string, Read<Image[]>> =>
  new Map(
    specs
      .flatMap(({ planned, value }) => architectures.map((one) => imageQuestionOf(planned, value, spec, one)))
      .flatMap((question) =>
        typeof question === 'string'
          ? []
          : [
              [
                JSON.stringify(question),
                mapRead(askCloud(read, region, 'DescribeImages', question), ({ Images }) => Images),
              ] as const,
            ],
      ),
  );

export type Quota = (typeof quotas)[keyof typeof quotas] | VcpuQuota;
const observeQuotas = (read: Reader, region: string, wanted: readonly Quota[]): Map<string, Read<number>> =>
  new Map(
    wanted.map(({ ServiceCode, QuotaCode }) => [
      QuotaCode,
      mapRead(askCloud(read, region, 'GetServiceQuota', { ServiceCode, QuotaCode }), ({ Quota }) => Quota.Value),
    ]),
  );

const namedSubnets = (
  { network, controlPlaneLoadBalancer, secondaryControlPlaneLoadBalancer }: AWSClusterSpec,
  specs: AWSMachineSpec[],
) =>
  [
    ...(network?.subnets ?? []).map(resourceIdOf),
    ...(controlPlaneLoadBalancer?.subnets ?? []),
    ...(secondaryControlPlaneLoadBalancer?.subnets ?? []),
    ...specs.map((spec) => namedSubnetId(spec, network?.subnets ?? [])),
  ].filter((id) => id !== undefined && isSubnetId(id));

const namedGroups = (cluster: AWSClusterSpec, specs: AWSMachineSpec[]) => [
  ...Object.values(cluster.network?.securityGroupOverrides ?? {}),
  ...[cluster.controlPlaneLoadBalancer, cluster.secondaryControlPlaneLoadBalancer].flatMap(
    (balancer) => balancer?.additionalSecurityGroups ?? [],
  ),
  ...specs.flatMap(({ securityGroupOverrides, additionalSecurityGroups }) => [
    ...Object.values(securityGroupOverrides ?? {}),
    ...(additionalSecurityGroups ?? []).map(({ id }) => id),
  ]),
];
