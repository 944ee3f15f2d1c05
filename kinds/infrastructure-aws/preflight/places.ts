/** The zones that machines will run in, as far as they are known before the network exists. */
import { found } from '../../../machinery/api/reconcile.ts';
import { namedSubnetId } from '../aws-machine/placement.ts';
import type { AWSMachineSpec } from '../aws-machine/schema.ts';
import { isEdge, type SubnetSpec } from '../network/fill.ts';
import { isPlaceable } from '../network/resources/nat-gateways.ts';
import { resourceIdOf } from '../network/resources/subnets.ts';
import type { PlannedMachines, PreflightFacts } from './facts.ts';
import { type Finding, nameOf, refused } from './finding.ts';
import { filtersOf } from './observe-cloud.ts';

export interface Places {
  /** Empty while unknown. */
  zones: string[];
  /** Machines will run in each of the zones; otherwise one zone with room is enough. */
  every: boolean;
}

const distinct = (zones: (string | undefined)[]): string[] =>
  [...new Set(zones)].filter((zone) => zone !== undefined).sort();

const isUnmanaged = ({ given }: PreflightFacts): boolean => given.network?.vpc?.id !== undefined;
/** The user names no zones, and the controller draws them at random. */
const isDrawn = ({ given, awsCluster }: PreflightFacts): boolean =>
  given.network?.vpc?.availabilityZoneSelection === 'Random' && !found(awsCluster)?.spec?.network?.subnets?.length;

/**
 * The zone as the AWSCluster controller will see it: that of the existing subnet, if there is one.
 */
const zoneOf = ({ cloud }: PreflightFacts, subnet: SubnetSpec): string | undefined => {
  const there = cloud?.subnets.get(resourceIdOf(subnet) ?? '');
  return (there && found(there)?.AvailabilityZone) ?? subnet.availabilityZone;
};

/** The routes of an existing subnet determine whether it is public. */
const mayHold = (facts: PreflightFacts, { isPublic }: SubnetSpec, { publicIP }: AWSMachineSpec): boolean =>
  isUnmanaged(facts) || Boolean(isPublic) === Boolean(publicIP);

export const placesOf = (planned: PlannedMachines, spec: AWSMachineSpec, facts: PreflightFacts): Places => {
  const { cloud, network } = facts;
  const subnets = network.subnets ?? [];
  const { failureDomain } = planned;
  if (failureDomain) return { zones: [failureDomain], every: true };
  const id = namedSubnetId(spec, subnets) ?? spec.subnet?.id;
  if (id) {
    const there = cloud?.subnets.get(id);
    const meant = subnets.find((one) => one.id === spec.subnet?.id);
    return { zones: distinct([(there && found(there)?.AvailabilityZone) ?? meant?.availabilityZone]), every: true };
  }
  const filters = filtersOf(spec);
  if (filters) {
    const matching = cloud?.filtered.get(JSON.stringify(filters));
    return {
      zones: distinct((matching ? (found(matching) ?? []) : []).map(({ AvailabilityZone }) => AvailabilityZone)),
      every: false,
    };
  }
  if (isDrawn(facts)) return { zones: regularZones(facts), every: false };
  const placeable = subnets.filter(planned.bastion ? (subnet) => !isEdge(subnet) : isPlaceable);
  const fitting = placeable.filter((subnet) => mayHold(facts, subnet, spec));
  const zones = fitting.map((subnet) => zoneOf(facts, subnet));
  // The bastion runs in the first public subnet, whatever its zone.
  return planned.bastion
    ? { zones: distinct(isUnmanaged(facts) ? [] : zones.slice(0, 1)), every: true }
    : { zones: distinct(zones), every: planned.controlPlane };
};

/** The subnets in which they may run, with their blocks; undefined while these are unknown. */
export const blocksOf = (
  { failureDomain }: PlannedMachines,
  spec: AWSMachineSpec,
  facts: PreflightFacts,
): { block: string; zone: string }[] | undefined => {
  const { cloud, network } = facts;
  const subnets = network.subnets ?? [];
  const id = namedSubnetId(spec, subnets) ?? spec.subnet?.id;
  const filters = filtersOf(spec);
  const described = id
    ? [cloud?.subnets.get(id)].flatMap((one) => (one && found(one)) ?? [])
    : filters && found(cloud?.filtered.get(JSON.stringify(filters)) ?? { state: 'absent' as const });
  if (id || filters) return described?.map((one) => ({ block: one.CidrBlock, zone: one.AvailabilityZone }));
  if (isDrawn(facts)) return undefined;
  const fitting = subnets.filter((subnet) => isPlaceable(subnet) && mayHold(facts, subnet, spec));
  const blocks = fitting.map((subnet) => {
    const there = cloud?.subnets.get(resourceIdOf(subnet) ?? '');
    return { block: (there && found(there)?.CidrBlock) ?? subnet.cidrBlock ?? '', zone: zoneOf(facts, subnet) ?? '' };
  });
  if (blocks.length === 0 || blocks.some(({ block, zone }) => !block || !zone)) return undefined;
  return failureDomain ? blocks.filter(({ zone }) => zone === failureDomain) : blocks;
};

const regularZones = ({ cloud }: PreflightFacts): string[] =>
  distinct(
    ((cloud && found(cloud.zones)) ?? [])
      .filter(({ ZoneType }) => ZoneType === 'availability-zone')
      .map(({ ZoneName }) => ZoneName),
  );

/** Checks that a subnet exists, or will exist, for every machine. */
export const judgePlaces = (facts: PreflightFacts): Finding[] => {
  const infrastructure = found(facts.awsCluster);
  // Without the zones the future subnets are unknown.
  if (!infrastructure || !facts.network.subnets?.length || isDrawn(facts)) return [];
  const subnets = facts.network.subnets.filter(isPlaceable);
  return facts.machines.flatMap((planned) => {
    const spec = found(planned.spec);
    if (!spec || spec.subnet?.id || filtersOf(spec)) return [];
    const kind = spec.publicIP ? 'public' : 'private';
    const fitting = subnets.filter((subnet) => mayHold(facts, subnet, spec));
    if (fitting.length === 0) {
      const field = planned.bastion ? 'spec.bastion.enabled' : `${planned.at.path}.publicIP`;
      return [
        refused(
          `${nameOf(infrastructure)} spec.network.subnets: none is ${kind}, and ${planned.at.object} asks for one with ${field}: add a ${kind} subnet, or change that`,
        ),
      ];
    }
    const { failureDomain } = planned;
    const zones = fitting.map((subnet) => zoneOf(facts, subnet));
    if (!failureDomain || zones.includes(failureDomain) || zones.includes(undefined)) return [];
    const field = planned.versionField.replace(/version$/, 'failureDomain');
    return [
      refused(
        `${planned.by} ${field}: there is no ${isUnmanaged(facts) ? '' : `${kind} `}subnet in ${failureDomain}: choose one of ${distinct(zones).join(', ')}, or add a subnet to spec.network.subnets of ${nameOf(infrastructure)}`,
      ),
    ];
  });
};
