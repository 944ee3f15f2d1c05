/** A cluster's objects are all lost, and restored from a backup with other uids. */
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import { deleteForMove } from '../../../../kinds/core/cluster/protection.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import type { ScenarioContext } from '../context.ts';
import { isServing } from '../progress.ts';

const region = 'eu-central-1';
const minute = 60_000;
const clusterUid = 'capstan.dev/cluster-uid';

const clusterOf = ({ world, desired }: ScenarioContext) =>
  world.mirror.get<Cluster>('Cluster', 'default', desired.name);

/** Owners before dependents, starting with the Cluster. Capstan recreates its own records. */
const objectsOf = (context: ScenarioContext): KubeObject[] => {
  const cluster = clusterOf(context);
  if (!cluster) return [];
  const others = context.world.mirror
    .everything()
    .filter(({ kind, apiVersion = '' }) => kind !== 'Event' && !apiVersion.startsWith('capstan.dev/'));
  const found = new Set<KubeObject>([cluster]);
  // Dependents of dependents too.
  for (const { metadata } of found)
    for (const one of others) if (one.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid)) found.add(one);
  return [...found];
};

/** The stored objects without their status. */
const save = async (context: ScenarioContext): Promise<KubeObject[]> => {
  const saved: KubeObject[] = [];
  for (const { kind, metadata } of objectsOf(context)) {
    const { code, body } = await context.client.get(kind, metadata.name);
    const { status: _, ...object } = body;
    if (code === 200) saved.push(object);
  }
  return saved;
};

const lose = async ({ client }: ScenarioContext, objects: readonly KubeObject[]) => {
  for (const { kind, metadata } of objects.toReversed()) {
    // An object in deletion may lose its finalizers. By then the annotation must mark it as
    // moved.
    await client.patch(kind, metadata.name, { metadata: { annotations: { [deleteForMove]: '' } } });
    await client.patch(kind, metadata.name, { metadata: { finalizers: null } });
    await client.remove(kind, metadata.name);
    await client.patch(kind, metadata.name, { metadata: { finalizers: null } });
  }
};

const restore = async ({ client }: ScenarioContext, objects: readonly KubeObject[]) => {
  const uids = new Map<string, string>();
  for (const { metadata, ...object } of objects) {
    const { name, namespace, labels, annotations, uid, ownerReferences = [] } = metadata;
    const path = pathOf(object.kind, object.apiVersion);
    const answer = await client.request('POST', path, {
      ...object,
      metadata: {
        name,
        namespace,
        labels,
        annotations,
        ownerReferences: ownerReferences.map((owner) => ({ ...owner, uid: uids.get(owner.uid) ?? owner.uid })),
      },
    });
    // It may exist already, because the first answer was lost.
    const { body } = answer.code === 409 ? await client.get(object.kind, name) : answer;
    uids.set(uid ?? '', body.metadata?.uid ?? '');
  }
};

/** A user retags the resources in the account, and sometimes forgets a resource type at first. */
const giveTags = async ({ clock, draw, world: { account } }: ScenarioContext, former: string, uid: string) => {
  const Tags = [{ Key: clusterUid, Value: uid }];
  // The boot data is deleted with its machine.
  const left = (forgotten?: string) =>
    account
      .list()
      .filter(({ tags, state }) => tags[clusterUid] === former && state !== 'terminated')
      .filter(({ type }) => type !== 'secret' && type !== forgotten);
  const give = async (forgotten?: string) => {
    for (let all = left(forgotten); all.length > 0; all = left(forgotten)) {
      const { id } = draw.pick(all);
      const given = id.startsWith('arn:aws:elasticloadbalancing:')
        ? account.call(region, 'AddTags', { ResourceArns: [id], Tags })
        : account.call(region, 'CreateTags', { Resources: [id], Tags });
      // The resource may just have been deleted.
      await given.catch(() => sleep(clock, minute));
    }
  };
  const types = [...new Set(left().map(({ type }) => type))];
  if (types.length > 0 && draw.chance(0.7)) {
    await give(draw.pick(types));
    await sleep(clock, draw.spread(minute, 120 * minute));
  }
  await give();
};

const takeOver = async (context: ScenarioContext, former: string) => {
  const { client, clock, draw, world, desired } = context;
  const uid = clusterOf(context)?.metadata.uid ?? '';
  const annotations = { 'capstan.dev/named-after': `here/${former}` };
  const annotate = () => client.patch('AWSCluster', desired.name, { metadata: { annotations } });
  const isFirst = draw.chance(0.5);
  if (isFirst) await annotate();
  await giveTags(context, former, uid);
  if (!isFirst) await annotate();
  await sleep(clock, minute);
  const isHeld = ({ spec, status }: ClusterOperation) => spec?.clusterName === desired.name && status?.phase === 'Held';
  if (!world.mirror.all<ClusterOperation>('ClusterOperation').some(isHeld)) return;
  await client.patch('Cluster', desired.name, { metadata: { annotations: { 'capstan.dev/retry': 'taken over' } } });
};

export const restoreFromBackup = async (context: ScenarioContext) => {
  const { client, clock, draw, life, settled, desired, world } = context;
  await settled(90);
  const former = clusterOf(context)?.metadata.uid;
  if (!former || !life.desired || !isServing(context)) return;
  await client.patch('Cluster', desired.name, { spec: { paused: true } });
  await sleep(clock, draw.spread(5 * minute, 20 * minute));
  // A Machine in deletion would be restored without its deletion: an excess machine whose instance
  // cannot be terminated before its tags are updated.
  const isGoing = world.mirror.all<Machine>('Machine').some(({ metadata }) => metadata.deletionTimestamp);
  if (isGoing) return void (await client.patch('Cluster', desired.name, { spec: { paused: null } }));
  const objects = await save(context);
  await lose(context, objects);
  await sleep(clock, draw.spread(1000, 8 * 60 * minute));
  await restore(context, objects);
  await client.patch('Cluster', desired.name, { spec: { paused: null } });
  await sleep(clock, draw.spread(1000, 100 * minute));
  await takeOver(context, former);
  await settled(90);
  if (draw.chance(0.5)) return;
  life.desired = undefined;
  await client.remove('Cluster', desired.name);
};
