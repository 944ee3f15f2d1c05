import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../machinery/api/object.ts';
import { typed } from './output.ts';
import { aCluster, anOperation, named, openServer } from './server.fixture.ts';
import { restoreSnapshot } from './snapshot-restore.ts';

let server: Awaited<ReturnType<typeof openServer>>;
beforeEach(async () => {
  server = await openServer();
});

const wasAvailable = { 'capstan.dev/was-available': 'true' };
const controlPlane = (spec: object = {}): KubeObject => ({
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  metadata: { namespace: 'default', name: 'c' },
  spec: {
    version: 'v1.35.2',
    machineTemplate: {
      spec: {
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachineTemplate', name: 't' },
      },
    },
    ...spec,
  },
});
const ready = [
  { type: 'Ready', status: 'True', reason: 'Complete', message: '', lastTransitionTime: '2026-11-27T05:00:00Z' },
];

const now = Date.parse('2026-11-27T06:00:00Z');
const read = (valid: boolean) => {
  const time = new Date(now).toISOString();
  return { request: time, time, valid, message: 'the file has 4096 bytes, not 4128' };
};

interface Given {
  annotations?: Record<string, string>;
  plane?: object;
  /** The status of the snapshot. */
  status?: object;
  operations?: KubeObject[];
  cluster?: string;
  snapshot?: string;
}

const prepare = async ({ annotations = wasAvailable, plane, status, operations = [] }: Given = {}) => {
  const reference = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'c' };
  await server.put(aCluster(annotations, { controlPlaneRef: reference }));
  const { uid } = (await server.get('Cluster', 'c')).metadata;
  await server.put(controlPlane(plane));
  await server.put({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name: 'one' },
    spec: { clusterName: 'c' },
    status: {
      phase: 'Succeeded',
      location: `installation/${uid}/2026-11-27T05:00:00Z-44-abc.db`,
      checksum: 'sha256:ab',
      revision: 44,
      completedAt: '2026-11-27T05:00:00Z',
      etcdVersion: '3.6.6',
      kubernetesVersion: 'v1.35.0',
      conditions: ready,
      verification: read(true),
      ...status,
    },
  });
  for (const operation of operations) await server.put(operation);
};

const restore = async (given: Given = {}) => {
  await prepare(given);
  const { cluster = 'c', snapshot = 'one' } = given;
  return restoreSnapshot(server.client, cluster, { snapshot, yes: true, timeout: 0.001 }, now);
};

