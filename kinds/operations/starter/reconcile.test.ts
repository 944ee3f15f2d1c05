import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { type Context, typedReader } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation } from '../../common/filled.ts';
import { controlPlanes } from '../../control-planes.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import { infrastructureKinds } from '../../infrastructure-kinds.ts';
import { referenceTo } from '../../references.fixture.ts';
import { annotated, at, clusterOf, contextOf, objectOf } from '../cluster-operation/operation.fixture.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import { triesAfter } from '../shared/tries.ts';
import { operationStarter } from './controller.ts';
import { fingerprintOf } from './fingerprint.ts';
import { nextAttempt, operationName } from './new-operation.ts';
import { observe } from './observe.ts';
import { reconcile } from './reconcile.ts';

const unnamed = { metadata: { annotations: { [operationAnnotations.operation]: null } } };
const template = (infra: string, bootstrap: string) => ({
  template: {
    spec: {
      infrastructureRef: referenceTo('AWSMachineTemplate', infra),
      bootstrap: { configRef: referenceTo('KubeadmConfigTemplate', bootstrap) },
    },
  },
});
const defaults = {
  awsCluster: objectOf('AWSCluster', 'demo', { spec: { region: 'eu-west-1' } }),
  controlPlane: objectOf('KubeadmControlPlane', 'demo-cp', {
    spec: { replicas: 3, machineTemplate: { spec: { infrastructureRef: referenceTo('AWSMachineTemplate', 'cp') } } },
  }),
  controlPlaneTemplate: objectOf('AWSMachineTemplate', 'cp', { spec: { template: { spec: { instanceType: 'a' } } } }),
  workers: objectOf('MachineDeployment', 'workers', { spec: { replicas: 2, ...template('w', 'w') } }),
  workersTemplate: objectOf('AWSMachineTemplate', 'w', { spec: { template: { spec: { instanceType: 'b' } } } }),
  bootstrap: objectOf('KubeadmConfigTemplate', 'w'),
  namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } } as KubeObject,
};
type Named = keyof typeof defaults;

interface World {
  cluster?: object;
  /** Merge patches of the default objects; null if the object does not exist. */
  changed?: Partial<Record<Named, object | null>>;
  more?: KubeObject[];
  seconds?: number;
  config?: Context['config'];
}

const worldOf = ({ cluster = {}, changed = {}, more = [] }: World) => {
  const all = (Object.keys(defaults) as Named[]).flatMap((name) =>
    changed[name] === null ? [] : [mergePatch(defaults[name], changed[name] ?? {}) as KubeObject],
  );
  all.push(...more);
  const of = (kind: string) => all.filter((one) => one.kind === kind);
  const reader = typedReader({
    get: (kind, { name }) => {
      const value = of(kind).find(({ metadata }) => metadata.name === name);
      return (value ? { state: 'found', value } : { state: 'absent' }) as never;
    },
    list: (kind) => ({ state: 'found', value: of(kind as string) }) as never,
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'found', value: [] }),
    ask: () => ({ state: 'absent' }),
  });
  const object = mergePatch(clusterOf(unnamed), cluster as JsonObject) as Cluster;
  return { cluster: object, reader };
};

const providers = { controlPlanes, infrastructureKinds };
const fingerprint = (world: World = {}): string => {
  const { cluster, reader } = worldOf(world);
  return fingerprintOf(observe(cluster, reader, contextOf({}), providers).description.objects);
};

const operation = (name: string, more: object = {}): KubeObject => {
  const [, type = '', attempt = ''] = /-(create|delete)-(\d+)$/.exec(name) ?? [];
  const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'demo', uid: 'uid-of-demo' };
  return objectOf(
    'ClusterOperation',
    name,
    mergePatch(
      {
        metadata: { ownerReferences: [owner] },
        spec: { clusterName: 'demo', type, attempt: Number(attempt), fingerprint: fingerprint() },
      } as unknown as JsonObject,
      more as JsonObject,
    ) as object,
  );
};
/** An object without an owner, older than the Cluster. */
const former = { ownerReferences: [], creationTimestamp: at(-120) };
const phase = (name: string) => ({ status: { phase: name, execution: 'e' } });
const naming = (name: string, annotations: Record<string, string> = {}) =>
  annotated({ [operationAnnotations.operation]: name, ...annotations });

