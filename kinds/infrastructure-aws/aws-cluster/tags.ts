/** Tags and names of what exists in AWS for a cluster. */
import { createHash } from 'node:crypto';
import { clusterUidAnnotation } from '../../core/contract/infrastructure.ts';
import type { Tag, TagSpecifications } from '../../ports/cloud.ts';

export const installationTag = 'capstan.dev/installation';
/** Also the annotation of the AWSCluster. */
export const clusterUidTag = clusterUidAnnotation;
/** Tells apart resources of one sort, such as the addresses of two NAT gateways. */
export const purposeTag = 'capstan.dev/purpose';
/** Annotation of an AWSCluster that was taken over: after whom its load balancers are named, as INSTALLATION/UID. */
export const namedAfterAnnotation = 'capstan.dev/named-after';

/** Whose a resource is. */
export interface Owner {
  installation: string;
  clusterUid: string;
  clusterName: string;
  additionalTags: Record<string, string>;
  /** After whom its load balancers are named, where that is another; a name proves nothing, tags do. */
  namedAfter?: { installation: string; clusterUid: string };
}

export const clusterTag = (clusterName: string): string =>
  `sigs.k8s.io/cluster-api-provider-aws/cluster/${clusterName}`;
export const cloudProviderTag = (clusterName: string): string => `kubernetes.io/cluster/${clusterName}`;
export const roleTag = 'sigs.k8s.io/cluster-api-provider-aws/role';

/** Of what a machine has: its namespace and name, with a slash in between. */
export const machineNameTag = 'MachineName';

/** What a resource must carry before anything destructive is done to it. */
export const evidence = ({ installation, clusterUid }: Owner): Record<string, string> => ({
  [installationTag]: installation,
  [clusterUidTag]: clusterUid,
});

/** Whether things are found, proven and used by it, so that it is not a user's to give or to take. What proves has no case for IAM. */
const isOurs = (key: string, clusterName: string): boolean =>
  [clusterTag(clusterName), cloudProviderTag(clusterName), roleTag, machineNameTag, 'Name'].includes(key) ||
  key.startsWith('kubernetes.io/role/') ||
  key.toLowerCase().startsWith('capstan.dev/');

/** Of what is asked for, what is a user's to ask for. */
export const additional = (wanted: Record<string, string>, clusterName: string): Record<string, string> =>
  Object.fromEntries(Object.entries(wanted).filter(([key]) => !isOurs(key, clusterName)));

export const tagsInWords = (tags: Record<string, string>): string =>
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
/** At most 64 characters, as client tokens may have. */
export const clientToken = (owner: Owner, key: string, since: number): string =>
  digest(64, owner.installation, owner.clusterUid, key, String(since));
