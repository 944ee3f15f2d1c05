/** Faults of snapshots, restores, authorities and of the installation itself, for `capstan why`. */
import { translated } from '../../adapters/aws/service/error.ts';
import { isSettled } from './checks.ts';
import type { Fault } from './faults-to-explain.ts';
import { settledMoment } from './moments.ts';
import { cluster, workers } from './upgrade.fixture.ts';
import { createWorld, type World } from './world.ts';

const opened = async (seed: number): Promise<World> =>
  createWorld({ from: await settledMoment('quickstart.yaml'), seed, workflows: true });

const ask = (world: World) =>
  world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name: 'before' },
    spec: { clusterName: cluster },
  });
const snapshotted = async (seed: number): Promise<World> => {
  const world = await opened(seed);
  await ask(world);
  await world.until('taken', () => world.find('EtcdSnapshot', 'before')?.status?.phase === 'Succeeded', 10);
  return world;
};

const refuse = (world: World, verb: 'put' | 'delete', action: string): void => {
  world.files[verb] = async () => {
    const denied = Object.assign(new Error('Access Denied'), {
      name: 'AccessDenied',
      $metadata: { httpStatusCode: 403 },
    });
    throw translated(denied, { action, what: 'the bucket b' });
  };
};

/** One byte of the file is another one. */
const damage = async ({ files, find }: World): Promise<void> => {
  const { location = '' } = find('EtcdSnapshot', 'before')?.status ?? {};
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await files.get(location))!) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  bytes[bytes.length >> 1]! ^= 1;
  await files.delete(location);
  const content = async function* () {
    yield bytes;
  };
  await files.put(location, content());
};

const restore = async (world: World): Promise<void> => {
  await world.request('POST', '/apis/capstan.dev/v1alpha1/namespaces/default/clusteroperations', {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ClusterOperation',
    metadata: { name: `${cluster}-restore-1` },
    spec: { clusterName: cluster, type: 'restore', snapshot: 'before' },
  });
};

export const faultsOfRecovery: Fault[] = [
  {
    fault: 'the account refuses to store a snapshot',
    draw: async () => {
      const world = await opened(31);
      refuse(world, 'put', 's3:PutObject');
      await ask(world);
      await world.pass(5);
      return world;
    },
    is: 'EtcdSnapshot before',
    says: /the bucket b refused s3:PutObject: allow it .*AccessDenied/,
  },
  {
    fault: 'the account refuses to delete a snapshot',
    isQuick: true,
    draw: async () => {
      const world = await snapshotted(32);
      refuse(world, 'delete', 's3:DeleteObject');
      await world.remove('EtcdSnapshot', 'before');
      await world.pass(5);
      return world;
    },
    is: 'EtcdSnapshot before',
    says: /is not deleted: the bucket b refused s3:DeleteObject/,
    offers: /^kubectl patch etcdsnapshot before -n default --type merge -p '\{"metadata":\{"finalizers":null\}\}'$/,
  },
  {
    fault: 'the file of a snapshot that is restored is damaged',
    draw: async () => {
      const world = await snapshotted(33);
      await damage(world);
      await restore(world);
      await world.until(
        'ended',
        () => world.find('ClusterOperation', `${cluster}-restore-1`)?.status?.phase === 'RolledBack',
        30,
      );
      return world;
    },
    is: '(EtcdSnapshot before|ClusterOperation quickstart-restore-1)',
    says: /hash|checksum|damaged|bytes|page/,
  },
  {
    fault: 'an authority of the cluster is damaged',
    draw: async () => {
      const world = await snapshotted(34);
      const rubbish = Buffer.from('rubbish').toString('base64');
      await world.patch('Secret', `${cluster}-ca`, { data: { 'tls.crt': rubbish } });
      await world.pass(5);
      return world;
    },
    is: 'KubeadmControlPlane quickstart-control-plane',
    says: /Secret quickstart-ca: tls\.crt is not a certificate/,
    offers:
      /^kubectl delete secret quickstart-ca -n default\nkubectl annotate etcdsnapshot before -n default --overwrite capstan\.dev\/restore-keys=/,
  },
  {
    fault: 'the objects are older than the account',
    draw: async () => {
      const early = await settledMoment('quickstart.yaml');
      const later = await opened(35);
      await later.scale('MachineDeployment', workers, 4);
      await later.until('scaled', () => isSettled(later), 30);
      await later.pass(5);
      const { account, now } = later.moment();
      later.end();
      const world = await createWorld({ from: { account, now, objects: early.objects }, seed: 36, workflows: true });
      await world.pass(2);
      return world;
    },
    is: 'Installation capstan',
    says: /is frozen \(ObjectsOlder\)/,
    offers: /^capstan thaw$/,
  },
];
