/** Chooses the subnet of a machine. */

import { addressOf, contains, rangeOf } from '../../ipam/pool/ranges.ts';
import type { Subnet } from '../../ports/cloud/index.ts';
import type { Asking } from '../engine/ask.ts';
import { tagMap } from '../engine/tags.ts';
import { isSecondary, type SubnetSpec } from '../network/fill.ts';
import { isIpv6 } from '../network/ipv6.ts';
import { isPlaceable } from '../network/resources/nat-gateways.ts';
import { resourceIdOf } from '../network/resources/subnets.ts';
import { isWavelength } from '../network/wavelength.ts';
import type { AWSMachineSpec } from './schema.ts';

export interface Place {
  subnetId: string;
  zone: string;
  /** The addresses of the subnet. */
  block?: string;
  /** The subnet is in a Wavelength zone, with public addresses of the carrier. */
  carrier?: boolean;
  /** Its machines have an address of IPv6, too. */
  ipv6?: boolean;
}

export interface Choice {
  spec: AWSMachineSpec;
  /** The Machine's failure domain. */
  failureDomain: string | undefined;
  subnets: readonly SubnetSpec[];
  vpcId: string | undefined;
  /** The subnets that the machine selects by id or filters, as EC2 describes them. */
  named: readonly Subnet[];
  /** Subnets without capacity; tried again when no others are left. */
  exhausted: readonly string[];
  /** The fixed private address, which decides about the subnet. */
  address?: string | undefined;
}

const within = (address: string, block: string): boolean => {
  const [value, range] = [addressOf(address), rangeOf(block)];
  return value !== undefined && range !== undefined && contains([range], value);
};

type Wanted = Omit<Choice, 'failureDomain' | 'exhausted' | 'address'>;

/** The places in the order in which launches try them, or a message with why there is none. */
const placesOf = (choice: Wanted): Place[] | string =>
  choice.spec.subnet?.id || choice.spec.subnet?.filters ? namedPlaces(choice) : clusterPlaces(choice);

/** The zones in which machines without a failure domain start, in the order in which launches try them. */
export const zonesToTry = (choice: Wanted): string[] => {
  const places = placesOf(choice);
  return typeof places === 'string' ? [] : [...new Set(places.map(({ zone }) => zone))];
};

/** The place, or a message with why there is none. */
export const choosePlace = (choice: Choice): Place | string => {
  const { spec, failureDomain, exhausted, address } = choice;
  const places = placesOf(choice);
  if (typeof places === 'string') return places;
  const candidates = address === undefined ? places : places.filter(({ block }) => block && within(address, block));
  if (candidates.length === 0 && address !== undefined) return `no subnet for the machine contains ${address}`;
  const fitting = candidates.filter(({ zone }) => !failureDomain || zone === failureDomain);
  if (fitting.length === 0) {
    const where = failureDomain ? ` in availability zone ${failureDomain}` : '';
    if (address !== undefined) return `the subnet that contains ${address} is not${where}`;
    return `no ${spec.publicIP ? 'public' : 'private'} subnet is available${where}`;
  }
  return fitting.find(({ subnetId }) => !exhausted.includes(subnetId)) ?? fitting[0]!;
};

const clusterPlaces = ({ spec, subnets }: Pick<Choice, 'spec' | 'subnets'>): Place[] =>
  subnets
    // Edge zones take only machines that name their subnet.
    .filter(isPlaceable)
    .filter(({ isPublic }) => Boolean(isPublic) === Boolean(spec.publicIP))
    .flatMap((subnet) => {
      const subnetId = resourceIdOf(subnet);
      return subnetId && subnet.availabilityZone
        ? [
            {
              subnetId,
              zone: subnet.availabilityZone,
              ...(subnet.cidrBlock && { block: subnet.cidrBlock }),
              ...(isIpv6(subnet) && { ipv6: true }),
            },
          ]
        : [];
    });

const namedPlaces = ({ spec, subnets, named, vpcId }: Wanted): Place[] | string => {
  const isPublic = ({ SubnetId, MapPublicIpOnLaunch }: Subnet) =>
    subnets.find((one) => resourceIdOf(one) === SubnetId)?.isPublic ?? MapPublicIpOnLaunch;
  const what = spec.subnet?.id ?? JSON.stringify(spec.subnet?.filters);
  if (named.length === 0) return `subnet ${what} does not exist`;
  const forMachines = named.filter(({ Tags }) => !isSecondary({ tags: tagMap(Tags) }));
  if (forMachines.length === 0) return `subnet ${what} is for pods`;
  const usable = forMachines.filter((one) => !spec.publicIP || isPublic(one));
  if (usable.length === 0) return `subnet ${what} is private, and the machine wants a public address`;
  return [...usable]
    .sort((a, b) => Number(b.VpcId === vpcId) - Number(a.VpcId === vpcId))
    .map(({ SubnetId, AvailabilityZone, CidrBlock }) => {
      const known = subnets.find((one) => resourceIdOf(one) === SubnetId);
      return {
        subnetId: SubnetId,
        zone: AvailabilityZone,
        ...(CidrBlock && { block: CidrBlock }),
        ...(known && isWavelength(known) && { carrier: true }),
        ...(known && isIpv6(known) && { ipv6: true }),
      };
    });
};

/** Reads the subnets that a machine selects by id or filters. */
export const askNamedSubnets = (cloud: Asking, spec: AWSMachineSpec, subnets: readonly SubnetSpec[]): Subnet[] => {
  const id = namedSubnetId(spec, subnets);
  if (id) return cloud.ask('DescribeSubnets', { SubnetIds: [id] })?.Subnets ?? [];
  const filters = spec.subnet?.filters?.map(({ name, values }) => ({ Name: name, Values: values }));
  if (!filters?.length) return [];
  const input = { Filters: [...filters, { Name: 'state', Values: ['available'] }], MaxResults: 1000 };
  return cloud.all('DescribeSubnets', input, (page) => page.Subnets) ?? [];
};

/** The subnet's id, when the machine names a subnet of the cluster by its name in the spec. */
export const namedSubnetId = (spec: AWSMachineSpec, subnets: readonly SubnetSpec[]): string | undefined => {
  const id = spec.subnet?.id;
  if (!id) return undefined;
  const known = subnets.find((one) => one.id === id || one.resourceID === id);
  return known ? resourceIdOf(known) : id;
};
