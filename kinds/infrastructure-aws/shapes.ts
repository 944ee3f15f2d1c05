/** Shapes that the AWS provider's kinds share. */

import { boolean, int64, list, object, oneOf, required, string, stringMap } from '../../machinery/api/schema.ts';
import { legacyConditions } from '../common/schema.ts';

export const tags = (description: string) => stringMap(description);

/** Cluster API v1beta1 conditions, which the AWS provider's kinds still carry. */
export const conditions = legacyConditions('What was last observed, one condition a concern.');

export const addresses = list(
  'Addresses under which the instance is reachable.',
  object('One address of the instance.', {
    address: required(string('The address itself.', { maxLength: 256, minLength: 1 })),
    type: required(
      oneOf('What kind of address it is.', ['Hostname', 'ExternalIP', 'InternalIP', 'ExternalDNS', 'InternalDNS']),
    ),
  }),
);

export const volume = (description: string) =>
  object(description, {
    deviceName: string('Device name under which the volume is attached; a root volume is where its image has it.'),
    encrypted: boolean('Whether the volume is encrypted; it is unless this says false and no key is named.'),
    encryptionKey: string('KMS key that encrypts the volume, as id, alias or ARN; absent means the account default.'),
    iops: int64('Provisioned operations a second, for the volume types that take them.'),
    size: required(int64('Size in GiB; never smaller than the image needs.', { minimum: 8 })),
    throughput: int64('Provisioned throughput in MiB a second, gp3 only.'),
    type: string('EBS volume type, such as gp3 or io2.'),
  });

export const instanceMetadataOptions = object('How the instance may reach its metadata service.', {
  httpEndpoint: oneOf('Whether the metadata service answers at all.', ['enabled', 'disabled'], { default: 'enabled' }),
  httpProtocolIpv6: oneOf('Whether the metadata service also answers over IPv6.', ['enabled', 'disabled'], {
    default: 'disabled',
  }),
  httpPutResponseHopLimit: int64('How many network hops a session token may travel.', {
    default: 1,
    maximum: 64,
    minimum: 1,
  }),
  httpTokens: oneOf('Whether requests must carry a session token (IMDSv2).', ['optional', 'required'], {
    default: 'optional',
  }),
  instanceMetadataTags: oneOf(
    'Whether the tags of the instance are readable from inside it.',
    ['enabled', 'disabled'],
    {
      default: 'disabled',
    },
  ),
});

export const cpuOptions = object(
  'Processor features of the instance.',
  {
    confidentialCompute: oneOf('Memory encryption technology to switch on.', [
      'Disabled',
      'AMDEncryptedVirtualizationNestedPaging',
    ]),
    nestedVirtualization: oneOf('Whether virtual machines may run inside the instance.', ['enabled', 'disabled']),
  },
  { minProperties: 1 },
);

export const dynamicHostAllocation = object('Asks for a dedicated host to be allocated for this machine alone.', {
  tags: tags('Tags of the allocated host.'),
});

export const privateDnsName = object('How the private DNS name of the instance is formed and resolved.', {
  enableResourceNameDnsAAAARecord: boolean('Whether the resource name resolves to the IPv6 address.'),
  enableResourceNameDnsARecord: boolean('Whether the resource name resolves to the IPv4 address.'),
  hostnameType: oneOf('Whether host names come from the address or from the instance id.', [
    'ip-name',
    'resource-name',
  ]),
});

export const image = object('The machine image; absent means looking one up by Kubernetes version.', {
  eksLookupType: oneOf('Which family of EKS-optimised images to look up, for machines of an EKS control plane.', [
    'AmazonLinux',
    'AmazonLinuxGPU',
    'AmazonLinux2023',
    'AmazonLinux2023GPU',
  ]),
  id: string('Id of the image.'),
});

export const ignition = object('How the bootstrap data reaches an Ignition machine.', {
  proxy: object('Proxy that Ignition uses to fetch its configuration.', {
    httpProxy: string('Proxy for HTTP, as a URL.'),
    httpsProxy: string('Proxy for HTTPS, as a URL.'),
    noProxy: list(
      'Hosts that are reached directly.',
      string('A host name, address or CIDR block.', { maxLength: 2048 }),
      {
        maxItems: 64,
      },
    ),
  }),
  storageType: oneOf(
    'Where the configuration is kept: the S3 bucket of the cluster, or the user data.',
    ['ClusterObjectStore', 'UnencryptedUserData'],
    { default: 'ClusterObjectStore' },
  ),
  tls: object('TLS settings for fetching the configuration.', {
    certificateAuthorities: list(
      'Authorities to trust besides the built-in ones.',
      string('URL of a PEM bundle.', { maxLength: 65536 }),
      { maxItems: 64 },
    ),
  }),
  version: oneOf('Version of the Ignition configuration format.', ['2.3', '3.0', '3.1', '3.2', '3.3', '3.4']),
});

export const spotMarketOptions = object('Asks for spot capacity.', {
  maxPrice: string('Highest hourly price to pay, in US dollars; absent means the on-demand price.'),
});

export const elasticIpPool = (description: string) =>
  object(description, {
    publicIpv4Pool: string('Id of a pool of public IPv4 addresses that the account brought to AWS.', { maxLength: 30 }),
    publicIpv4PoolFallbackOrder: oneOf(
      'What to do when that pool is empty: take from the pool of Amazon, or fail.',
      ['amazon-pool', 'none'],
      {
        'x-kubernetes-validations': [
          { rule: "self in ['none','amazon-pool']", message: "allowed values are 'none' and 'amazon-pool'" },
        ],
      },
    ),
  });

const hostAffinityValues = ['default', 'host'] as const;
export const hostAffinity = (extra: { default?: string } = {}) =>
  oneOf('Whether a stopped instance must start again on the same dedicated host.', hostAffinityValues, extra);
export const marketType = oneOf('How the capacity is bought.', ['OnDemand', 'Spot', 'CapacityBlock']);
export const placementGroupPartition = int64('Partition of the placement group to launch into.', {
  maximum: 7,
  minimum: 1,
});
export const capacityReservationId = string('Id of the capacity reservation to launch into.');
export const capacityReservationPreference = string(
  'Which capacity reservations may be used: None, CapacityReservationsOnly or Open.',
);

/** Names one AWS resource by id or by filters. */
export const resourceReference = (description: string) =>
  object(description, {
    filters: list(
      'Finds the resource when no id is given; all filters must match.',
      object('A filter as the EC2 describe calls take it.', {
        name: required(string('Name of the filter, such as tag:Name.')),
        values: required(list('Values of which one must match.', string('A value; wildcards as EC2 knows them.'))),
      }),
    ),
    id: string('Id of the resource.'),
  });
