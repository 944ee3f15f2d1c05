/** Tags and names of a cluster's AWS resources. */
import { createHash } from 'node:crypto';
import { clusterUidAnnotation } from '../../core/contract/infrastructure.ts';
import type { Tag, TagSpecifications } from '../../ports/cloud/index.ts';

export const installationTag = 'capstan.dev/installation';
/** Also the AWSCluster's annotation. */
export const clusterUidTag = clusterUidAnnotation;
/** Distinguishes resources of one type, such as the addresses of two NAT gateways. */
export const purposeTag = 'capstan.dev/purpose';
/**
 * Annotation of an AWSCluster that was taken over: the owner that its load balancers are named
 * after, as INSTALLATION/UID.
 */
export const namedAfterAnnotation = 'capstan.dev/named-after';

/** Who owns a resource. */
export interface Owner {
  installation: string;
  clusterUid: string;
  clusterName: string;
  additionalTags: Record<string, string>;
  /** The name by which programs in the cluster find what is theirs, if it is not the cluster's: that in EKS. */
  nameInCloud?: string;
  /**
   * The owner that the load balancers are named after, when it is another one; names prove nothing,
   * tags do.
   */
  namedAfter?: { installation: string; clusterUid: string };
}

export const clusterTag = (clusterName: string): string =>
  `sigs.k8s.io/cluster-api-provider-aws/cluster/${clusterName}`;
export const cloudProviderTag = (clusterName: string): string => `kubernetes.io/cluster/${clusterName}`;
export const roleTag = 'sigs.k8s.io/cluster-api-provider-aws/role';

type Named = Pick<Owner, 'clusterName' | 'nameInCloud'>;
export const nameInCloudOf = ({ nameInCloud, clusterName }: Named): string => nameInCloud ?? clusterName;
/** The cloud provider's tag for what belongs to an owner's cluster. */
export const cloudProviderTagOf = (owner: Named): string => cloudProviderTag(nameInCloudOf(owner));

/** Tag of a machine's resources: namespace/name. */
export const machineNameTag = 'MachineName';

/** Tags that a resource must carry before any destructive call. */
export const evidence = ({ installation, clusterUid }: Owner): Record<string, string> => ({
  [installationTag]: installation,
  [clusterUidTag]: clusterUid,
});

/**
 * Whether Capstan identifies resources by this tag, so that users may neither set nor remove it.
 * IAM ignores the case of tag keys.
 */
const isOurs = (key: string, clusterName: string): boolean =>
  [clusterTag(clusterName), cloudProviderTag(clusterName), roleTag, machineNameTag, 'Name'].includes(key) ||
  key.startsWith('kubernetes.io/role/') ||
  key.toLowerCase().startsWith('capstan.dev/');

/** The tags of `wanted` that a user may set. */
export const additional = (wanted: Record<string, string>, clusterName: string): Record<string, string> =>
  Object.fromEntries(Object.entries(wanted).filter(([key]) => !isOurs(key, clusterName)));

export const tagsText = (tags: Record<string, string>): string =>
  Object.entries(tags)
    .map(([key, value]) => `${key}=${value}`)
    .join(' and ');

export interface Description {
  name: string;
  role?: string;
  purpose?: string;
  more?: Record<string, string>;
}

export const tagsOf = (owner: Owner, { name, role, purpose, more }: Description): Record<string, string> => ({
  ...owner.additionalTags,
  ...more,
  Name: name,
  [clusterTag(owner.clusterName)]: 'owned',
  ...(role && { [roleTag]: role }),
  ...(purpose && { [purposeTag]: purpose }),
  ...evidence(owner),
});

export const tagList = (tags: Record<string, string>): Tag[] =>
  Object.entries(tags)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([Key, Value]) => ({ Key, Value }));
export const tagMap = (tags: readonly Tag[]): Record<string, string> =>
  Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]));
export const tagSpecifications = (type: string, tags: Record<string, string>): TagSpecifications => [
  { ResourceType: type, Tags: tagList(tags) },
];

export const carries = (tags: readonly Tag[], wanted: Record<string, string>): boolean => {
  const have = tagMap(tags);
  return Object.entries(wanted).every(([key, value]) => have[key] === value);
};
export const ownedFilter = (owner: Pick<Owner, 'installation' | 'clusterUid'>) => [
  { Name: `tag:${installationTag}`, Values: [owner.installation] },
  { Name: `tag:${clusterUidTag}`, Values: [owner.clusterUid] },
];

export const digest = (length: number, ...parts: string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, length);
/** At most 64 characters, the limit of client tokens. */
export const clientToken = (owner: Owner, key: string, since: number): string =>
  digest(64, owner.installation, owner.clusterUid, key, String(since));
