import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../../../machinery/api/object.ts';
import { cloudController, kubeconfig, openTestCluster } from '../../../../test/simulation/workload-cluster.ts';
import { type ClaimObject, conditionOf, isPodReady, type VolumeObject } from '../../objects.ts';

const withWorkers = async (zones: string[] = ['us-east-1a'], instance = {}) => {
  const cluster = openTestCluster();
  await cluster.init();
  await cluster.create(cloudController);
  for (const [index, zone] of zones.entries())
    cluster.join(`i-worker-${index}`, { externalCloud: true }, { zone, ...instance });
  await cluster.ready(zones.length + 1);
  const all = () => cluster.pods('default');
  return {
    ...cluster,
    remove: (object: JsonObject) => cluster.workload.effect('delete', { kubeconfig, ...object } as never),
    find: async (name: string) => (await all()).find(({ metadata }) => metadata.name === name),
    running: (...names: string[]) =>
      cluster.until(async () => {
        const pods = await all();
        return names.every((name) => pods.some((pod) => pod.metadata.name === name && isPodReady(pod)));
      }, 120),
    message: async (name: string) =>
      conditionOf(
        (await all()).find(({ metadata }) => metadata.name === name),
        'PodScheduled',
      )?.message,
    events: async (name: string) =>
      (await cluster.list<KubeObject & { involvedObject: { name: string }; reason: string }>('Event'))
        .filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ reason }) => reason),
  };
};

const pod = (name: string, spec: object = {}, cpu = '100m', labels = {}): JsonObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name, labels },
    spec: { containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu } } }], ...spec },
  }) as JsonObject;

const priorityClass = (name: string, value: number, more = {}): JsonObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  ...more,
});

describe('priority', () => {
  it('makes room for the more important pod, and says so at both', async () => {
    const cluster = await withWorkers();
    await cluster.create(priorityClass('batch', 10));
    await cluster.create(priorityClass('serving', 1000));
    await cluster.create(pod('slow', { priorityClassName: 'batch' }, '1500m'));
    await cluster.create(pod('kept', { priorityClassName: 'batch' }, '100m'));
    await cluster.running('slow', 'kept');
    await cluster.create(pod('urgent', { priorityClassName: 'serving' }, '1500m'));
    await cluster.clock.advance(1000);
    expect((await cluster.find('urgent'))?.status?.nominatedNodeName).toMatch(/./);
    expect(conditionOf(await cluster.find('slow'), 'DisruptionTarget')?.reason).toBe('PreemptionByScheduler');
    await cluster.running('urgent', 'kept');
    expect(await cluster.find('slow')).toBeUndefined();
    expect(await cluster.events('slow')).toContain('Preempted');
  });

  it.each([
    { what: 'a pod that may not preempt', urgent: { preemptionPolicy: 'Never', priorityClassName: 'serving' } },
    { what: 'a pod of the same priority', urgent: {} },
    { what: 'a pod that needs another node', urgent: { priorityClassName: 'serving', nodeSelector: { disk: 'ssd' } } },
  ])('evicts nothing for $what', async ({ urgent }) => {
    const cluster = await withWorkers();
    await cluster.create(priorityClass('serving', 1000));
    await cluster.create(pod('slow', {}, '1500m'));
    await cluster.running('slow');
    await cluster.create(pod('urgent', urgent, '1500m'));
    await cluster.clock.advance(10_000);
    expect((await cluster.find('slow'))?.metadata.deletionTimestamp).toBeUndefined();
    expect(await cluster.message('urgent')).toMatch(/^0\/2 nodes are available/);
    expect(await cluster.events('urgent')).toEqual(['FailedScheduling']);
  });

  it('is that of its class, of the default class, or 0; a class that is missing is refused', async () => {
    const cluster = await withWorkers();
    await cluster.create(pod('plain'));
    await cluster.create(priorityClass('usual', 7, { globalDefault: true }));
    await cluster.create(pod('default'));
    const priorities = async (name: string) => (await cluster.find(name))?.spec?.priority;
    expect([await priorities('plain'), await priorities('default')]).toEqual([0, 7]);
    await expect(cluster.create(pod('bad', { priorityClassName: 'nope' }))).rejects.toThrow(
      'pods "bad" is forbidden: no PriorityClass with name nope was found',
    );
    await expect(cluster.create(pod('odd', { priorityClassName: 'usual', priority: 8 }))).rejects.toThrow(
      'the integer value of priority (8) must not be provided',
    );
  });

  it('of a class that is missing is reported at the owner of the pods', async () => {
    const cluster = await withWorkers();
    await cluster.create({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { namespace: 'default', name: 'web' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { priorityClassName: 'nope', containers: [{ name: 'app', image: 'app:1' }] },
        },
      },
    });
    await cluster.clock.advance(60_000);
    expect(await cluster.events('web')).toEqual(['FailedCreate']);
    await cluster.create(priorityClass('nope', 1));
    await cluster.until(async () => (await cluster.pods('default')).some(isPodReady));
  });
});

