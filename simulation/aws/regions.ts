/** The simulated regions and zones. */
import type { AvailabilityZone, CloudActions } from '../../kinds/ports/cloud/index.ts';
import { invalidParameter, refuse } from './errors.ts';
import { matches } from './filters.ts';
import type { Handler } from './state.ts';

const zoneLetters: Record<string, string> = {
  'us-east-1': 'abcdef',
  'us-east-2': 'abc',
  'us-west-1': 'abc',
  'us-west-2': 'abcd',
  'ap-northeast-1': 'acd',
  'ap-northeast-2': 'abcd',
  'af-south-1': 'abc',
  'ap-east-1': 'abc',
  'ap-northeast-3': 'abc',
  'ap-south-1': 'abc',
  'ap-south-2': 'abc',
  'ap-southeast-1': 'abc',
  'ap-southeast-2': 'abc',
  'ap-southeast-3': 'abc',
  'ap-southeast-4': 'abc',
  'ap-southeast-5': 'abc',
  'ap-southeast-7': 'abc',
  'ca-central-1': 'abd',
  'ca-west-1': 'abc',
  'eu-central-1': 'abc',
  'eu-central-2': 'abc',
  'eu-north-1': 'abc',
  'eu-south-1': 'abc',
  'eu-south-2': 'abc',
  'eu-west-1': 'abc',
  'eu-west-2': 'abc',
  'eu-west-3': 'abc',
  'il-central-1': 'abc',
  'me-central-1': 'abc',
  'me-south-1': 'abc',
  'mx-central-1': 'abc',
  'sa-east-1': 'abc',
  'us-gov-east-1': 'abc',
  'us-gov-west-1': 'abc',
};

/** Regions introduced after 2019, which an account must enable. */
const optionalRegions = new Set([
  'af-south-1',
  'ap-east-1',
  'ap-south-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-south-1',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'mx-central-1',
]);

interface EdgeZone {
  name: string;
  type: 'local-zone' | 'wavelength-zone';
  parent: string;
}
/** Some of the existing edge zones; the account has opted in to them. */
const edgeZones: Record<string, EdgeZone[]> = {
  'us-east-1': [
    { name: 'us-east-1-bos-1a', type: 'local-zone', parent: 'us-east-1a' },
    { name: 'us-east-1-wl1-bos-wlz-1', type: 'wavelength-zone', parent: 'us-east-1b' },
  ],
  'us-west-2': [
    { name: 'us-west-2-lax-1a', type: 'local-zone', parent: 'us-west-2a' },
    { name: 'us-west-2-wl1-las-wlz-1', type: 'wavelength-zone', parent: 'us-west-2b' },
  ],
};
export const isWavelength = (region: string, zone: string): boolean =>
  (edgeZones[region] ?? []).some(({ name, type }) => name === zone && type === 'wavelength-zone');

export const regionNames = Object.keys(zoneLetters);

export const requireRegion = (region: string): void => {
  if (!Object.hasOwn(zoneLetters, region))
    refuse(
      'UnknownEndpoint',
      `Inaccessible host: 'ec2.${region}.amazonaws.com'. This service may not be available in the '${region}' region.`,
    );
};

export const zonesOf = (region: string): string[] => [...(zoneLetters[region] ?? '')].map((letter) => region + letter);

/** Availability zones and edge zones. */
export const allZonesOf = (region: string): string[] => [
  ...zonesOf(region),
  ...(edgeZones[region] ?? []).map(({ name }) => name),
];

/** In all regions. */
export const zoneNames: readonly string[] = regionNames.flatMap(allZonesOf);

export const partitionOf = (region: string): string => (region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws');

const directions: Record<string, string> = {
  northeast: 'ne',
  northwest: 'nw',
  southeast: 'se',
  southwest: 'sw',
  north: 'n',
  south: 's',
  east: 'e',
  west: 'w',
  central: 'c',
};
const shortName = (region: string): string =>
  region
    .split('-')
    .map((part) => directions[part] ?? (part === 'gov' ? 'g' : part))
    .join('');

/** The private DNS domain of a region; us-east-1 predates the scheme. */
export const privateDomain = (region: string): string =>
  region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`;
export const publicDomain = (region: string): string =>
  region === 'us-east-1' ? 'compute-1.amazonaws.com' : `${region}.compute.amazonaws.com`;

const zone = (region: string, ZoneName: string, index: number): AvailabilityZone => ({
  ZoneName,
  ZoneId: `${shortName(region)}-az${index + 1}`,
  ZoneType: 'availability-zone',
  State: 'available',
  RegionName: region,
});

const edgeZone = (region: string, { name, type, parent }: EdgeZone, index: number): AvailabilityZone => ({
  ...zone(region, name, zonesOf(region).length + index),
  ZoneType: type,
  ParentZoneName: parent,
});

const fields: Record<string, (zone: AvailabilityZone) => string[]> = {
  'zone-name': (zone) => [zone.ZoneName],
  'zone-id': (zone) => [zone.ZoneId],
  'zone-type': (zone) => [zone.ZoneType],
  'region-name': (zone) => [zone.RegionName],
  state: (zone) => [zone.State],
  'opt-in-status': () => ['opt-in-not-required'],
  'group-name': (zone) => [zone.RegionName],
};

const describeAvailabilityZones: Handler<'DescribeAvailabilityZones'> = ({ region }, { Filters, ZoneNames }) => {
  const zones = [
    ...zonesOf(region).map((name, index) => zone(region, name, index)),
    ...(edgeZones[region] ?? []).map((edge, index) => edgeZone(region, edge, index)),
  ];
  for (const name of ZoneNames ?? [])
    if (!zones.some(({ ZoneName }) => ZoneName === name)) invalidParameter(`Invalid availability zone: [${name}]`);
  return {
    AvailabilityZones: zones.filter(
      (candidate) => (!ZoneNames || ZoneNames.includes(candidate.ZoneName)) && matches(candidate, Filters, fields),
    ),
  };
};

/** Regions of the caller's partition; the account has enabled all of them. */
const describeRegions: Handler<'DescribeRegions'> = ({ region }, { RegionNames }) => {
  const known = regionNames.filter((name) => partitionOf(name) === partitionOf(region));
  const unknown = (RegionNames ?? []).filter((name) => !known.includes(name));
  if (unknown.length > 0) invalidParameter(`Invalid region names provided: ${unknown.join(', ')}`);
  return {
    Regions: (RegionNames ?? known).map((RegionName) => ({
      RegionName,
      OptInStatus: optionalRegions.has(RegionName) ? 'opted-in' : 'opt-in-not-required',
    })),
  };
};

export const regionActions = {
  DescribeRegions: describeRegions,
  DescribeAvailabilityZones: describeAvailabilityZones,
} satisfies {
  [A in keyof CloudActions]?: Handler<A>;
};