describe('capstan snapshot restore', () => {
  it('begins an operation that belongs to the cluster', async () => {
    expect(await restore()).toMatch(/^clusteroperation\/c-restore-1 created\n/);
    const { metadata, spec } = await server.get('ClusterOperation', 'c-restore-1');
    expect(spec).toMatchObject({ clusterName: 'c', type: 'restore', snapshot: 'one', attempt: 1 });
    expect(metadata).toMatchObject({
      finalizers: ['capstan.dev/operation'],
      labels: { 'cluster.x-k8s.io/cluster-name': 'c' },
      ownerReferences: [{ kind: 'Cluster', name: 'c' }],
    });
  });

  it('finds the cluster of a snapshot that is named alone', async () => {
    await prepare({});
    expect(await restoreSnapshot(server.client, 'one', { yes: true }, now)).toMatch(
      /^clusteroperation\/c-restore-1 created/,
    );
    expect((await server.get('ClusterOperation', 'c-restore-1')).spec).toMatchObject({
      clusterName: 'c',
      snapshot: 'one',
    });
  });

  it('names the way into a new cluster when that of the snapshot is gone', async () => {
    await prepare({});
    await server.put({
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'EtcdSnapshot',
      metadata: { namespace: 'default', name: 'left' },
      spec: { clusterName: 'gone' },
    });
    await expect(restoreSnapshot(server.client, 'left', { yes: true })).rejects.toThrow(
      `"gone" not found in namespace default; to create a cluster that begins with etcdsnapshot left, run:  ${typed('snapshot restore left --into NEW -f FILE')}`,
    );
  });

  it('names that way to a client that creates the operation itself', async () => {
    const operation = {
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'ClusterOperation',
      metadata: { name: 'gone-restore-1' },
      spec: { clusterName: 'gone', type: 'restore', snapshot: 'left' },
    };
    const path = '/apis/capstan.dev/v1alpha1/namespaces/default/clusteroperations';
    await expect(server.client.json('POST', path, { body: JSON.stringify(operation) })).rejects.toThrow(
      /Cluster gone is not there; .* run: capstan snapshot restore left --into NEW -f FILE/,
    );
  });

  it('begins nothing with a file that is damaged', async () => {
    await expect(restore({ status: { verification: read(false) } })).rejects.toMatchObject({
      message: 'etcdsnapshot one cannot be restored: the file has 4096 bytes, not 4128',
      exitCode: 1,
    });
    expect(await server.get('ClusterOperation', 'c-restore-1')).toBeUndefined();
  });

  it('overrides findings for the operation that it begins', async () => {
    await prepare({});
    await restoreSnapshot(server.client, 'one', { override: 'DisksNotKept', yes: true }, now);
    expect((await server.get('Cluster', 'c')).metadata.annotations).toMatchObject({
      'capstan.dev/override-findings': 'c-restore-1:DisksNotKept',
    });
  });

  it.each([
    { code: 'Foo', says: 'no finding of a restore has the code Foo; it can be overridden by DisksNotKept' },
    { code: 'disksnotkept', says: 'no finding of a restore has the code disksnotkept: did you mean DisksNotKept?' },
  ])('refuses to override $code', async ({ code, says }) => {
    await prepare({});
    await expect(restoreSnapshot(server.client, 'one', { override: code, yes: true }, now)).rejects.toMatchObject({
      message: says,
      exitCode: 2,
    });
    expect(await server.get('ClusterOperation', 'c-restore-1')).toBeUndefined();
  });

  it('asks whether what cannot be copied may be lost', async () => {
    await prepare({});
    const asked = (override?: string) =>
      restoreSnapshot(server.client, 'one', { ...(override && { override }) }, now).catch(({ message }) => message);
    expect(await asked('DisksNotKept')).toContain('what is on the disk is lost for good');
    expect(await asked()).not.toContain('lost for good');
  });

  it('overrides nothing that the server refuses', async () => {
    await prepare({ status: { phase: 'Running' } });
    await expect(restoreSnapshot(server.client, 'one', { override: 'DisksNotKept', yes: true }, now)).rejects.toThrow();
    expect((await server.get('Cluster', 'c')).metadata.annotations).not.toHaveProperty('capstan.dev/override-findings');
  });

  it('says where to find the name of a snapshot', async () => {
    await prepare({});
    await expect(restoreSnapshot(server.client, 'c', { yes: true })).rejects.toThrow(
      `etcdsnapshots.capstan.dev "c" not found in namespace default; "${typed('snapshot list')}" shows what there is`,
    );
  });

  it('begins the next one after one that is held', async () => {
    const held = anOperation({ phase: 'Held', execution: 'one' }, { type: 'restore', snapshot: 'one' });
    expect(await restore({ annotations: { ...wasAvailable, ...named('c-restore-1') }, operations: [held] })).toContain(
      'c-restore-2',
    );
  });

  it('is refused where no workflow would run it', async () => {
    server = await openServer({ workflows: false });
    await expect(restore()).rejects.toThrow(
      'spec.type: Forbidden: a restore needs workflows, and this installation was started with --no-workflows',
    );
  });

  it('does nothing without the consent of its user', async () => {
    await prepare({});
    await expect(restoreSnapshot(server.client, 'c', { snapshot: 'one' }, now)).rejects.toThrow(/confirm with --yes/);
    expect(await server.get('ClusterOperation', 'c-restore-1')).toBeUndefined();
  });

  const running = anOperation({ phase: 'Running', execution: 'one' }, { type: 'upgrade' });
  it.each<{ rule: string; given: Given; says: string | RegExp }>([
    {
      rule: 'a cluster that is not there',
      given: { cluster: 'x' },
      says: 'clusters.cluster.x-k8s.io "x" not found in namespace default; to create a cluster that begins with',
    },
    { rule: 'a snapshot that is not there', given: { snapshot: 'x' }, says: 'spec.snapshot: Not found: "x"' },
    {
      rule: 'a snapshot that is not complete',
      given: { status: { phase: 'Running' } },
      says: 'EtcdSnapshot one is Running, and has no file',
    },
    {
      rule: 'a damaged snapshot',
      given: { status: { conditions: [{ ...ready[0], status: 'False', reason: 'Damaged', message: 'torn' }] } },
      says: 'EtcdSnapshot one is not Ready: torn',
    },
    {
      rule: 'a snapshot of another cluster of this name',
      given: { status: { location: 'installation/former/a.db' } },
      says: 'EtcdSnapshot one is of another cluster',
    },
    {
      rule: 'a snapshot of an older minor version',
      given: { status: { kubernetesVersion: 'v1.34.9' } },
      says: /is of Kubernetes v1\.34\.9, but KubeadmControlPlane c asks for v1\.35\.2: set its spec\.version to a patch of v1\.34 first/,
    },
    {
      rule: 'a snapshot of a newer minor version',
      given: { status: { kubernetesVersion: 'v1.36.0' } },
      says: 'a patch of v1.36',
    },
    {
      rule: 'another minor version of etcd',
      given: { plane: { kubeadmConfigSpec: { clusterConfiguration: { etcd: { local: { imageTag: '3.5.24-0' } } } } } },
      says: 'is of etcd 3.6.6, but the control plane asks for etcd 3.5.24-0',
    },
    {
      rule: 'an external etcd',
      given: {
        plane: {
          kubeadmConfigSpec: { clusterConfiguration: { etcd: { external: { endpoints: ['https://e:2379'] } } } },
        },
      },
      says: 'etcd is not managed by KubeadmControlPlane c',
    },
    { rule: 'a cluster that never was Available', given: { annotations: {} }, says: 'the Cluster was never Available' },
    {
      rule: 'while another operation runs',
      given: { annotations: { ...wasAvailable, ...named('c-upgrade-1') }, operations: [running] },
      says: /Operation cannot be fulfilled on clusteroperations.*ClusterOperation c-upgrade-1 of the cluster is not over/,
    },
    {
      rule: 'while another restore waits',
      given: { operations: [anOperation({}, { type: 'restore', snapshot: 'one' })] },
      says: 'ClusterOperation c-restore-1 of the cluster is not over',
    },
  ])('is refused for $rule', async ({ given, says }) => {
    await expect(restore(given)).rejects.toThrow(says);
    if (!given.operations) await expect(server.get('ClusterOperation', 'c-restore-1')).resolves.toBeUndefined();
  });

  it('is refused under another name', async () => {
    await prepare({});
    const answer = await server.client.request(
      'POST',
      '/apis/capstan.dev/v1alpha1/namespaces/default/clusteroperations',
      {
        body: JSON.stringify({
          apiVersion: 'capstan.dev/v1alpha1',
          kind: 'ClusterOperation',
          metadata: { name: 'mine' },
          spec: { clusterName: 'c', type: 'restore', snapshot: 'one' },
        }),
      },
    );
    expect(answer.code).toBe(422);
    expect(answer.body).toContain('the next restore of the cluster is c-restore-1');
  });
});