describe('the scheduler', () => {
  const near = (app: string, kind: 'podAffinity' | 'podAntiAffinity') => ({
    affinity: {
      [kind]: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app } } },
        ],
      },
    },
  });
  const port = { containers: [{ name: 'app', image: 'app:1', ports: [{ containerPort: 80, hostPort: 8080 }] }] };

  it('keeps companions together, rivals apart in both directions, and host ports unique', async () => {
    const cluster = await withWorkers(['us-east-1a', 'us-east-1b']);
    const nodeOf = async (name: string) => (await cluster.find(name))?.spec?.nodeName;
    await cluster.create(pod('first', near('db', 'podAffinity'), '100m', { app: 'db' }));
    await cluster.running('first');
    await cluster.create(pod('second', near('db', 'podAffinity'), '100m', { app: 'db' }));
    await cluster.create(pod('rival', near('db', 'podAntiAffinity'), '100m', { app: 'rival' }));
    await cluster.running('second', 'rival');
    expect(await nodeOf('second')).toBe(await nodeOf('first'));
    expect(await nodeOf('rival')).not.toBe(await nodeOf('first'));
    await cluster.create(pod('hermit', { nodeName: undefined, nodeSelector: {} }, '100m', { app: 'db' }));
    await cluster.running('hermit');
    expect(await nodeOf('hermit'), 'what the rival avoids').toBe(await nodeOf('first'));
    await cluster.create(pod('lonely', near('nobody', 'podAffinity')));
    for (const name of ['p1', 'p2', 'p3']) await cluster.create(pod(name, port));
    await cluster.running('p1', 'p2');
    await cluster.clock.advance(1000);
    expect(await cluster.message('lonely')).toContain("2 node(s) didn't match pod affinity rules");
    expect(await cluster.message('p3')).toContain("2 node(s) didn't have free ports for the requested pod ports");
  });
});

describe('claims', () => {
  const claimed = (claimName: string) => ({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] });
  const claim = (name: string, spec = {}): JsonObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  });
  const storageClass = (volumeBindingMode: string, more = {}): JsonObject => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'ebs', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'ebs.csi.aws.com',
    volumeBindingMode,
    ...more,
  });
  const zonal = (name: string, zone: string, more = {}): JsonObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      csi: { driver: 'ebs.csi.aws.com', volumeHandle: `vol-${name}` },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }] },
          ],
        },
      },
      ...more,
    },
  });
  const driver = async ({ create }: Awaited<ReturnType<typeof withWorkers>>) => {
    await create({ apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'ebs.csi.aws.com' } });
    const container = { name: 'provisioner', image: 'registry.k8s.io/sig-storage/csi-provisioner:v5.0.0' };
    await create(pod('ebs-csi-controller', { containers: [container] }));
  };

  it('that are missing keep their pods waiting', async () => {
    const cluster = await withWorkers();
    await cluster.create(pod('db', claimed('data')));
    await cluster.clock.advance(1000);
    expect(await cluster.message('db')).toBe('0/2 nodes are available: persistentvolumeclaim "data" not found.');
    await cluster.create(claim('data'));
    await cluster.clock.advance(1000);
    expect(await cluster.message('db')).toContain('pod has unbound immediate PersistentVolumeClaims');
    expect(await cluster.events('data')).toEqual(['FailedBinding']);
    await cluster.create(zonal('one', 'us-east-1a'));
    await cluster.running('db');
  });

  it('that are bound to a volume of a zone keep their pods there', async () => {
    const cluster = await withWorkers(['us-east-1a', 'us-east-1b']);
    await cluster.create(zonal('one', 'us-east-1b', { claimRef: { namespace: 'default', name: 'data' } }));
    await cluster.create(zonal('far', 'us-east-1f', { claimRef: { namespace: 'default', name: 'far' } }));
    await cluster.create(claim('data'));
    await cluster.create(claim('far'));
    await cluster.create(pod('db', claimed('data')));
    await cluster.create(pod('nowhere', claimed('far')));
    await cluster.running('db');
    const nodes = await cluster.nodes();
    const { spec } = (await cluster.find('db'))!;
    const node = nodes.find(({ metadata }) => metadata.name === spec?.nodeName);
    expect(node?.metadata.labels?.['topology.kubernetes.io/zone']).toBe('us-east-1b');
    expect(await cluster.message('nowhere')).toContain("2 node(s) didn't match PersistentVolume's node affinity");
  });

  it('get a volume where their pod will run, from a driver that runs, and take it along when they go', async () => {
    const cluster = await withWorkers(['us-east-1a', 'us-east-1b']);
    await cluster.create(storageClass('WaitForFirstConsumer'));
    await cluster.create(claim('data'));
    await cluster.create(
      pod('db', { ...claimed('data'), nodeSelector: { 'topology.kubernetes.io/zone': 'us-east-1b' } }),
    );
    await cluster.clock.advance(10_000);
    expect((await cluster.find('db'))?.spec?.nodeName).toBeUndefined();
    expect(await cluster.events('data')).toEqual(['ExternalProvisioning']);
    await driver(cluster);
    await cluster.running('db');
    const [volume] = await cluster.list<VolumeObject>('PersistentVolume');
    expect(volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms?.[0]?.matchExpressions?.[0]?.values).toEqual([
      'us-east-1b',
    ]);
    const [bound] = await cluster.list<ClaimObject>('PersistentVolumeClaim', 'v1', 'default');
    expect(bound).toMatchObject({ spec: { volumeName: volume?.metadata.name }, status: { phase: 'Bound' } });
    const remove = { apiVersion: 'v1', namespace: 'default' };
    await cluster.remove({ ...remove, kind: 'Pod', name: 'db' });
    await cluster.remove({ ...remove, kind: 'PersistentVolumeClaim', name: 'data' });
    await cluster.until(async () => (await cluster.list('PersistentVolume')).length === 0);
  });

  it('wait where their class allows no zone that has nodes', async () => {
    const cluster = await withWorkers();
    const matchLabelExpressions = [{ key: 'topology.kubernetes.io/zone', values: ['us-east-1f'] }];
    await cluster.create(storageClass('WaitForFirstConsumer', { allowedTopologies: [{ matchLabelExpressions }] }));
    await cluster.create(claim('data'));
    await cluster.create(pod('db', claimed('data')));
    await cluster.clock.advance(1000);
    expect(await cluster.message('db')).toContain("didn't find available persistent volumes to bind");
  });
});

