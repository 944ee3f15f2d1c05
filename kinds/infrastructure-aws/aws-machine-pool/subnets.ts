/** The subnets of a pool. Pure. */
import type { Subnet } from '../../ports/cloud/index.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import type { Asking } from '../engine/ask.ts';
import type { SubnetSpec } from '../network/fill.ts';
import { isIpv6 } from '../network/ipv6.ts';
import { isPlaceable } from '../network/resources/nat-gateways.ts';
import { resourceIdOf } from '../network/resources/subnets.ts';
import type { AWSMachinePoolSpec } from './schema.ts';

type Choice = Pick<AWSMachinePoolSpec, 'subnets' | 'availabilityZones' | 'availabilityZoneSubnetType'>;

/** What filters select, in the order of the spec. */
export const askFilteredSubnets = (cloud: Asking, { subnets = [] }: Choice): Subnet[][] =>
  subnets.map(({ id, filters }) => {
    if (id || !filters?.length) return [];
    const Filters = filters.map(({ name, values }) => ({ Name: name, Values: values }));
    return cloud.all('DescribeSubnets', { Filters, MaxResults: 1000 }, (page) => page.Subnets) ?? [];
  });

export interface Places {
  ids: string[];
  ipv6: boolean;
}

const isOfType = ({ isPublic }: SubnetSpec, type: Choice['availabilityZoneSubnetType']): boolean =>
  type === 'all' || Boolean(isPublic) === (type === 'public');

const named = ({ subnets = [] }: Choice, own: readonly SubnetSpec[], filtered: readonly Subnet[][]) =>
  subnets.flatMap(({ id, filters }, index): (string | { missing: string })[] => {
    if (id) {
      const known = own.find((one) => one.id === id || one.resourceID === id);
      return [known ? (resourceIdOf(known) ?? { missing: id }) : id];
    }
    const those = filtered[index] ?? [];
    return those.length > 0 ? those.map(({ SubnetId }) => SubnetId) : [{ missing: JSON.stringify(filters) }];
  });

/** `domains`: failure domains of the MachinePool, where the pool names no zones. A message if there is none. */
export const placesOf = (
  choice: Choice,
  { spec }: AWSCluster,
  domains: readonly string[],
  filtered: readonly Subnet[][],
): Places | string => {
  const own = spec?.network?.subnets ?? [];
  if (choice.subnets?.length) {
    const all = named(choice, own, filtered);
    const lost = all.find((one) => typeof one !== 'string');
    if (lost) return `no subnet matches ${(lost as { missing: string }).missing}`;
    const ids = [...new Set(all as string[])];
    const known = ids.map((id) => own.find((one) => resourceIdOf(one) === id));
    return { ids, ipv6: known.every((one) => one !== undefined && isIpv6(one)) };
  }
  const zones = choice.availabilityZones?.length ? choice.availabilityZones : domains;
  const type = choice.availabilityZoneSubnetType ?? 'private';
  const fitting = own.filter(
    (subnet) =>
      isPlaceable(subnet) &&
      isOfType(subnet, type) &&
      (zones.length === 0 || zones.includes(subnet.availabilityZone ?? '')),
  );
  const ids = fitting.flatMap((subnet) => resourceIdOf(subnet) ?? []);
  if (ids.length > 0) return { ids, ipv6: fitting.every(isIpv6) };
  const where = zones.length > 0 ? ` in ${zones.join(', ')}` : '';
  return `the cluster has no ${type === 'all' ? '' : `${type} `}subnet${where}: name others in spec.subnets, spec.availabilityZones or spec.availabilityZoneSubnetType`;
};
