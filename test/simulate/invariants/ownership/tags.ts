import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { AWSCluster } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { World } from '../../site.ts';
import { infrastructureOf } from '../relations.ts';
import type { Rule } from '../rule.ts';
import { owner, region } from '../tags.ts';

/** How keys begin that users of lives ask for, and ask for no longer. */
export const askedTag = 'example.com/asked-';
/** Asked for of a subnet, by its cluster or by itself. */
export const placeTag = 'example.com/for';
/** Put on by hand. */
export const handTag = 'example.com/by-hand';

type Tags = Record<string, string>;

const inOrder = (tags: Tags): string => JSON.stringify(Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1)));
/** What users of lives ask for besides says what things are for, and is not theirs to say. */
const ofUsers = (tags: Tags): Tags =>
  Object.fromEntries(Object.entries(tags).filter(([key]) => key.startsWith('example.com/')));
/** Of the tags of something, those that are asked for, and those that were. */
const told = (tags: Tags, should: Tags): string =>
  inOrder(
    Object.fromEntries(Object.entries(tags).filter(([key]) => key.startsWith(askedTag) || Object.hasOwn(should, key))),
  );

/** There for one boot, with what was asked for when it was made. */
const isForOneBoot = /^(secret|parameter)$/;
/** What no life asks for otherwise later. */
const lasting = (tags: Tags): Tags =>
  Object.fromEntries(Object.entries(tags).filter(([key]) => !key.startsWith(askedTag) && key !== placeTag));

/** What is not as it is asked for; undefined when everything is. */
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
    if (tags[owner] !== uid || /terminat|delet|shutting/.test(state)) continue;
    const host = hostOf(id, tags.MachineName);
    // What no machine speaks for any more goes.
    if (tags.MachineName !== undefined && (!host || host.metadata.deletionTimestamp)) continue;
    const subnet = wanted?.network?.subnets?.find(({ resourceID }) => resourceID === id);
    const asked = ofUsers({ ...wanted?.additionalTags, ...host?.spec?.additionalTags, ...subnet?.tags });
    const isBrief = isForOneBoot.test(type);
    const should = isBrief ? lasting(asked) : asked;
    const carried = told(isBrief ? lasting(tags) : tags, should);
    if (carried !== inOrder(should)) return `${type} ${id} carries ${carried}, and not ${inOrder(should)}`;
  }
  return undefined;
};

/** Keys that a call takes off. */
const takenBy = (input: unknown): string[] => {
  const { Tags = [], TagKeys = [] } = input as { Tags?: { Key: string }[]; TagKeys?: string[] };
  return [...TagKeys, ...Tags.map(({ Key }) => Key)];
};

export const tags: Rule = ({ world, wanted }, broken) => {
  world.onAsked((call) => {
    if (call.door !== 'cloud' || !/^(DeleteTags|RemoveTags)$/.test(call.action)) return;
    const taken = takenBy(call.input);
    const own = taken.filter((key) => key !== handTag && key.startsWith('example.com/'));
    if (taken.length === 0 || own.length < taken.length)
      throw broken(`${call.action} takes off what users never asked for: ${taken.join(', ')}`);
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