it('a cloud controller manager finds the host of a node by its private DNS name only', async () => {
  const cluster = await withWorkers([]);
  const kubeletExtraArgs = [{ name: 'cloud-provider', value: 'external' }];
  cluster.join('i-named', { document: { nodeRegistration: { name: 'worker-1', kubeletExtraArgs } } });
  cluster.join('i-usual', { externalCloud: true });
  const awaits = async () =>
    (await cluster.nodes())
      .filter(({ spec }) => spec?.taints?.some(({ key }) => key.endsWith('/uninitialized')))
      .map(({ metadata }) => metadata.name);
  await cluster.ready(3);
  await cluster.until(async () => (await awaits()).length === 1);
  await cluster.clock.advance(60_000);
  expect(await awaits()).toEqual(['worker-1']);
});

describe('the plugins of a node', () => {
  const plugin = (name: string, image: string): JsonObject =>
    ({
      ...cloudController,
      metadata: { namespace: 'kube-system', name },
      spec: {
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name, image }], tolerations: [{ operator: 'Exists' }] },
        },
      },
    }) as JsonObject;

  it('add its devices and the zone of its volumes once they run', async () => {
    const cluster = await withWorkers(['us-east-1a'], { gpus: 4 });
    const role = 'node-role.kubernetes.io/control-plane';
    const worker = async () => (await cluster.nodes()).find(({ metadata }) => metadata.labels?.[role] === undefined)!;
    const gpu = async () => (await worker()).status?.allocatable?.['nvidia.com/gpu'];
    expect(await gpu()).toBeUndefined();
    await cluster.create(plugin('nvidia-device-plugin', 'nvcr.io/nvidia/k8s-device-plugin:v0.18.0'));
    await cluster.create(plugin('ebs-csi-node', 'public.ecr.aws/ebs-csi-driver/aws-ebs-csi-driver:v1.50.0'));
    await cluster.until(async () => (await gpu()) === '4');
    await cluster.until(
      async () => (await worker()).metadata.labels?.['topology.ebs.csi.aws.com/zone'] === 'us-east-1a',
    );
    const remove = { apiVersion: 'apps/v1', namespace: 'kube-system', kind: 'DaemonSet' };
    await cluster.remove({ ...remove, name: 'nvidia-device-plugin' });
    await cluster.until(async () => (await gpu()) === '0');
    expect((await worker()).status?.capacity?.['nvidia.com/gpu']).toBe('4');
  });
});

it.each([
  'constructor',
  'toString',
])('a key that every object inherits, such as %s, is a label of no node', async (key) => {
  const cluster = await withWorkers();
  const app = { app: 'web' };
  const term = { topologyKey: key, labelSelector: { matchLabels: app } };
  const spread = { ...term, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' };
  const required = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  await cluster.create(pod('first', {}, '100m', app));
  await cluster.create(pod('avoiding', { affinity: { podAntiAffinity: required } }, '100m', app));
  await cluster.create(pod('spread', { topologySpreadConstraints: [spread] }, '100m', app));
  await cluster.create(pod('near', { affinity: { podAffinity: required } }, '100m', app));
  await cluster.create(pod('selecting', { nodeSelector: { [key]: 'x' } }));
  await cluster.running('first', 'avoiding');
  for (const name of ['spread', 'near', 'selecting'])
    expect((await cluster.find(name))?.spec?.nodeName, name).toBeUndefined();
});
