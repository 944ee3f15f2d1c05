import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../machinery/api/object.ts';
import { kubeconfig, openTestCluster } from '../../../test/simulation/workload-cluster.ts';
import {
  conditionOf,
  type DeploymentObject,
  isPodReady,
  type NodeObject,
  type PodObject,
  type ReplicaSetObject,
} from '../objects.ts';

const template = (app: string, image = 'app:1', spec: object = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'app', image }], ...spec },
});
const workload = (kind: string, name: string, spec: object, pod: object = template(name), apiVersion = 'apps/v1') =>
  ({
    apiVersion,
    kind,
    metadata: { namespace: 'default', name },
    spec: { selector: { matchLabels: { app: name } }, template: pod, ...spec },
  }) as JsonObject;

const withWorkers = async (count = 2) => {
  const cluster = openTestCluster();
  await cluster.init();
  const workers = Array.from({ length: count }, (_, index) => cluster.join(`i-worker-${index}`));
  await cluster.ready(count + 1);
  const mine = async () => (await cluster.pods('default')).filter((pod) => !pod.metadata.deletionTimestamp);
  const running = (number: number) =>
    cluster.until(async () => (await mine()).length === number && (await mine()).every(isPodReady), 120);
  return { ...cluster, bench: cluster.bench, workload: cluster.workload, workers, mine, running };
};

describe('a Deployment', () => {
  it('rolls out a new template within its bounds, and back', async () => {
    const cluster = await withWorkers();
    await cluster.create(
      workload('Deployment', 'web', { replicas: 4, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }),
    );
    await cluster.running(4);
    const deployment = async () => (await cluster.list<DeploymentObject>('Deployment', 'apps/v1', 'default'))[0]!;
    await cluster.patch(
      'Deployment',
      'apps/v1',
      'web',
      { spec: { template: template('web', 'app:2') } } as unknown as JsonObject,
      'default',
    );
    for (let second = 0; second < 60; second++) {
      await cluster.clock.advance(1000);
      const pods = await cluster.mine();
      expect(pods.length).toBeLessThanOrEqual(5);
      expect(pods.filter(isPodReady).length).toBeGreaterThanOrEqual(3);
    }
    expect((await cluster.mine()).map((pod) => pod.spec?.containers?.[0]?.image)).toEqual(Array(4).fill('app:2'));
    expect((await deployment()).status).toMatchObject({
      observedGeneration: 2,
      replicas: 4,
      updatedReplicas: 4,
      availableReplicas: 4,
    });
    const sets = await cluster.list<ReplicaSetObject>('ReplicaSet', 'apps/v1', 'default');
    expect(sets.map(({ spec }) => spec?.replicas).sort()).toEqual([0, 4]);
    await cluster.patch(
      'Deployment',
      'apps/v1',
      'web',
      { spec: { template: template('web', 'app:1') } } as unknown as JsonObject,
      'default',
    );
    await cluster.until(async () =>
      (await cluster.mine()).every((pod) => pod.spec?.containers?.[0]?.image === 'app:1'),
    );
    expect(await cluster.list('ReplicaSet', 'apps/v1', 'default')).toHaveLength(2);
    expect((await deployment()).metadata.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '3' });
  });

  it('deletes its pods with it, and replaces a deleted pod', async () => {
    const cluster = await withWorkers();
    await cluster.create(workload('Deployment', 'web', { replicas: 2 }));
    await cluster.running(2);
    const [first] = await cluster.mine();
    await cluster.workload.effect('delete', {
      kubeconfig,
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'default',
      name: first!.metadata.name,
    });
    await cluster.clock.advance(10_000);
    await cluster.running(2);
    expect((await cluster.mine()).map(({ metadata }) => metadata.uid)).not.toContain(first!.metadata.uid);
    await cluster.workload.effect('delete', {
      kubeconfig,
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'default',
      name: 'web',
    });
    await cluster.until(async () => (await cluster.pods('default')).length === 0);
    expect(await cluster.list('ReplicaSet', 'apps/v1', 'default')).toEqual([]);
  });

  it('waits for a node that its pods tolerate, and reports why', async () => {
    const cluster = await withWorkers(1);
    await cluster.create(
      workload('Deployment', 'web', {}, template('web', 'app:1', { nodeSelector: { disk: 'ssd' } })),
    );
    await cluster.clock.advance(5000);
    const [pod] = await cluster.mine();
    expect(conditionOf(pod, 'PodScheduled')).toMatchObject({ status: 'False', reason: 'Unschedulable' });
    expect(conditionOf(pod, 'PodScheduled')?.message).toBe(
      "0/2 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 1 node(s) didn't match Pod's node affinity/selector.",
    );
    await cluster.patch('Node', 'v1', cluster.workers[0]!, { metadata: { labels: { disk: 'ssd' } } } as JsonObject);
    await cluster.running(1);
  });
});