/** The actions in short. */
const deeds = (world: World): string[] => {
  const { cluster, reader } = worldOf(world);
  const context = contextOf({
    seconds: world.seconds ?? 0,
    ...(world.config && { context: { config: world.config } }),
  });
  const plan = reconcile(observe(cluster, reader, context, providers), context);
  expect(plan.status).toBeUndefined();
  const annotations = Object.entries(plan.intent?.metadata?.annotations ?? {});
  return [
    ...(plan.actions ?? []).map((action) => {
      if (action.do === 'create') return `create ${action.object.metadata.name}`;
      return action.do === 'delete' ? `delete ${action.name}` : action.do;
    }),
    ...annotations.map(([name, value]) => `${name.replace('capstan.dev/', '')}: ${value}`),
    ...(plan.requeueAfter === undefined ? [] : [`again in ${plan.requeueAfter}`]),
    ...(plan.finished ? ['finished'] : []),
  ];
};
const made = (world: World): ClusterOperation => {
  const { cluster, reader } = worldOf(world);
  const context = contextOf({});
  const action = reconcile(observe(cluster, reader, context, providers), context).actions?.find(
    (one) => one.do === 'create',
  );
  return (action as { object: ClusterOperation }).object;
};

const deleting = { metadata: { deletionTimestamp: at(0) } };
const initialized = { status: { initialization: { controlPlaneInitialized: true } } };
const standing = objectOf('Machine', 'm', { spec: { providerID: 'aws:///eu-west-1a/i-1' } });
const changed = { controlPlaneTemplate: { spec: { template: { spec: { instanceType: 'c' } } } } };
const first = (more: object = {}) => ({ more: [operation('demo-create-1', more)] });

