/** An account that refuses to delete the file of an etcd snapshot, by a policy or a lock. */
import { afterEach, beforeAll, expect, it } from 'vitest';
import { translated } from '../../adapters/aws/service/error.ts';
import { explained } from './faults-to-explain.ts';
import { settledMoment } from './moments.ts';
import { eventsAbout } from './pools.fixture.ts';
import { cluster } from './upgrade.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const denied = Object.assign(new Error('Access Denied because object protected by object lock.'), {
  name: 'AccessDenied',
  $metadata: { httpStatusCode: 403 },
});
const snapshot = () => world.find('EtcdSnapshot', 'first');
const deleting = () => world.condition('EtcdSnapshot', 'first', 'Deleting');

/** Returns how to let the account delete files again, and how often it refused. */
const open = async () => {
  world = await createWorld({ from: quickstart, workflows: true });
  await world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name: 'first' },
    spec: { clusterName: cluster },
  });
  await world.until('taken', () => snapshot()?.status?.phase === 'Succeeded', 10);
  const { delete: remove } = world.files;
  const account = { isLocked: true, refusals: 0 };
  world.files.delete = async (key) => {
    if (!account.isLocked) return remove(key);
    account.refusals++;
    throw translated(denied, { action: 's3:DeleteObject', what: 'the bucket b' });
  };
  return account;
};

it('is named with its reason, in the object, an Event and the causes, until the account gives way', async () => {
  const account = await open();
  await world.remove('EtcdSnapshot', 'first');
  await world.pass(60);
  expect(deleting()).toMatchObject({ status: 'True', reason: 'NotDeleted' });
  expect(deleting()?.message).toMatch(
    /^The file \S+\.db is not deleted: the bucket b refused s3:DeleteObject, and no permission helps before the lock ends \(AccessDenied: .*object lock\); Capstan tries again/,
  );
  // One at first, then with growing pauses.
  expect(account.refusals).toBeGreaterThan(3);
  expect(account.refusals).toBeLessThan(30);
  expect(await eventsAbout(world, 'first')).toContain(`NotDeleted: ${deleting()?.message}`);
  expect(explained(world)[0]).toMatchObject({
    kind: 'EtcdSnapshot',
    name: 'first',
    level: 'fault',
    commands: [`kubectl patch etcdsnapshot first -n default --type merge -p '{"metadata":{"finalizers":null}}'`],
  });
  account.isLocked = false;
  await world.until('deleted', () => snapshot() === undefined, 20);
});

it('does not hold the deletion of the cluster, which names the snapshot', async () => {
  await open();
  await world.remove('Cluster', cluster);
  await world.until('gone', () => world.find('Cluster', cluster) === undefined, 60);
  await world.pass(20);
  expect(await eventsAbout(world, `${cluster}-delete-1`)).toContainEqual(
    expect.stringMatching(
      /^Succeeded: Nothing is left of the cluster but EtcdSnapshots, which are deleted with their files now: first; the condition Deleting of one that stays says why/,
    ),
  );
  expect(deleting()).toMatchObject({ status: 'True', reason: 'NotDeleted' });
});
