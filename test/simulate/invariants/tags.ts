/** Tags of resources, and how rules read them. */
export const region = 'eu-central-1';
/** The uid of the Cluster that a resource belongs to. */
export const owner = 'capstan.dev/cluster-uid';
/** The role of a subnet, a security group or an instance. */
export const role = 'sigs.k8s.io/cluster-api-provider-aws/role';
/** `secondary` marks a subnet for pods only. */
export const association = 'sigs.k8s.io/cluster-api-provider-aws/association';

/** Tags as AWS clients and the simulated account represent them. */
type Tags = readonly { Key?: string; Value?: string }[] | undefined;

export const tagOf = (tags: Tags, key: string): string | undefined => tags?.find(({ Key }) => Key === key)?.Value;

/** Of a launch: namespace/name and uid of its AWSMachine, or of the one that launches others with itself. */
export const machineIn = (tags: Tags): { machine: string | undefined; uid: string | undefined } => ({
  machine: tagOf(tags, 'MachineName') ?? tagOf(tags, 'capstan.dev/launched-by'),
  uid: tagOf(tags, 'capstan.dev/machine-uid') ?? tagOf(tags, 'capstan.dev/launched-by-uid'),
});

/** A canonical text, independent of the order. */
export const sorted = (texts: Iterable<string>): string => [...texts].sort().join(' ');