describe('a new Cluster', () => {
  it.each<{ rule: string; world: World; does: string[] }>([
    { rule: 'gets an operation when all references exist', world: {}, does: ['create demo-create-1'] },
    { rule: 'waits for its infrastructure', world: { changed: { awsCluster: null } }, does: [] },
    {
      rule: 'waits for an infrastructure reference',
      world: { cluster: { spec: { infrastructureRef: null } } },
      does: [],
    },
    { rule: 'waits for its control plane', world: { changed: { controlPlane: null } }, does: [] },
    {
      rule: 'waits for the template of the control plane',
      world: { changed: { controlPlaneTemplate: null } },
      does: [],
    },
    { rule: 'waits for the template of workers', world: { changed: { workersTemplate: null } }, does: [] },
    { rule: 'waits for the bootstrap config of workers', world: { changed: { bootstrap: null } }, does: [] },
    {
      rule: 'needs no workers',
      world: { changed: { workers: null, workersTemplate: null, bootstrap: null } },
      does: ['create demo-create-1'],
    },
    {
      rule: 'waits while a manifest may still be applied in parts',
      world: { changed: { workers: { metadata: { creationTimestamp: at(9) } } }, seconds: 10 },
      does: ['again in 1'],
    },
    {
      rule: 'records the operation by compare-and-set, and drops the target',
      world: first(),
      does: ['operation: demo-create-1', 'target: null'],
    },
    {
      rule: 'keeps a running operation',
      world: { cluster: naming('demo-create-1'), ...first(phase('Running')) },
      does: [],
    },
    {
      rule: 'keeps an ended operation, whatever its result',
      world: {
        cluster: naming('demo-create-1', { [operationAnnotations.target]: 'Nothing' }),
        ...first(phase('TornDown')),
      },
      does: [],
    },
    {
      rule: 'gets the next attempt when a relevant field changed',
      world: { cluster: naming('demo-create-1'), changed, ...first(phase('Running')) },
      does: ['create demo-create-2'],
    },
    {
      rule: 'gets the next attempt after a teardown',
      world: {
        cluster: naming('demo-create-1', { [operationAnnotations.target]: 'Nothing' }),
        changed,
        ...first(phase('TornDown')),
      },
      does: ['create demo-create-2'],
    },
    {
      rule: 'gets the next attempt from a hold',
      world: {
        cluster: naming('demo-create-1', { [operationAnnotations.target]: 'Hold' }),
        changed,
        ...first(phase('Held')),
      },
      does: ['create demo-create-2'],
    },
    {
      rule: 'gets the next attempt when the user retries',
      world: { cluster: naming('demo-create-1', { 'capstan.dev/retry': 'x' }), ...first(phase('Cancelled')) },
      does: ['create demo-create-2'],
    },
    {
      rule: 'ignores an old retry request',
      world: {
        cluster: naming('demo-create-1', { 'capstan.dev/retry': 'x' }),
        ...first({ ...phase('Held'), spec: { retry: 'x' } }),
      },
      does: [],
    },
    {
      rule: 'ignores a withdrawn retry request',
      world: { cluster: naming('demo-create-1'), ...first({ ...phase('Held'), spec: { retry: 'x' } }) },
      does: [],
    },
    {
      rule: 'waits for a teardown to end',
      world: {
        cluster: naming('demo-create-1', { [operationAnnotations.target]: 'Nothing' }),
        changed,
        ...first(phase('Running')),
      },
      does: [],
    },
    {
      rule: 'waits for a teardown that is on hold',
      world: {
        cluster: naming('demo-create-1', { [operationAnnotations.target]: 'Nothing', 'capstan.dev/retry': 'x' }),
        ...first(phase('Held')),
      },
      does: [],
    },
    {
      rule: 'waits until all is torn down although the operation was removed by force',
      world: {
        cluster: naming('demo-create-1', { [operationAnnotations.target]: 'Nothing' }),
        changed: { awsCluster: annotated({ [filledAnnotation]: '{}' }) },
      },
      does: ['again in 15'],
    },
    {
      rule: 'starts over once all is torn down and the operation was removed by force',
      world: { cluster: naming('demo-create-1', { [operationAnnotations.target]: 'Nothing' }) },
      does: ['create demo-create-2'],
    },
    {
      rule: 'names the next attempt after a teardown',
      world: {
        cluster: naming('demo-create-1', { [operationAnnotations.target]: 'Nothing' }),
        more: [operation('demo-create-1', phase('TornDown')), operation('demo-create-2')],
      },
      does: ['operation: demo-create-2', 'target: null'],
    },
    {
      rule: 'skips an attempt that was never named',
      world: {
        cluster: naming('demo-create-1'),
        changed,
        more: [operation('demo-create-1', phase('Running')), operation('demo-create-2')],
      },
      does: ['create demo-create-3'],
    },
    {
      rule: 'never names an ended attempt',
      world: { more: [operation('demo-create-1', { status: { phase: 'Cancelled' } })] },
      does: [],
    },
    {
      rule: 'that was ever Available gets no operation',
      world: { cluster: annotated({ [operationAnnotations.wasAvailable]: 'true' }) },
      does: ['target: Build'],
    },
    {
      rule: 'that was ever Available is never held',
      world: {
        cluster: annotated({ [operationAnnotations.wasAvailable]: 'true', [operationAnnotations.target]: 'Hold' }),
        changed,
        ...first(phase('Held')),
      },
      does: ['target: Build'],
    },
    {
      rule: 'that is already built is left alone',
      world: {
        cluster: annotated({ [operationAnnotations.wasAvailable]: 'true', [operationAnnotations.target]: 'Build' }),
        changed,
        ...first(phase('Succeeded')),
      },
      does: [],
    },
    {
      rule: 'that answered before Capstan managed it gets no operation',
      world: { cluster: initialized },
      does: ['target: Build'],
    },
    {
      rule: 'that answered in its first attempt may have a second',
      world: { cluster: { ...initialized, ...naming('demo-create-1') }, changed, ...first(phase('Held')) },
      does: ['create demo-create-2'],
    },
    {
      rule: 'of a reused name only avoids former operation names',
      world: { more: [operation('demo-create-3', { metadata: former, ...phase('Succeeded') })] },
      does: ['create demo-create-4'],
    },
    {
      rule: 'keeps an operation that lost its owner reference',
      world: { cluster: naming('demo-create-1'), ...first({ metadata: { ownerReferences: [] }, ...phase('Running') }) },
      does: [],
    },
    {
      rule: 'follows its last attempt, whatever its position in the list',
      world: {
        cluster: naming('demo-create-10'),
        changed,
        more: ['demo-create-10', 'demo-create-2', 'demo-create-9'].map((name) => operation(name, phase('TornDown'))),
      },
      does: ['create demo-create-11'],
    },
    { rule: 'does nothing without workflows', world: { config: {} }, does: [] },
  ])('$rule', ({ world, does }) => expect(deeds(world)).toEqual(does));

  describe('keeps what has ended', () => {
    const day = 86_400;
    const made = (attempt: number, daysAgo: number, more: object = phase('TornDown')) =>
      operation(`demo-create-${attempt}`, { metadata: { creationTimestamp: at(-daysAgo * day) }, ...more });

    it('for 90 days, the named one and all running ones for ever', () => {
      const going = { metadata: { creationTimestamp: at(-99 * day), deletionTimestamp: at(0) }, ...phase('TornDown') };
      const more = [
        made(1, 95, phase('Running')),
        made(2, 91),
        made(3, 89),
        operation('demo-create-30', going),
        made(10, 120, { ...phase('TornDown'), spec: { fingerprint: fingerprint() } }),
      ];
      const before = operation('demo-create-40', { metadata: former, ...phase('Succeeded') });
      const world = { cluster: naming('demo-create-10'), more: [...more, before] };
      expect(deeds(world)).toEqual(['delete demo-create-2']);
    });

    it('up to 200, the newest', () => {
      const more = Array.from({ length: 205 }, (_, i) => made(i + 1, 50 - i / 10));
      const named = made(300, 0, { ...phase('TornDown'), spec: { fingerprint: fingerprint() } });
      for (const listed of [more, more.toReversed()]) {
        const world = { cluster: naming('demo-create-300'), more: [...listed, named] };
        expect(deeds(world).toSorted()).toEqual([1, 2, 3, 4, 5].map((attempt) => `delete demo-create-${attempt}`));
      }
    });
  });

  it.each([
    { rule: 'none before', before: [], tries: 1 },
    { rule: 'one that succeeded', before: [{ attempt: 4, tries: 3, phase: 'Succeeded' }], tries: 1 },
    {
      rule: 'two that failed',
      before: [
        { attempt: 1, tries: 1, phase: 'TornDown' },
        { attempt: 2, tries: 2, phase: 'Held' },
      ],
      tries: 3,
    },
    { rule: 'one of an earlier version', before: [{ attempt: 7, tries: undefined, phase: 'RolledBack' }], tries: 2 },
  ])('counts attempts after $rule', ({ before, tries }) => {
    const operations = before.map(({ phase: ended, ...spec }) => ({ spec, status: { phase: ended } }));
    expect(triesAfter(operations as never)).toBe(tries);
  });

  it('is identified by a fingerprint that is recorded at the start', () => {
    const operation = made({
      cluster: annotated({
        'capstan.dev/retry': 'x',
        'capstan.dev/create-deadline': '20m',
        'capstan.dev/on-create-failure': 'Hold',
      }),
    });
    expect(operation.spec).toEqual({
      clusterName: 'demo',
      type: 'create',
      attempt: 1,
      tries: 1,
      fingerprint: fingerprint(),
      region: 'eu-west-1',
      retry: 'x',
      policy: { deadline: '20m', onFailure: 'Hold' },
    });
    expect(operation.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Cluster',
        name: 'demo',
        uid: 'uid-of-demo',
        controller: false,
        blockOwnerDeletion: false,
      },
    ]);
    expect(operation.metadata.labels).toEqual({ 'cluster.x-k8s.io/cluster-name': 'demo' });
  });
  it.each([
    { rule: 'began from nothing', world: {}, adopted: undefined },
    { rule: 'did not begin from nothing when a Machine existed', world: { more: [standing] }, adopted: true },
    {
      rule: 'did not begin from nothing in its second attempt either',
      world: { changed, cluster: naming('demo-create-1'), ...first({ ...phase('Held'), spec: { adopted: true } }) },
      adopted: true,
    },
    {
      rule: 'began from nothing in its second attempt, although the first left Machines',
      world: { changed, cluster: naming('demo-create-1'), more: [standing, operation('demo-create-1', phase('Held'))] },
      adopted: undefined,
    },
  ])('$rule', ({ world, adopted }) => expect(made(world).spec?.adopted).toBe(adopted));
});

