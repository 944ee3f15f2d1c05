/** What resources of the account carry, and how it is read. */
export const region = 'eu-central-1';
/** The uid of the Cluster that something is of. */
export const owner = 'capstan.dev/cluster-uid';
/** What a subnet, a group or an instance is for. */
export const role = 'sigs.k8s.io/cluster-api-provider-aws/role';
/** Whether a subnet is for pods alone. */
export const association = 'sigs.k8s.io/cluster-api-provider-aws/association';

/** As clients and the account have them. */
type Tags = readonly { Key?: string; Value?: string }[] | undefined;

export const tagOf = (tags: Tags, key: string): string | undefined => tags?.find(({ Key }) => Key === key)?.Value;

/** As one text, whatever the order. */
export const sorted = (texts: Iterable<string>): string => [...texts].sort().join(' ');
