/** How a group launches an instance: which template, type, market and subnet it takes. */
import { CloudError, type CloudInput, type LaunchTemplateData } from '../../kinds/ports/cloud/index.ts';
import type { Market } from './faults.ts';
import { type GroupMember, type GroupRecord, groupNameTag, liveMembers, subnetIdsOf } from './group.ts';
import { instanceType } from './instance-type.ts';
import { runInstances } from './launch.ts';
import { templateVersion } from './launch-template.ts';
import { newUuid } from './naming.ts';
import { onDemandPrice } from './price-list.ts';
import { beginActivity, endActivity } from './scaling-activity.ts';
import { spotPrice } from './spot.ts';
import { type AccountState, type Call, scaled } from './state.ts';
import type { SubnetRecord } from './subnet.ts';

type Launch = CloudInput<'RunInstances'>;

/** After one of these, another type or zone may succeed. */
const capacityCodes = new Set([
  'InsufficientInstanceCapacity',
  'InsufficientHostCapacity',
  'InsufficientReservedInstanceCapacity',
  'InsufficientFreeAddressesInSubnet',
  'ReservationCapacityExceeded',
  'SpotMaxPriceTooLow',
  'Unsupported',
]);

const countBy = <T>(items: readonly T[], key: (item: T) => string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
};

/** Whether the next launch replaces an instance of the fullest zone: it helps only in the emptiest. */
const balancesZones = (group: GroupRecord): boolean => {
  const live = liveMembers(group);
  return live.length >= group.settings.DesiredCapacity && live.some(({ rebalanced }) => rebalanced === 'zone');
};

/** The zones with the fewest instances first; of each, the subnet with the most free addresses. */
const subnetsInOrder = (account: AccountState, group: GroupRecord): SubnetRecord[] => {
  const subnets = subnetIdsOf(group.settings).flatMap((id) => account.subnets.get(id) ?? []);
  const kept = liveMembers(group).filter(({ rebalanced }) => !rebalanced);
  const used = countBy(kept, ({ zone }) => zone);
  return [...Map.groupBy(subnets, ({ zone }) => zone)]
    .sort(([a], [b]) => (used.get(a) ?? 0) - (used.get(b) ?? 0))
    .map(
      ([, inZone]) => inZone.toSorted((a, b) => account.subnetAddresses.free(b) - account.subnetAddresses.free(a))[0]!,
    );
};

/** Undefined where the template decides. */
const marketFor = (group: GroupRecord): Market | undefined => {
  const { MixedInstancesPolicy } = group.settings;
  if (!MixedInstancesPolicy) return undefined;
  const { OnDemandBaseCapacity = 0, OnDemandPercentageAboveBaseCapacity = 100 } =
    MixedInstancesPolicy.InstancesDistribution ?? {};
  const live = liveMembers(group);
  const above = Math.max(0, live.length + 1 - OnDemandBaseCapacity);
  const wanted =
    Math.min(OnDemandBaseCapacity, live.length + 1) + Math.ceil((above * OnDemandPercentageAboveBaseCapacity) / 100);
  return live.filter(({ market }) => market !== 'spot').length < wanted ? 'on-demand' : 'spot';
};

/** The types that the group may launch in a zone, the preferred one first. */
const typesFor = (
  account: AccountState,
  { settings: { MixedInstancesPolicy } }: GroupRecord,
  data: LaunchTemplateData,
  market: Market | undefined,
  zone: string,
): string[] => {
  const types = MixedInstancesPolicy?.LaunchTemplate.Overrides?.map(({ InstanceType }) => InstanceType) ?? [];
  if (types.length === 0) return data.InstanceType ? [data.InstanceType] : [];
  const { OnDemandAllocationStrategy = 'prioritized', SpotAllocationStrategy = 'lowest-price' } =
    MixedInstancesPolicy?.InstancesDistribution ?? {};
  const strategy = market === 'spot' ? SpotAllocationStrategy : OnDemandAllocationStrategy;
  if (!strategy.includes('price')) return types;
  const priceOf = (name: string): number => {
    const type = instanceType(account, name);
    if (!type) return Number.POSITIVE_INFINITY;
    return market === 'spot' ? spotPrice(account, type, zone) : onDemandPrice(account, type);
  };
  return types.toSorted((a, b) => priceOf(a) - priceOf(b));
};

const spotOptions: NonNullable<Launch['InstanceMarketOptions']> = {
  MarketType: 'spot',
  SpotOptions: { SpotInstanceType: 'one-time', InstanceInterruptionBehavior: 'terminate' },
};