describe('a DaemonSet', () => {
  it('runs on the nodes it tolerates, including new ones, and updates node by node', async () => {
    const cluster = await withWorkers(2);
    await cluster.create(workload('DaemonSet', 'agent', {}));
    await cluster.running(2);
    cluster.join('i-worker-9');
    await cluster.running(3);
    const nodes = (await cluster.mine()).map((pod) => pod.spec?.nodeName);
    expect(new Set(nodes).size).toBe(3);
    await cluster.patch(
      'DaemonSet',
      'apps/v1',
      'agent',
      { spec: { template: template('agent', 'app:2') } } as unknown as JsonObject,
      'default',
    );
    for (let second = 0; second < 40; second++) {
      await cluster.clock.advance(1000);
      expect((await cluster.mine()).filter(isPodReady).length).toBeGreaterThanOrEqual(2);
    }
    expect((await cluster.mine()).map((pod) => pod.spec?.containers?.[0]?.image)).toEqual(Array(3).fill('app:2'));
  });

  it('keeps its pods on a cordoned node', async () => {
    const cluster = await withWorkers(1);
    await cluster.create(workload('DaemonSet', 'agent', {}));
    await cluster.running(1);
    await cluster.patch('Node', 'v1', cluster.workers[0]!, { spec: { unschedulable: true } });
    await cluster.clock.advance(30_000);
    expect(await cluster.mine()).toHaveLength(1);
  });
});

describe('a StatefulSet', () => {
  it('starts its pods in order, each with its claims, and deletes them from the last', async () => {
    const cluster = await withWorkers(1);
    const claims = { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }] };
    for (const name of ['one', 'two', 'three'])
      await cluster.create({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name },
        spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: `/mnt/${name}` } },
      });
    await cluster.create(workload('StatefulSet', 'db', { replicas: 3, serviceName: 'db', ...claims }));
    const most = { seen: 0 };
    await cluster.until(async () => {
      const pods = await cluster.mine();
      most.seen = Math.max(most.seen, pods.filter((pod) => !isPodReady(pod)).length);
      return pods.filter(isPodReady).length === 3;
    });
    expect(most.seen).toBe(1);
    expect((await cluster.list('PersistentVolumeClaim', 'v1', 'default')).map(({ metadata }) => metadata.name)).toEqual(
      ['data-db-0', 'data-db-1', 'data-db-2'],
    );
    await cluster.patch('StatefulSet', 'apps/v1', 'db', { spec: { replicas: 1 } }, 'default');
    await cluster.until(async () => (await cluster.pods('default')).length === 1);
    expect((await cluster.mine())[0]?.metadata.name).toBe('db-0');
  });
});

describe('a Job', () => {
  it('runs to completion and is deleted after its TTL', async () => {
    const cluster = await withWorkers(1);
    const job = workload(
      'Job',
      'once',
      { completions: 2, ttlSecondsAfterFinished: 60 },
      template('once', 'app:1', { restartPolicy: 'Never' }),
      'batch/v1',
    );
    delete (job.spec as JsonObject).selector;
    await cluster.create(job);
    const status = async () => (await cluster.list('Job', 'batch/v1', 'default'))[0]?.status as JsonObject | undefined;
    await cluster.until(async () => (await status())?.succeeded === 2);
    expect((await status())?.conditions).toContainEqual(expect.objectContaining({ type: 'Complete', status: 'True' }));
    await cluster.clock.advance(70_000);
    expect(await cluster.list('Job', 'batch/v1', 'default')).toEqual([]);
    await cluster.until(async () => (await cluster.pods('default')).length === 0);
  });
});

describe('a Job bound to a node', () => {
  const bound = (node: string) => {
    const job = workload('Job', 'once', {}, template('once', 'app:1', { nodeName: node }), 'batch/v1');
    delete (job.spec as JsonObject).selector;
    return job;
  };
  const podsIn = async (cluster: Awaited<ReturnType<typeof withWorkers>>, seconds: number) => {
    const seen = new Set<string | undefined>();
    for (let second = 0; second < seconds; second++) {
      await cluster.clock.advance(1000);
      for (const { metadata } of await cluster.pods('default')) seen.add(metadata.uid);
    }
    return seen.size;
  };

  it('has its pods garbage collected when that node is gone', async () => {
    const cluster = await withWorkers(1);
    await cluster.create(bound('gone'));
    const pods = await podsIn(cluster, 60);
    expect(pods).toBeGreaterThan(1);
    expect(pods).toBeLessThanOrEqual(4);
  });

  it('does not keep its cluster busy when no pod may run on that node', async () => {
    const cluster = await withWorkers(1);
    const [node] = await cluster.list<NodeObject>('Node', 'v1');
    const taints = [{ key: 'evicted', effect: 'NoExecute' }];
    await cluster.patch('Node', 'v1', node!.metadata.name, { spec: { taints } } as unknown as JsonObject);
    await cluster.create(bound(node!.metadata.name));
    await cluster.clock.advance(30_000);
    const pods = (await cluster.pods('default')).length;
    expect(pods).toBeGreaterThan(0);
    expect(pods).toBeLessThan(250);
  });
});

