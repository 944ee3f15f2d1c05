import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { AWSCluster } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { World } from '../../site.ts';
import { infrastructureOf } from '../relations.ts';
import type { Rule } from '../rule.ts';
import { owner, region } from '../tags.ts';

/** The key prefix of tags that users request and later drop. */
export const askedTag = 'example.com/asked-';
/** A tag that users request for a subnet, through its cluster or directly. */
export const placeTag = 'example.com/for';
/** A tag that a user adds in the account. */
export const handTag = 'example.com/by-hand';

type Tags = Record<string, string>;

const inOrder = (tags: Tags): string => JSON.stringify(Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1)));
/** The tags that users request. All other tags belong to Capstan. */
const ofUsers = (tags: Tags): Tags =>
  Object.fromEntries(Object.entries(tags).filter(([key]) => key.startsWith('example.com/')));
/** The tags that are requested now or were requested before. */
const requestedTags = (tags: Tags, should: Tags): string =>
  inOrder(
    Object.fromEntries(Object.entries(tags).filter(([key]) => key.startsWith(askedTag) || Object.hasOwn(should, key))),
  );

/** Boot data is short-lived, and keeps the tags of its creation. */
const isForOneBoot = /^(secret|parameter)$/;
/** The requested tags that never change during a run. */
const lasting = (tags: Tags): Tags =>
  Object.fromEntries(Object.entries(tags).filter(([key]) => !key.startsWith(askedTag) && key !== placeTag));

/** The first resource whose tags differ from the request; undefined when none does. */
export const wronglyTagged = async (
  { account, mirror }: World,
  { metadata, spec: wanted }: AWSCluster,
): Promise<string | undefined> => {
  const uid = metadata.ownerReferences?.find(({ kind }) => kind === 'Cluster')?.uid;
  if (!uid) return undefined;
  const { Volumes } = await account.call(region, 'DescribeVolumes', {});
  const hostOf = (id: string, name: string | undefined) => {
    const volume = Volumes.find(({ VolumeId }) => VolumeId === id);
    const instances = volume ? volume.Attachments.map(({ InstanceId }) => InstanceId) : [id];
    return mirror
      .all<AWSMachine>('AWSMachine')
      .find(
        (one) =>
          instances.includes(one.spec?.instanceID ?? '') || `${one.metadata.namespace}/${one.metadata.name}` === name,
      );
  };
  for (const { id, type, tags, state } of account.list()) {
    // Copies of disks have the tags of their time.
    if (tags[owner] !== uid || type === 'snapshot' || /terminat|delet|shutting/.test(state)) continue;
    const host = hostOf(id, tags.MachineName);
    // Resources without a machine are being deleted.
    if (tags.MachineName !== undefined && (!host || host.metadata.deletionTimestamp)) continue;
    const subnet = wanted?.network?.subnets?.find(({ resourceID }) => resourceID === id);
    const asked = ofUsers({ ...wanted?.additionalTags, ...host?.spec?.additionalTags, ...subnet?.tags });
    const isBrief = isForOneBoot.test(type);
    const should = isBrief ? lasting(asked) : asked;
    const carried = requestedTags(isBrief ? lasting(tags) : tags, should);
    if (carried !== inOrder(should)) return `${type} ${id} carries ${carried}, not ${inOrder(should)}`;
  }
  return undefined;
};

/** The keys that a call removes. */
const takenBy = (input: unknown): string[] => {
  const { Tags = [], TagKeys = [] } = input as { Tags?: { Key: string }[]; TagKeys?: string[] };
  return [...TagKeys, ...Tags.map(({ Key }) => Key)];
};

export const tags: Rule = ({ world, wanted }, broken) => {
  world.onAsked((call) => {
    if (call.port !== 'cloud' || !/^(DeleteTags|RemoveTags)$/.test(call.action)) return;
    const taken = takenBy(call.input);
    const own = taken.filter((key) => key !== handTag && key.startsWith('example.com/'));
    if (taken.length === 0 || own.length < taken.length)
      throw broken(`${call.action} removes tags that users never requested: ${taken.join(', ')}`);
  });
  return {
    atEnd: async () => {
      for (const { name } of wanted()) {
        const own = infrastructureOf(world.mirror, world.mirror.get<Cluster>('Cluster', 'default', name));
        const wrong = own && (await wronglyTagged(world, own));
        if (wrong) throw broken(wrong);
      }
    },
  };
};
