/** Reads a region by page: one call for a thousand machines of all clusters. */
import type { Cloud, CloudAction, CloudInput, CloudOutput, Filter } from '../../kinds/ports/cloud.ts';
import { emptySurvey, type Survey } from '../../kinds/ports/installation.ts';
import { all, listTagged } from './tagged.ts';

type Look<K extends keyof Survey> = (
  cloud: Cloud,
  region: string,
  Filters: Filter[],
  tags: Record<string, string>,
) => Promise<Survey[K]>;

/** EC2's maximum page size. */
const paged =
  <A extends CloudAction, T>(
    action: A,
    input: (filters: Filter[]) => CloudInput<A>,
    items: (page: CloudOutput<A>) => T[],
    MaxResults = 1000,
  ) =>
  (cloud: Cloud, region: string, filters: Filter[]): Promise<T[]> =>
    all<A, T>(
      (NextToken) => cloud.call(region, action, { ...input(filters), MaxResults, ...(NextToken && { NextToken }) }),
      items,
      'NextToken',
    );
const marked =
  <A extends 'DescribeLoadBalancers' | 'DescribeTargetGroups', T>(action: A, items: (page: CloudOutput<A>) => T[]) =>
  (cloud: Cloud, region: string): Promise<T[]> =>
    all<A, T>((Marker) => cloud.call(region, action, Marker ? { Marker } : {}), items, 'NextMarker');

const Filters = (filters: Filter[]) => ({ Filters: filters });

const looks: { [K in keyof Survey]: Look<K> } = {
  instances: paged('DescribeInstances', Filters, ({ Reservations }) =>
    Reservations.flatMap(({ Instances }) => Instances),
  ),
  securityGroups: paged('DescribeSecurityGroups', Filters, ({ SecurityGroups }) => SecurityGroups),
  loadBalancers: marked('DescribeLoadBalancers', ({ LoadBalancers }) => LoadBalancers),
  targetGroups: marked('DescribeTargetGroups', ({ TargetGroups }) => TargetGroups),
  vpcs: paged('DescribeVpcs', Filters, ({ Vpcs }) => Vpcs),
  subnets: paged('DescribeSubnets', Filters, ({ Subnets }) => Subnets),
  internetGateways: paged('DescribeInternetGateways', Filters, ({ InternetGateways }) => InternetGateways),
  carrierGateways: paged('DescribeCarrierGateways', Filters, ({ CarrierGateways }) => CarrierGateways),
  natGateways: paged(
    'DescribeNatGateways',
    (Filter) => ({ Filter }),
    ({ NatGateways }) => NatGateways,
  ),
  addresses: async (cloud, region, filters) =>
    (await cloud.call(region, 'DescribeAddresses', { Filters: filters })).Addresses,
  routeTables: paged('DescribeRouteTables', Filters, ({ RouteTables }) => RouteTables, 100),
  secrets: (cloud, region, _, tags) => listTagged(cloud, region, tags, ['secretsmanager:secret', 'ssm:parameter']),
};

/** Sequentially, because a sweep has time and leaves the region's request rates to controllers. */
export const surveyed = async (
  cloud: Cloud,
  region: string,
  tags: Record<string, string>,
  of: readonly (keyof Survey)[],
): Promise<Survey> => {
  const filters = Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
  const survey = { ...emptySurvey };
  const look = async <K extends keyof Survey>(what: K) => {
    survey[what] = await looks[what](cloud, region, filters, tags);
  };
  for (const what of of) await look(what);
  return survey;
};
