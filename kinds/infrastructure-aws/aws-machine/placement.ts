/** In which subnet a machine is launched. */

import type { Subnet } from '../../ports/cloud.ts';
import { isSecondary, type SubnetSpec } from '../aws-cluster/network/fill.ts';
import { isPlaceable } from '../aws-cluster/network/nat-gateways.ts';
import { resourceIdOf } from '../aws-cluster/network/subnets.ts';
import { isWavelength } from '../aws-cluster/network/wavelength.ts';
import { tagMap } from '../aws-cluster/tags.ts';
import type { AWSMachineSpec } from './schema.ts';

export interface Place {
  subnetId: string;
  zone: string;
  /** Public addresses there are the carrier's. */
  carrier?: boolean;
}

export interface Choice {
  spec: AWSMachineSpec;
  /** Where the Machine is meant to be. */
  failureDomain: string | undefined;
  subnets: readonly SubnetSpec[];
  vpcId: string | undefined;
  /** What EC2 knows of the subnets that the machine names by id or filters. */
  named: readonly Subnet[];
  /** Subnets that had no capacity; tried again when there are no others. */
  exhausted: readonly string[];
}

/** The place, or why there is none. */
export const choosePlace = (choice: Choice): Place | string => {
  const { spec, failureDomain, exhausted } = choice;
  const candidates = spec.subnet?.id || spec.subnet?.filters ? namedPlaces(choice) : clusterPlaces(choice);
  if (typeof candidates === 'string') return candidates;
  const fitting = candidates.filter(({ zone }) => !failureDomain || zone === failureDomain);
  if (fitting.length === 0) {
    const where = failureDomain ? ` in availability zone ${failureDomain}` : '';
    return `no ${spec.publicIP ? 'public' : 'private'} subnet is available${where}`;
  }
  return fitting.find(({ subnetId }) => !exhausted.includes(subnetId)) ?? fitting[0]!;
};

const clusterPlaces = ({ spec, subnets }: Choice): Place[] =>
  subnets
    // Edge zones take only machines that name their subnet.
    .filter(isPlaceable)
    .filter(({ isPublic }) => Boolean(isPublic) === Boolean(spec.publicIP))
    .flatMap((subnet) => {
      const subnetId = resourceIdOf(subnet);
      return subnetId && subnet.availabilityZone ? [{ subnetId, zone: subnet.availabilityZone }] : [];
    });

const namedPlaces = ({ spec, subnets, named, vpcId }: Choice): Place[] | string => {
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
    .map(({ SubnetId, AvailabilityZone }) => {
      const known = subnets.find((one) => resourceIdOf(one) === SubnetId);
      return { subnetId: SubnetId, zone: AvailabilityZone, ...(known && isWavelength(known) && { carrier: true }) };
    });
};

/** The id of the subnet that a machine names, where it names one of the cluster's by its name in the spec. */
export const namedSubnetId = (spec: AWSMachineSpec, subnets: readonly SubnetSpec[]): string | undefined => {
  const id = spec.subnet?.id;
  if (!id) return undefined;
  const known = subnets.find((one) => one.id === id || one.resourceID === id);
  return known ? resourceIdOf(known) : id;
};
