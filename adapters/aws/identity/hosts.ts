/** Hosts of presigned requests: the endpoints of STS and no others. */

export interface Partition {
  suffix: string;
  /** The suffix of dual-stack endpoints; absent if there are none. */
  dualStackSuffix?: string;
  regions: readonly string[];
  fipsRegions?: readonly string[];
}

const aws: Partition = {
  suffix: 'amazonaws.com',
  dualStackSuffix: 'api.aws',
  regions: [
    'af-south-1',
    'ap-east-1',
    'ap-east-2',
    'ap-northeast-1',
    'ap-northeast-2',
    'ap-northeast-3',
    'ap-south-1',
    'ap-south-2',
    'ap-southeast-1',
    'ap-southeast-2',
    'ap-southeast-3',
    'ap-southeast-4',
    'ap-southeast-5',
    'ap-southeast-6',
    'ap-southeast-7',
    'ca-central-1',
    'ca-west-1',
    'eu-central-1',
    'eu-central-2',
    'eu-north-1',
    'eu-south-1',
    'eu-south-2',
    'eu-west-1',
    'eu-west-2',
    'eu-west-3',
    'il-central-1',
    'me-central-1',
    'me-south-1',
    'mx-central-1',
    'sa-east-1',
    'us-east-1',
    'us-east-2',
    'us-west-1',
    'us-west-2',
  ],
  fipsRegions: ['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2'],
};

export const partitions: Readonly<Record<string, Partition>> = {
  aws,
  'aws-cn': { suffix: 'amazonaws.com.cn', regions: ['cn-north-1', 'cn-northwest-1'] },
  'aws-us-gov': { suffix: 'amazonaws.com', regions: ['us-gov-east-1', 'us-gov-west-1'] },
  'aws-eusc': { suffix: 'amazonaws.eu', regions: ['eusc-de-east-1'] },
  'aws-iso': { suffix: 'c2s.ic.gov', regions: ['us-iso-east-1', 'us-iso-west-1'] },
  'aws-iso-b': { suffix: 'sc2s.sgov.gov', regions: ['us-isob-east-1'] },
  'aws-iso-e': { suffix: 'cloud.adc-e.uk', regions: ['eu-isoe-west-1'] },
  'aws-iso-f': { suffix: 'csp.hci.ic.gov', regions: ['us-isof-east-1', 'us-isof-south-1'] },
};

/** The global endpoint, whose signatures use this region. */
const globalHost = 'sts.amazonaws.com';
const globalRegion = 'us-east-1';

const partitionOf = (region: string): [name: string, Partition] => {
  const found = Object.entries(partitions).find(([, { regions }]) => regions.includes(region));
  if (!found) throw new Error(`${region} is in no partition that is known`);
  return found;
};

/** The region's endpoint, for which callers sign. */
export const regionalStsHost = (region: string): string => `sts.${region}.${partitionOf(region)[1].suffix}`;

/** Each host and its signing region, in the partition of `region`. */
export const stsHosts = (region: string): ReadonlyMap<string, string> => {
  const [name, { suffix, dualStackSuffix, regions, fipsRegions = [] }] = partitionOf(region);
  return new Map([
    ...(name === 'aws' ? [[globalHost, globalRegion] as const] : []),
    ...regions.map((each) => [`sts.${each}.${suffix}`, each] as const),
    ...(dualStackSuffix ? regions.map((each) => [`sts.${each}.${dualStackSuffix}`, each] as const) : []),
    ...fipsRegions.map((each) => [`sts-fips.${each}.${suffix}`, each] as const),
  ]);
};