/** With the tags that the group passes on. */
const tagSpecifications = (
  group: GroupRecord,
  given: Launch['TagSpecifications'] = [],
): Launch['TagSpecifications'] => {
  const passed = group.propagated.flatMap((Key) =>
    Object.hasOwn(group.tags, Key) ? [{ Key, Value: group.tags[Key]! }] : [],
  );
  const own = given.filter(({ ResourceType }) => ResourceType === 'instance').flatMap(({ Tags }) => Tags);
  const Tags = [...own.filter(({ Key }) => !passed.some((tag) => tag.Key === Key)), ...passed];
  const others = given.filter(({ ResourceType }) => ResourceType !== 'instance');
  return Tags.length > 0 ? [{ ResourceType: 'instance', Tags }, ...others] : others;
};

const profileOf = (profile: LaunchTemplateData['IamInstanceProfile']): { Name: string } | undefined =>
  profile && 'Arn' in profile ? { Name: profile.Arn.split('/').at(-1)! } : profile;

/** The request that a template stands for, in a subnet. */
const requestFor = (
  account: AccountState,
  group: GroupRecord,
  { EnclaveOptions: _, ...data }: LaunchTemplateData,
  { subnet, type, market }: { subnet: SubnetRecord; type: string; market: Market | undefined },
): Launch => {
  const { IamInstanceProfile, NetworkInterfaces, InstanceMarketOptions, ...rest } = data;
  const profile = profileOf(IamInstanceProfile);
  const options = market === 'spot' ? spotOptions : InstanceMarketOptions;
  return {
    ...rest,
    ImageId: data.ImageId ?? '',
    InstanceType: type,
    UserData: data.UserData ?? '',
    MinCount: 1,
    MaxCount: 1,
    ClientToken: newUuid(account.random),
    ...(NetworkInterfaces?.length
      ? { NetworkInterfaces: NetworkInterfaces.map((one) => ({ ...one, SubnetId: subnet.id })) }
      : { SubnetId: subnet.id }),
    ...(profile && { IamInstanceProfile: profile }),
    ...(options && { InstanceMarketOptions: options }),
    TagSpecifications: tagSpecifications(group, data.TagSpecifications),
  };
};

const serviceRole = ({ accountId }: AccountState): Call['caller'] => ({
  arn: `arn:aws:sts::${accountId}:assumed-role/AWSServiceRoleForAutoScaling/AutoScaling`,
  role: `arn:aws:iam::${accountId}:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling`,
});

/** Tries every zone and type; throws the last refusal. */
const attempt = (account: AccountState, group: GroupRecord): Omit<GroupMember, 'activity'> => {
  const { region, settings } = group;
  const now = account.clock.now();
  const named = (settings.MixedInstancesPolicy?.LaunchTemplate.LaunchTemplateSpecification ?? settings.LaunchTemplate)!;
  const { template, version } = templateVersion(account, region, named.LaunchTemplateId, named.Version);
  const market = marketFor(group);
  let refusal: unknown;
  const subnets = subnetsInOrder(account, group);
  for (const subnet of balancesZones(group) ? subnets.slice(0, 1) : subnets) {
    for (const type of typesFor(account, group, version.data, market, subnet.zone))
      try {
        const input = requestFor(account, group, version.data, { subnet, type, market });
        const spot = input.InstanceMarketOptions?.MarketType === 'spot';
        const subject = { action: 'RunInstances', region, zone: subnet.zone, type, market: market ?? 'on-demand' };
        const denied = account.faults.strike(subject, 'before');
        if (denied) throw denied;
        const call = { account, region, now, caller: serviceRole(account) };
        const { Instances } = runInstances(call, input, {
          [groupNameTag]: group.name,
          'aws:ec2launchtemplate:id': template.id,
          'aws:ec2launchtemplate:version': String(version.number),
        });
        return {
          instanceId: Instances[0]!.InstanceId,
          type,
          zone: subnet.zone,
          ...(spot && { market: 'spot' as const }),
          template: { id: template.id, name: template.name, version: version.number },
          state: 'Pending',
          launched: now,
          health: 'Healthy',
        };
      } catch (error) {
        refusal = error;
        if (!(error instanceof CloudError) || !capacityCodes.has(error.code)) throw error;
      }
    group.short = { ...group.short, [subnet.zone]: now };
  }
  throw refusal ?? new CloudError('ValidationError', 'No subnet or instance type is left to launch in.');
};

/** Launches one instance for the group. Whether it did: a refusal becomes a failed activity. */
export const launchMember = (account: AccountState, group: GroupRecord, because: string): boolean => {
  try {
    const member = attempt(account, group);
    const description = `Launching a new EC2 instance: ${member.instanceId}`;
    const { id: activity } = beginActivity(account, group, description, because);
    group.members.push({ ...member, activity });
    return true;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    const message = `${error.message} Launching EC2 instance failed.`;
    const description = `Launching a new EC2 instance.  Status Reason: ${message}`;
    const { id } = beginActivity(account, group, description, because);
    endActivity(account, group, id, { status: 'Failed', message });
    for (const member of group.members) if (member.rebalanced === 'zone') delete member.rebalanced;
    group.retries = account.clock.now() + scaled(account, account.behaviour.delays.groupRetry);
    return false;
  }
};