describe('a pod with a finalizer', () => {
  it('loses its containers once evicted, and disappears with its finalizer', async () => {
    const cluster = await withWorkers(1);
    const held = {
      ...template('held', 'app:1'),
      metadata: { labels: { app: 'held' }, finalizers: ['example.com/hold'] },
    };
    await cluster.create(workload('Deployment', 'held', { replicas: 1 }, held));
    await cluster.running(1);
    const [pod] = await cluster.mine();
    const { name, uid } = pod!.metadata;
    await cluster.workload.effect('evict', { kubeconfig, namespace: 'default', pod: name });
    const evicted = async () => (await cluster.pods('default')).find(({ metadata }) => metadata.uid === uid);
    await cluster.until(async () => (await evicted())?.status?.phase === 'Succeeded');
    expect(isPodReady((await evicted())!)).toBe(false);
    expect((await evicted())?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }),
    );
    await cluster.patch('Pod', 'v1', name, { metadata: { finalizers: null } } as unknown as JsonObject, 'default');
    await cluster.until(async () => (await evicted()) === undefined);
  });
});

describe('an eviction', () => {
  const guarded = async (minAvailable: number) => {
    const cluster = await withWorkers(2);
    await cluster.create(workload('Deployment', 'web', { replicas: 3 }));
    await cluster.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { namespace: 'default', name: 'web' },
      spec: { minAvailable, selector: { matchLabels: { app: 'web' } } },
    });
    await cluster.running(3);
    const evict = ({ metadata }: PodObject) =>
      cluster.workload.effect('evict', { kubeconfig, namespace: 'default', pod: metadata.name });
    return { cluster, evict };
  };

  it('is refused while a disruption budget needs the pod', async () => {
    const { cluster, evict } = await guarded(3);
    const [pod] = await cluster.mine();
    await expect(evict(pod!)).rejects.toMatchObject({
      name: 'WorkloadError',
      code: 'TooManyRequests',
      message:
        "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget web needs 3 healthy pods and has 3 currently",
      consequence: 'wait',
    });
    expect(await cluster.mine()).toHaveLength(3);
  });

  it('takes one pod at a time when the budget allows one, and the pod restarts elsewhere', async () => {
    const { cluster, evict } = await guarded(2);
    const [first, second] = await cluster.mine();
    const results = await Promise.allSettled([evict(first!), evict(second!)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await cluster.clock.advance(20_000);
    await cluster.running(3);
    await expect(evict(second!)).resolves.toBeUndefined();
  });

  it('of a missing pod succeeds', async () => {
    const { evict } = await guarded(0);
    await expect(evict({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'nobody' } })).resolves.toBeUndefined();
  });
});

describe('a Namespace', () => {
  it('is emptied before it disappears, custom resources included', async () => {
    const cluster = await withWorkers(1);
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
    await cluster.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    });
    await cluster.create({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { namespace: 'demo', name: 'one' },
      spec: { size: 3 },
    });
    await cluster.create({ ...workload('Deployment', 'web', {}), metadata: { namespace: 'demo', name: 'web' } });
    await cluster.until(async () => (await cluster.pods('demo')).some(isPodReady));
    expect(await cluster.list('Widget', 'example.com/v1', 'demo')).toMatchObject([{ spec: { size: 3 } }]);
    await cluster.workload.effect('delete', { kubeconfig, apiVersion: 'v1', kind: 'Namespace', name: 'demo' });
    await cluster.until(async () =>
      (await cluster.list('Namespace')).every(({ metadata }) => metadata.name !== 'demo'),
    );
    expect(await cluster.list('Widget', 'example.com/v1')).toEqual([]);
    await cluster.workload.effect('delete', {
      kubeconfig,
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'widgets.example.com',
    });
    await expect(
      cluster.workload.read('list', { kubeconfig, apiVersion: 'example.com/v1', kind: 'Widget' }),
    ).resolves.toBeUndefined();
  });
});