describe('a deleted Cluster', () => {
  it('is deleted in the region of its create operation', () => {
    const more = [operation('demo-create-1', { ...phase('Succeeded'), spec: { region: 'ap-south-1' } })];
    const { spec } = made({ cluster: deleting, more });
    expect(spec).toMatchObject({
      type: 'delete',
      region: 'ap-south-1',
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(made({ cluster: deleting, changed: { awsCluster: null } }).spec).not.toHaveProperty('region');
  });
  it('has the finalizer of the Cluster controller from the start', () =>
    expect(operationStarter(providers).keptFor?.({})).toEqual(['cluster.cluster.x-k8s.io']));

  const named = (more: object = {}) => ({
    cluster: {
      metadata: { deletionTimestamp: at(0), annotations: { [operationAnnotations.operation]: 'demo-delete-1' } },
    },
    more: [operation('demo-delete-1', more)],
  });
  it.each<{ rule: string; world: World; does: string[] }>([
    { rule: 'gets a delete operation', world: { cluster: deleting }, does: ['create demo-delete-1'] },
    {
      rule: 'gets a delete operation whatever its references are',
      world: { cluster: deleting, changed: { awsCluster: null, controlPlane: null } },
      does: ['create demo-delete-1'],
    },
    {
      rule: 'gets a delete operation in the middle of a create',
      world: {
        cluster: {
          ...deleting,
          metadata: { ...deleting.metadata, annotations: { [operationAnnotations.operation]: 'demo-create-1' } },
        },
        ...first(phase('Running')),
      },
      does: ['create demo-delete-1'],
    },
    {
      rule: 'names the operation, and drops the target',
      world: { cluster: deleting, more: [operation('demo-delete-1')] },
      does: ['operation: demo-delete-1', 'target: null'],
    },
    { rule: 'is kept while the operation runs', world: named(phase('Running')), does: [] },
    { rule: 'is kept while the operation is on hold', world: named(phase('Held')), does: [] },
    { rule: 'is released when the operation succeeded', world: named(phase('Succeeded')), does: ['finished'] },
    {
      rule: 'gets another operation after a client deleted the first',
      world: named(phase('Cancelled')),
      does: ['create demo-delete-2'],
    },
    {
      rule: 'is released without an operation when its namespace is terminating',
      world: { cluster: deleting, changed: { namespace: deleting } },
      does: ['finished'],
    },
    {
      rule: 'is released without an operation when its namespace is gone',
      world: { cluster: deleting, changed: { namespace: null } },
      does: ['finished'],
    },
    {
      rule: 'is released without an operation when workflows are off',
      world: { cluster: deleting, config: {} },
      does: ['finished'],
    },
  ])('$rule', ({ world, does }) => expect(deeds(world)).toEqual(does));
});

describe('the fingerprint', () => {
  it.each<{ rule: string; world: World; changes: boolean }>([
    { rule: 'is stable', world: {}, changes: false },
    {
      rule: 'changes with the Cluster',
      world: { cluster: { spec: { clusterNetwork: { apiServerPort: 443 } } } },
      changes: true,
    },
    {
      rule: 'changes with the infrastructure',
      world: { changed: { awsCluster: { spec: { sshKeyName: 'k' } } } },
      changes: true,
    },
    {
      rule: 'changes with the control plane',
      world: { changed: { controlPlane: { spec: { version: 'v1.35.1' } } } },
      changes: true,
    },
    {
      rule: 'changes with worker objects',
      world: { changed: { workers: { spec: { template: { spec: { version: 'v1.35.1' } } } } } },
      changes: true,
    },
    { rule: 'changes with a template', world: { changed }, changes: true },
    { rule: 'changes with a new MachineSet', world: { more: [objectOf('MachineSet', 'alone')] }, changes: true },
    {
      rule: 'ignores a MachineSet that Capstan created',
      world: {
        more: [
          objectOf('MachineSet', 's', {
            metadata: {
              ownerReferences: [
                { apiVersion: 'x', kind: 'MachineDeployment', name: 'workers', uid: 'w', controller: true },
              ],
            },
          }),
        ],
      },
      changes: false,
    },
    {
      rule: 'ignores replicas',
      world: { changed: { workers: { spec: { replicas: 9 } }, controlPlane: { spec: { replicas: 5 } } } },
      changes: false,
    },
    {
      rule: 'ignores a pause',
      world: { cluster: { spec: { paused: true } }, changed: { workers: { spec: { paused: true } } } },
      changes: false,
    },
    {
      rule: 'ignores status, labels and annotations',
      world: { cluster: { ...initialized, ...annotated({ 'capstan.dev/retry': 'x' }) } },
      changes: false,
    },
    {
      rule: 'ignores defaulted fields',
      world: {
        cluster: {
          spec: { controlPlaneEndpoint: { host: 'h', port: 1 } },
          ...annotated({ [filledAnnotation]: '{"controlPlaneEndpoint":{"host":"h","port":1}}' }),
        },
      },
      changes: false,
    },
  ])('$rule', ({ world, changes }) => expect(fingerprint(world) !== fingerprint()).toBe(changes));
  it('is the same for the same fields in another order', () => {
    const of = (spec: object) => fingerprintOf([objectOf('Cluster', 'demo', { spec })]);
    expect(of({ a: 1, b: { c: [{ d: 1, e: 2 }] } })).toBe(of({ b: { c: [{ e: 2, d: 1 }] }, a: 1 }));
    expect(of({ a: [1, 2] })).not.toBe(of({ a: [2, 1] }));
  });
});

describe('ended operations', () => {
  it('keep their names reserved', () => {
    const { cluster, reader } = worldOf({ cluster: naming('demo-create-12') });
    expect(nextAttempt(observe(cluster, reader, contextOf({}), providers), 'create')).toBe(13);
    expect(nextAttempt(observe(cluster, reader, contextOf({}), providers), 'delete')).toBe(1);
  });
  it('have names within the limit', () => {
    expect(operationName('c'.repeat(300), 'create', 12)).toHaveLength(253);
    expect(operationName('demo', 'delete', 2)).toBe('demo-delete-2');
  });
});