describe('a degraded machine', () => {
  const nodeOf = async (cluster: Awaited<ReturnType<typeof withWorkers>>, index: number) =>
    (await cluster.list<NodeObject>('Node')).find(({ status }) =>
      status?.nodeInfo?.machineID?.startsWith(`worker-${index}`),
    );

  it('has a not-ready node until it recovers', async () => {
    const cluster = await withWorkers(1);
    cluster.bench.guests.ail('i-worker-0', 'NotReady');
    await cluster.until(async () => conditionOf(await nodeOf(cluster, 0), 'Ready')?.status === 'False');
    cluster.bench.guests.ail('i-worker-0', undefined);
    await cluster.until(async () => conditionOf(await nodeOf(cluster, 0), 'Ready')?.status === 'True');
  });

  it('has ready pods again when it recovers', async () => {
    const cluster = await withWorkers(1);
    await cluster.create(workload('Deployment', 'web', { replicas: 1 }));
    await cluster.running(1);
    const { instance } = cluster.bench.guests.guests().find((guest) => guest.instance.instanceId === 'i-worker-0')!;
    cluster.bench.guests.halt('i-worker-0');
    await cluster.until(async () => !(await cluster.pods('default')).some(isPodReady), 120);
    cluster.bench.guests.boot(instance);
    await cluster.running(1);
  });

  it('starts no pod while its kubelet hangs, although its node reports ready', async () => {
    const cluster = await withWorkers(1);
    cluster.bench.guests.ail('i-worker-0', 'Stuck');
    await cluster.create(workload('Deployment', 'web', { replicas: 1 }));
    await cluster.clock.advance(60_000);
    expect((await cluster.mine()).filter(isPodReady)).toEqual([]);
    expect(conditionOf(await nodeOf(cluster, 0), 'Ready')?.status).toBe('True');
    cluster.bench.guests.ail('i-worker-0', undefined);
    await cluster.running(1);
  });
});

describe('the scheduler', () => {
  const sized = (cpu: string, memory = '256Mi') =>
    template('web', 'app:1', {
      containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu, memory } } }],
    });
  const withPods = async (replicas: number, pod: object) => {
    const cluster = await withWorkers();
    await cluster.create(workload('Deployment', 'web', { replicas }, pod));
    await cluster.clock.advance(60_000);
    const pods = await cluster.mine();
    const pending = pods.filter(({ spec }) => spec?.nodeName === undefined);
    return { cluster, pods, pending, message: conditionOf(pending[0] ?? pods[0]!, 'PodScheduled')?.message };
  };

  it('fills nodes up to their allocatable resources, and says what is lacking', async () => {
    const { pods, pending, message } = await withPods(5, sized('900m'));
    expect([pods.length, pending.length]).toEqual([5, 1]);
    expect(message).toContain('2 Insufficient cpu');
    const counts = Map.groupBy(pods, ({ spec }) => spec?.nodeName ?? '');
    expect([...counts.values()].map((group) => group.length).sort()).toEqual([1, 2, 2]);
  });

  it('places a waiting pod when a node comes', async () => {
    const { cluster, pending } = await withPods(5, sized('900m'));
    expect(pending).toHaveLength(1);
    cluster.join('i-worker-later');
    await cluster.running(5);
  });

  it('keeps the skew of hard topology spread constraints, and says that it does', async () => {
    const spread = (more: object) => ({
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
      ...more,
    });
    const tolerations = [{ operator: 'Exists' }];
    const web = (...topologySpreadConstraints: object[]) =>
      template('web', 'app:1', { topologySpreadConstraints, tolerations });
    const even = await withPods(7, web(spread({})));
    const counts = Map.groupBy(even.pods, ({ spec }) => spec?.nodeName ?? '');
    expect([...counts.values()].map((group) => group.length).sort()).toEqual([2, 2, 3]);
    const absent = await withPods(2, web(spread({ topologyKey: 'rack' })));
    expect(absent.pending).toHaveLength(2);
    expect(absent.message).toContain("node(s) didn't match pod topology spread constraints");
    const few = await withPods(5, web(spread({ minDomains: 4 })));
    expect(few.pending, 'one a node while there are fewer domains than asked for').toHaveLength(2);
    const soft = await withPods(2, web(spread({ topologyKey: 'rack', whenUnsatisfiable: 'ScheduleAnyway' })));
    expect(soft.pending).toHaveLength(0);
    const others = await withPods(2, web(spread({ labelSelector: { matchLabels: { app: 'x' } }, minDomains: 4 })));
    expect(others.pending, 'a pod that no constraint counts').toHaveLength(0);
  });

  it('counts memory, and the larger of init containers and containers', async () => {
    const hungry = { resources: { requests: { memory: '6Gi' } } };
    const pod = template('web', 'app:1', { initContainers: [{ name: 'init', image: 'app:1', ...hungry }] });
    const { pending, message } = await withPods(3, pod);
    expect(pending).toHaveLength(1);
    expect(message).toContain('2 Insufficient memory');
  });
});
