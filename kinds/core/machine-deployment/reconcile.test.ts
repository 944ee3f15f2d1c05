import { describe, expect, it } from 'vitest';
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, Plan, Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../cluster/schema.ts';
import type { ObjectTarget } from '../contract/object-targets.ts';
import { operatedContext, operatedPlan } from '../contract/operated.fixture.ts';
import { operationAnnotations } from '../contract/target.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import { machineDeploymentController } from './controller.ts';
import { type Observed, observe } from './observe.ts';
import type { MachineDeployment, MachineDeploymentStatus } from './schema.ts';
import { rolloutRevision } from './template.ts';

const core = 'cluster.x-k8s.io/v1beta2';
const found = <T>(value: T): Read<T> => ({ state: 'found', value });
const context: Context = {
  now: Date.parse('2026-01-01T00:00:00Z'),
  random: { suffix: () => 'abcde', pick: (from) => from[0]!, token: () => '' },
  lastFailure: undefined,
  attempts: 0,
  installation: 'test',
  config: {},
  awaits: [],
};
const template = (host: string, more: object = {}) => ({
  metadata: { labels: { of: 'workers' } },
  spec: {
    clusterName: 'c',
    version: 'v1.35.0',
    bootstrap: { dataSecretName: 's' },
    infrastructureRef: { apiGroup: 'i', kind: 'HostTemplate', name: host },
    ...more,
  },
});
const deployment = (of: { spec?: object; metadata?: object } = {}): MachineDeployment =>
  ({
    apiVersion: core,
    kind: 'MachineDeployment',
    metadata: {
      name: 'workers',
      namespace: 'default',
      uid: 'md',
      labels: { 'cluster.x-k8s.io/cluster-name': 'c' },
      ownerReferences: [{ apiVersion: core, kind: 'Cluster', name: 'c', uid: 'c' }],
      ...of.metadata,
    },
    spec: {
      clusterName: 'c',
      replicas: 3,
      selector: { matchLabels: { of: 'workers' } },
      template: template('small'),
      rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
      ...of.spec,
    },
  }) as unknown as MachineDeployment;
const set = (
  name: string,
  host: string,
  replicas: number,
  of: { revision?: number; controller?: string; created?: string; available?: number } = {},
): MachineSet =>
  ({
    apiVersion: core,
    kind: 'MachineSet',
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      resourceVersion: '4',
      creationTimestamp: of.created ?? '2025-12-01T00:00:00Z',
      labels: { of: 'workers', 'machine-template-hash': `1-${name}` },
      annotations: { 'machinedeployment.clusters.x-k8s.io/revision': String(of.revision ?? 1) },
      ownerReferences: [
        { apiVersion: core, kind: 'MachineDeployment', name: 'workers', uid: of.controller ?? 'md', controller: true },
      ],
    },
    spec: { clusterName: 'c', replicas, selector: { matchLabels: { of: 'workers' } }, template: template(host) },
    status: {
      replicas,
      availableReplicas: of.available ?? replicas,
      readyReplicas: replicas,
      upToDateReplicas: replicas,
    },
  }) as unknown as MachineSet;
const cluster: KubeObject = {
  apiVersion: core,
  kind: 'Cluster',
  metadata: { name: 'c', namespace: 'default', uid: 'c' },
  spec: {},
};
const hosts: KubeObject = {
  apiVersion: 'i/v1',
  kind: 'HostTemplate',
  metadata: { name: 't', uid: 't', ownerReferences: [{ apiVersion: core, kind: 'Cluster', name: 'c', uid: 'c' }] },
};

const planIn = (seen: Observed, within: Context): Plan<MachineDeploymentStatus> =>
  operatedPlan(
    machineDeploymentController,
    seen.machineDeployment,
    seen,
    operatedContext(machineDeploymentController, seen.machineDeployment, seen.cluster, within),
    (machineDeployment) => ({ ...seen, machineDeployment }),
  );
const plan = (of: Partial<Observed> = {}, config: Context['config'] = {}): Plan<MachineDeploymentStatus> =>
  planIn(
    {
      machineDeployment: deployment(),
      cluster: cluster as Observed['cluster'],
      machineSets: found([]),
      machines: found([]),
      templates: { infrastructure: found(hosts), bootstrap: undefined },
      ...of,
    },
    { ...context, config },
  );
const summaryOf = (action: Action): string => {
  if (action.do === 'create') {
    const { metadata, spec } = action.object as MachineSet;
    return `create ${metadata.name} with ${spec?.replicas}`;
  }
  if (action.do === 'call') return action.operation;
  const replicas = action.do === 'patch' ? (action.patch.spec?.replicas as number | undefined) : undefined;
  return `${action.do} ${action.name}${replicas === undefined ? '' : ` to ${replicas}`}`;
};
/** Creations, deletions and changes of replicas. */
const does = (of: Partial<Observed>, config = {}) =>
  (plan(of, config).actions ?? []).map(summaryOf).filter((line) => !/^patch \S+$/.test(line));
const creating = 'capstan.dev/creating';

describe('the current MachineSet', () => {
  it('is created under a name that is recorded first', () => {
    const { intent, actions } = plan();
    expect(intent?.metadata?.annotations).toMatchObject({
      [creating]: '["workers-abcde"]',
      'machinedeployment.clusters.x-k8s.io/revision': '1',
    });
    expect(actions?.map(summaryOf)).toEqual(['create workers-abcde with 3']);
  });
  it.each([
    {
      rule: 'keeps its recorded name when its creation was interrupted',
      of: { machineDeployment: deployment({ metadata: { annotations: { [creating]: '["workers-first"]' } } }) },
      does: ['create workers-first with 3'],
    },
    {
      rule: 'gets another name when its namesake became an old set',
      of: {
        machineDeployment: deployment({ metadata: { annotations: { [creating]: '["old"]' } } }),
        machineSets: found([set('old', 'large', 3)]),
      },
      does: ['create workers-abcde with 1'],
    },
    { rule: 'is the one with the same template', of: { machineSets: found([set('now', 'small', 3)]) }, does: [] },
    {
      rule: 'is not created while its template is missing',
      of: { templates: { infrastructure: { state: 'absent' as const }, bootstrap: undefined } },
      does: [],
    },
    {
      rule: 'is not created while paused',
      of: { machineDeployment: deployment({ spec: { paused: true } }) },
      does: [],
    },
    {
      rule: 'is not created for a Cluster in deletion',
      of: {
        cluster: {
          ...cluster,
          metadata: { ...cluster.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
        } as Observed['cluster'],
      },
      does: [],
    },
    {
      rule: 'is a new one for machines older than rollout.after',
      of: {
        machineDeployment: deployment({ spec: { rollout: { after: '2025-12-24T00:00:00Z' } } }),
        machineSets: found([set('old', 'small', 3)]),
      },
      does: ['create workers-abcde with 1'],
    },
    {
      rule: 'is never a set of another deployment',
      of: { machineSets: found([set('other', 'small', 3, { controller: 'x' })]) },
      does: ['create workers-abcde with 3'],
    },
    {
      rule: 'is only scaled while paused',
      of: {
        machineDeployment: deployment({ spec: { paused: true, replicas: 5 } }),
        machineSets: found([set('now', 'small', 3)]),
      },
      does: ['patch now to 5'],
    },
  ])('$rule', ({ of, does: actions }) => expect(does(of)).toEqual(actions));

  it('is created for rollout.after once that second is over, because creation times have no fractions', () => {
    const at = (time: string) => {
      const observed: Observed = {
        machineDeployment: deployment({ spec: { rollout: { after: '2026-01-01T00:00:00.160Z' } } }),
        cluster: cluster as Observed['cluster'],
        machineSets: found([set('now', 'small', 3, { created: '2026-01-01T00:00:00Z' })]),
        machines: found([]),
        templates: { infrastructure: found(hosts), bootstrap: undefined },
      };
      const { actions = [], requeueAfter } = planIn(observed, { ...context, now: Date.parse(time) });
      return { made: actions.map(summaryOf).filter((line) => line.startsWith('create')), requeueAfter };
    };
    expect(at('2026-01-01T00:00:00.700Z')).toEqual({ made: [], requeueAfter: 1 });
    expect(at('2026-01-01T00:00:01Z').made).toEqual(['create workers-abcde with 1']);
  });
  it('gets no machine while another set still creates one', () => {
    const between = set('between', 'medium', 0);
    const making = { ...between, metadata: { ...between.metadata, annotations: { [creating]: '["between-abcde"]' } } };
    const sets = [set('old', 'large', 3, { available: 2 }), set('now', 'small', 0)];
    expect(does({ machineSets: found([...sets, making]) })).toEqual([]);
    expect(does({ machineSets: found([...sets, between]) })).toEqual(['patch now to 1']);
  });
  it('is kept for fields that are updated in place', () => {
    const machineDeployment = deployment({
      spec: {
        template: { ...template('small', { minReadySeconds: 5 }), metadata: { labels: { of: 'workers', team: 'x' } } },
      },
    });
    const [action] = plan({ machineDeployment, machineSets: found([set('now', 'small', 3)]) }).actions ?? [];
    expect(action).toMatchObject({
      do: 'patch',
      name: 'now',
      resourceVersion: '4',
      patch: { spec: { template: { metadata: { labels: { team: 'x' } }, spec: { minReadySeconds: 5 } } } },
    });
  });
  it('keeps the labels in its selector, even if a client changed the template', () => {
    const one = set('now', 'small', 3);
    const chosen = { of: 'workers', 'cluster.x-k8s.io/set-name': 'now' };
    const metadata = { labels: chosen };
    const spec = { ...one.spec!, selector: { matchLabels: chosen }, template: { ...one.spec!.template, metadata } };
    const [action] = plan({ machineSets: found([{ ...one, spec }]) }).actions ?? [];
    const labels = { 'cluster.x-k8s.io/set-name': null };
    expect(action).not.toMatchObject({ patch: { spec: { template: { metadata: { labels } } } } });
  });
  it('records the previous template, and a revision above all others', () => {
    const machineSets = found([set('now', 'small', 1, { revision: 2 }), set('old', 'large', 3, { revision: 4 })]);
    const annotations = plan({ machineSets }).intent?.metadata?.annotations;
    expect(annotations?.['machinedeployment.clusters.x-k8s.io/revision']).toBe('5');
    expect(JSON.parse(annotations?.['capstan.dev/previous-template'] ?? '')).toEqual({
      revision: 4,
      template: template('large'),
    });
  });
  it('leaves the previous template of a topology to its class', () => {
    const of = (annotations: Record<string, string>) => ({
      machineDeployment: deployment({
        metadata: { labels: { 'topology.cluster.x-k8s.io/owned': '' }, annotations },
      }),
      machineSets: found([set('now', 'small', 1, { revision: 2 }), set('old', 'large', 3)]),
    });
    const noteIn = (annotations: Record<string, string>) =>
      plan(of(annotations)).intent?.metadata?.annotations?.['capstan.dev/previous-template'];
    expect(noteIn({})).toBeUndefined();
    expect(noteIn({ 'capstan.dev/previous-template': '{}' })).toBeNull();
  });
});

describe('old sets', () => {
  const atWork = (of: MachineSet, count: number): MachineSet => ({
    ...of,
    status: { ...of.status, replicas: count, upToDateReplicas: count, availableReplicas: count },
  });
  const done = { ...set('old', 'large', 0), status: { replicas: 0, observedGeneration: 1 } } as MachineSet;
  it.each([
    {
      rule: 'are deleted when all machines are new and available',
      machineSets: [set('now', 'small', 3), done],
      does: ['delete old'],
    },
    { rule: 'are kept until then', machineSets: [set('now', 'small', 3, { available: 2 }), done], does: [] },
    {
      rule: 'are kept while they have machines, even up-to-date ones',
      machineSets: [
        atWork(set('now', 'small', 3), 2),
        atWork(set('old', 'small', 0, { created: '2025-12-02T00:00:00Z' }), 1),
      ],
      does: [],
    },
    {
      rule: 'shrink when a machine can be spared',
      machineSets: [set('now', 'small', 1), set('old', 'large', 3)],
      does: ['patch old to 2'],
    },
  ])('$rule', ({ machineSets, does: actions }) => expect(does({ machineSets: found(machineSets) })).toEqual(actions));
});

describe('a paused rollout', () => {
  const sized = (name: string, host: string, replicas: number, noted: { desired: number; max: number }) => {
    const one = set(name, host, replicas);
    Object.assign(one.metadata.annotations!, {
      'machinedeployment.clusters.x-k8s.io/desired-replicas': String(noted.desired),
      'machinedeployment.clusters.x-k8s.io/max-replicas': String(noted.max),
    });
    return one;
  };
  const paused = (replicas: number) => deployment({ spec: { paused: true, replicas } });
  const old = { desired: 2, max: 3 };
  const next = (sets: MachineSet[], replicas = 7) =>
    plan({ machineDeployment: paused(replicas), machineSets: found(sets) }).actions ?? [];
  const applied = (one: MachineSet, actions: Action[]): MachineSet => {
    const action = actions.find((each) => each.do === 'patch' && each.name === one.metadata.name);
    return action?.do === 'patch' ? mergePatch(one, action.patch) : one;
  };

  it('keeps the proportion of its sets although only one of them recorded it at first', () => {
    const sets = [sized('large', 'large', 2, old), sized('now', 'small', 1, old)];
    const actions = next(sets);
    expect(actions.map(summaryOf)).toEqual(['patch large to 5', 'patch now to 3']);
    const [first, second] = sets as [MachineSet, MachineSet];
    expect(next([applied(first, actions), second]).map(summaryOf)).toEqual(['patch now to 3']);
    expect(next([first, applied(second, actions)]).map(summaryOf)).toEqual(['patch large to 5']);
    expect(next(sets.map((one) => applied(one, actions)))).toEqual([]);
  });

  it('records the total on a set whose share is unchanged', () => {
    const [action] = next([sized('large', 'large', 2, old), sized('now', 'small', 1, old)], 2);
    expect(action).toBeUndefined();
    const actions = next(
      [sized('large', 'large', 4, { desired: 4, max: 5 }), sized('now', 'small', 1, { desired: 4, max: 5 })],
      5,
    );
    expect(actions.map(summaryOf)).toEqual(['patch large to 5', 'patch now']);
  });
});

describe('its conditions', () => {
  const conditions = (of: Partial<Observed>) =>
    Object.fromEntries((plan(of).status?.conditions ?? []).map((c) => [c.type, [c.status, c.reason, c.message]]));
  it('report Available while enough machines are available', () => {
    expect(conditions({ machineSets: found([set('now', 'small', 3)]) }).Available).toEqual(['True', 'Available', '']);
    expect(conditions({ machineSets: found([set('now', 'small', 3, { available: 2 })]) }).Available).toEqual([
      'False',
      'NotAvailable',
      '2 available replicas, at least 3 required (spec.strategy.rollout.maxUnavailable is 0, spec.replicas is 3)',
    ]);
  });
  it('name a missing template', () => {
    expect(conditions({ templates: { infrastructure: { state: 'absent' }, bootstrap: undefined } }).ScalingUp).toEqual([
      'True',
      'ScalingUp',
      'Scaling up from 0 to 3 replicas is blocked because HostTemplate does not exist',
    ]);
  });
  it('repeat what blocks the current set from scaling up', () => {
    const now = set('now', 'small', 1);
    now.status = {
      replicas: 0,
      conditions: [
        {
          type: 'ScalingUp',
          status: 'True',
          reason: 'ScalingUp',
          message: 'Scaling up from 0 to 1 replicas is blocked because:\n* no',
          lastTransitionTime: '',
        },
      ],
    };
    expect(conditions({ machineSets: found([now]) }).ScalingUp?.[2]).toBe(
      'Scaling up from 0 to 3 replicas is blocked because:\n* no',
    );
  });
});

it('deletes its sets in deletion and waits for them', () => {
  const machineDeployment = deployment({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
  const waiting = plan({ machineDeployment, machineSets: found([set('now', 'small', 3)]) });
  expect([waiting.actions?.map(summaryOf), waiting.finished]).toEqual([['delete now'], false]);
  expect(plan({ machineDeployment }).finished).toBe(true);
});

describe('under a ClusterOperation', () => {
  const operated = (target: string | undefined, more: object = {}) =>
    ({
      ...cluster,
      metadata: {
        ...cluster.metadata,
        annotations: {
          'capstan.dev/operation': 'c-create-1',
          ...(target !== undefined && { 'capstan.dev/target': target }),
          ...more,
        },
      },
    }) as Observed['cluster'];
  const workflows = { workflows: true };
  const rolling = found([set('now', 'small', 1), set('old', 'large', 3)]);
  const orphan = set('orphan', 'small', 1);
  orphan.metadata.ownerReferences = [];
  const going = set('now', 'small', 1);
  going.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  it.each([
    { rule: 'creates no set before admission', target: undefined, of: {}, does: [] },
    { rule: 'creates its set once admitted', target: 'Build', of: {}, does: ['create workers-abcde with 3'] },
    { rule: 'creates no set while held', target: 'Hold', of: {}, does: [] },
    { rule: 'does not roll out while held', target: 'Hold', of: { machineSets: rolling }, does: [] },
    {
      rule: 'does not scale while held, even when paused',
      target: 'Hold',
      of: {
        machineDeployment: deployment({ spec: { paused: true, replicas: 5 } }),
        machineSets: found([set('now', 'small', 3)]),
      },
      does: [],
    },
    {
      rule: 'deletes all its sets in a teardown',
      target: 'Nothing',
      of: { machineSets: rolling },
      does: ['delete now', 'delete old'],
    },
    {
      rule: 'waits for sets in deletion, and creates none',
      target: 'Nothing',
      of: { machineSets: found([going]) },
      does: [],
    },
    {
      rule: 'leaves a set without a controller to its user',
      target: 'Nothing',
      of: { machineSets: found([orphan]) },
      does: [],
    },
    {
      rule: 'is not torn down once it was Available',
      target: 'Nothing',
      of: {},
      was: true,
      does: ['create workers-abcde with 3'],
    },
  ])('$rule', ({ target, of, does: actions, was }) => {
    const over = { ...of, cluster: operated(target, was ? { 'capstan.dev/was-available': 'true' } : {}) };
    expect(does(over, workflows)).toEqual(actions);
    // A controller must not change a user's spec.
    expect(plan(over, workflows).intent).not.toHaveProperty('spec');
  });
  it.each([
    {
      rule: 'reports the template that delays the operation',
      target: undefined,
      says: 'HostTemplate does not exist',
    },
    {
      rule: 'reports the hold first',
      target: 'Hold',
      says: 'Held by ClusterOperation c-create-1: nothing new is created',
    },
  ])('$rule', ({ target, says }) => {
    const templates = { infrastructure: { state: 'absent' as const }, bootstrap: undefined };
    const { status } = plan({ templates, cluster: operated(target) }, workflows);
    const conditions = status?.conditions ?? [];
    expect(conditions.find(({ type }) => type === 'Available')?.message?.split('\n* ')[1]).toBe(says);
  });
  it.each(['Hold', 'Nothing', undefined])('ignores the target %s without workflows', (target) =>
    expect(does({ cluster: operated(target) })).toEqual(['create workers-abcde with 3']));
  it('continues its deletion whatever the target is', () => {
    const machineDeployment = deployment({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    const of = { machineDeployment, machineSets: found([set('now', 'small', 3)]), cluster: operated('Hold') };
    expect(does(of, workflows)).toEqual(['delete now']);
  });
  it('clears its rollout state in a teardown, in one write', () => {
    const notes = {
      'machinedeployment.clusters.x-k8s.io/revision': '3',
      'capstan.dev/previous-template': '{}',
      [creating]: '["workers-first"]',
      mine: 'x',
    };
    const torn = (annotations: object) =>
      plan({ machineDeployment: deployment({ metadata: { annotations } }), cluster: operated('Nothing') }, workflows);
    expect(torn(notes).intent?.metadata?.annotations).toEqual({
      'machinedeployment.clusters.x-k8s.io/revision': null,
      'capstan.dev/previous-template': null,
      [creating]: null,
    });
    expect(torn({ mine: 'x' }).intent?.metadata).not.toHaveProperty('annotations');
  });

  const outdated = {
    status: {
      conditions: [{ type: 'UpToDate', status: 'False', reason: 'NotUpToDate', message: '* Version v1, v2 required' }],
    },
    metadata: { name: 'm' },
  };
  const machines = found([outdated]) as unknown as Observed['machines'];
  it.each([
    {
      rule: 'reports what it waits for',
      target: undefined,
      of: {},
      type: 'Available',
      says: [
        'False',
        '0 available replicas, at least 3 required (spec.strategy.rollout.maxUnavailable is 0, spec.replicas is 3)\n* Waiting for ClusterOperation c-create-1 to admit the cluster',
      ],
    },
    {
      rule: 'reports blocked scaling while it waits',
      target: undefined,
      of: {},
      type: 'ScalingUp',
      says: [
        'True',
        'Scaling up from 0 to 3 replicas is blocked because:\n* Waiting for ClusterOperation c-create-1 to admit the cluster',
      ],
    },
    {
      rule: 'reports Available while held and working',
      target: 'Hold',
      of: { machineSets: found([set('now', 'small', 3)]) },
      type: 'Available',
      says: ['True', ''],
    },
    {
      rule: 'reports no rollout while held',
      target: 'Hold',
      of: { machineSets: rolling, machines },
      type: 'RollingOut',
      says: [
        'False',
        'Rolling out would be blocked because Held by ClusterOperation c-create-1: nothing new is created',
      ],
    },
    {
      rule: 'reports no scale-down while held',
      target: 'Hold',
      of: { machineSets: found([set('now', 'small', 5)]) },
      type: 'ScalingDown',
      says: [
        'True',
        'Scaling down from 5 to 3 replicas is blocked because:\n* Held by ClusterOperation c-create-1: nothing new is created',
      ],
    },
    {
      rule: 'never reports Available in a teardown',
      target: 'Nothing',
      of: { machineDeployment: deployment({ spec: { replicas: 0 } }) },
      type: 'Available',
      says: ['False', 'Torn down by ClusterOperation c-create-1'],
    },
    { rule: 'reports no rollout in a teardown', target: 'Nothing', of: {}, type: 'RollingOut', says: ['False', ''] },
    {
      rule: 'reports the scale-down to zero in a teardown',
      target: 'Nothing',
      of: { machineSets: found([set('now', 'small', 3)]) },
      type: 'ScalingDown',
      says: ['True', 'Scaling down from 3 to 0 replicas'],
    },
  ])('$rule', ({ target, of, type, says }) => {
    const { status } = plan({ ...of, cluster: operated(target) }, workflows);
    const condition = (status?.conditions ?? []).find((one) => one.type === type);
    expect([condition?.status, condition?.message]).toEqual(says);
  });
});

describe('a condition of its machines', () => {
  const machine = (status: 'True' | 'False') =>
    ({
      metadata: { name: 'm' },
      status: { conditions: [{ type: 'UpToDate', status, reason: 'r', message: '' }] },
    }) as unknown as Machine;
  const saying = (status: 'True' | 'False') => ({
    ...deployment(),
    status: {
      conditions: [{ type: 'MachinesUpToDate', status, reason: 'r', message: '' }],
    } as MachineDeployment['status'],
  });
  const sets = (status: 'True' | 'False') =>
    found([{ ...set('now', 'small', 1), status: saying(status).status as unknown as MachineSet['status'] }]);

  it.each([
    { rule: 'that its set has not seen is requeued', was: 'True', says: 'False', reported: 'True', due: 5 },
    { rule: 'that changed back is requeued', was: 'False', says: 'True', reported: 'False', due: 5 },
    { rule: 'that its set has seen is reported', was: 'True', says: 'False', reported: 'False', due: undefined },
    {
      rule: 'that did not change is reported by the sets',
      was: 'True',
      says: 'True',
      reported: 'False',
      due: undefined,
    },
  ] as const)('$rule', ({ was, says, reported, due }) => {
    const of = { machineDeployment: saying(was), machines: found([machine(says)]), machineSets: sets(reported) };
    expect(plan(of).requeueAfter).toBe(due);
  });
});

describe('the status of many machines', () => {
  const many = Array.from({ length: 60 }, (_, i) => ({ metadata: { name: `m${i}` } }) as unknown as Machine);
  const reported = [
    { type: 'MachinesReady', status: 'False', reason: 'NotReady', message: 'm7', lastTransitionTime: '' },
  ];
  const rolling = (generation: number, conditions = reported) => ({
    ...deployment({ metadata: { generation } }),
    status: { observedGeneration: 1, conditions } as unknown as MachineDeployment['status'],
  });
  const later = { ...context, debouncedUntil: context.now + 12_000 };

  it('is debounced for longer the more there are', () => {
    expect(plan({ machines: found(many) }).debounce).toBe(20);
    expect(plan({ machines: found(many.slice(0, 10)) }).debounce).toBeUndefined();
  });

  it('is unchanged while it is debounced and reported afterwards, without delaying actions', () => {
    const sets = found([set('old', 'large', 3, { available: 3 }), set('new', 'small', 1)]);
    const templates = { infrastructure: found(hosts), bootstrap: undefined };
    const observed = {
      machineDeployment: rolling(1),
      cluster: cluster as Observed['cluster'],
      machineSets: sets,
      templates,
    };
    const { status, debounce, requeueAfter, actions } = planIn({ ...observed, machines: undefined }, later);
    expect(status?.conditions).toContainEqual(reported[0]);
    expect({ debounce, requeueAfter }).toEqual({ debounce: 12, requeueAfter: 12 });
    expect(actions?.map(summaryOf)).toContain('patch old to 2');
  });

  it.each([
    { rule: 'is not read while an earlier pass debounces it', of: rolling(1), context: later, lists: ['MachineSet'] },
    { rule: 'is read for a new generation', of: rolling(2), context: later, lists: ['MachineSet', 'Machine'] },
    { rule: 'is read otherwise', of: rolling(1), context, lists: ['MachineSet', 'Machine'] },
    {
      rule: 'is read after a failure',
      of: rolling(1),
      context: { ...later, lastFailure: { port: 'p', operation: 'o', code: 'c', message: 'm', at: 0 } },
      lists: ['MachineSet', 'Machine'],
    },
  ])('$rule', ({ of, context, lists }) => {
    const listed: string[] = [];
    const list = (kind: string) => {
      listed.push(kind);
      return found([]);
    };
    observe(of, { get: () => ({ state: 'absent' }), list } as unknown as Reader, context);
    expect(listed).toEqual(lists);
  });
});

describe('under an upgrade', () => {
  const machineDeployment = deployment();
  const revision = rolloutRevision(machineDeployment);
  const upgraded = (target?: ObjectTarget): Observed['cluster'] => ({
    ...(cluster as Cluster),
    metadata: {
      ...cluster.metadata,
      annotations: {
        [operationAnnotations.target]: 'Build',
        [operationAnnotations.wasAvailable]: 'true',
        ...(target && {
          [operationAnnotations.objectTargets]: JSON.stringify({ 'MachineDeployment/workers': target }),
        }),
      },
    },
  });
  const first: ObjectTarget = { target: 'Build', revision, most: 1 };
  const rolledBack: ObjectTarget = { target: 'RollBack', revision };
  const old = (replicas: number) => set('old', 'large', replicas, { revision: 1 });
  const now = (replicas: number, available = replicas) => set('now', 'small', replicas, { revision: 2, available });
  /** Each new Machine takes the place of another. */
  const inPlace = {
    rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
  };
  /** Scaled to 0, with a Machine in deletion. */
  const leaving: MachineSet = { ...old(0), status: old(1).status! };
  const acts = (target: ObjectTarget | undefined, sets: MachineSet[], spec: object = {}) =>
    does(
      { machineDeployment: deployment({ spec }), cluster: upgraded(target), machineSets: found(sets) },
      { workflows: true },
    );

  it.each<{ rule: string; target?: ObjectTarget; sets: MachineSet[]; spec?: object; does: string[] }>([
    { rule: 'creates no set before it is admitted', sets: [old(3)], does: [] },
    {
      rule: 'creates no set for an admitted revision of another spec',
      target: { ...first, revision: 'x' },
      sets: [old(3)],
      does: [],
    },
    { rule: 'scales meanwhile', sets: [old(3)], spec: { replicas: 5 }, does: ['patch old to 5'] },
    { rule: 'creates the first set of a new one', sets: [], does: ['create workers-abcde with 3'] },
    { rule: 'follows its spec without machines', sets: [old(0)], does: ['create workers-abcde with 3'] },
    {
      rule: 'waits for no upgrade with OnDelete',
      sets: [old(3)],
      spec: { rollout: { strategy: { type: 'OnDelete' } } },
      does: ['create workers-abcde with 0'],
    },
    {
      rule: 'creates the first machine of the revision',
      target: first,
      sets: [old(3)],
      does: ['create workers-abcde with 1'],
    },
    { rule: 'removes one machine for it', target: first, sets: [old(3), now(1)], does: ['patch old to 2'] },
    { rule: 'stops at the limit', target: first, sets: [old(2), now(1)], does: [] },
    {
      rule: 'adds replicas to the old set at the limit',
      target: first,
      sets: [old(2), now(1)],
      spec: { replicas: 6 },
      does: ['patch old to 5'],
    },
    {
      rule: 'adds none to the new set at the limit, though it is the larger one',
      target: first,
      sets: [old(1), now(1)],
      spec: { replicas: 4 },
      does: ['patch old to 3'],
    },
    {
      rule: 'removes one machine for it if none may be added beside',
      target: first,
      sets: [old(3), now(0)],
      spec: inPlace,
      does: ['patch old to 2'],
    },
    {
      rule: 'removes no more at the limit than maxUnavailable would allow',
      target: first,
      sets: [old(2), now(1)],
      spec: inPlace,
      does: [],
    },
    {
      rule: 'restores at the limit what the old set lacks',
      target: first,
      sets: [old(1), now(1)],
      spec: inPlace,
      does: ['patch old to 2'],
    },
    {
      rule: 'removes none at the limit for a machine that is unavailable',
      target: first,
      sets: [set('old', 'large', 2, { revision: 1, available: 1 }), now(1)],
      spec: inPlace,
      does: [],
    },
    {
      rule: 'adds none at the limit beside a machine in deletion',
      target: first,
      sets: [leaving, now(2)],
      spec: inPlace,
      does: [],
    },
    {
      rule: 'adds none beside a machine in deletion before it is admitted',
      sets: [leaving, now(2)],
      spec: { ...inPlace, template: template('other') },
      does: [],
    },
    {
      rule: 'removes old machines at the limit when the user wants fewer',
      target: first,
      sets: [old(2), now(1)],
      spec: { ...inPlace, replicas: 2 },
      does: ['patch old to 1'],
    },
    {
      rule: 'goes on once all are admitted',
      target: { target: 'Build', revision },
      sets: [old(2), now(1)],
      does: ['patch now to 2'],
    },
    {
      rule: 'restores the previous set after a rollback',
      target: rolledBack,
      sets: [old(2), now(1, 0)],
      does: ['patch old to 3'],
    },
    {
      rule: 'removes the new machines once the previous set is available',
      target: rolledBack,
      sets: [old(3), now(1, 0)],
      does: ['patch now to 0'],
    },
    {
      rule: 'keeps available machines until those of the previous set are',
      target: rolledBack,
      sets: [old(1), now(2)],
      does: ['patch old to 2'],
    },
    {
      rule: 'scales the previous set after a rollback',
      target: rolledBack,
      sets: [old(3), now(0)],
      spec: { replicas: 4 },
      does: ['patch old to 4'],
    },
  ])('$rule', ({ target, sets, spec, does: actions }) => expect(acts(target, sets, spec)).toEqual(actions));

  it('says why it does not roll out', () => {
    const outdated = {
      metadata: { name: 'm', labels: { of: 'workers' } },
      status: { conditions: [{ type: 'UpToDate', status: 'False', message: '* HostTemplate is not up-to-date' }] },
    } as unknown as Machine;
    const { status } = plan(
      { cluster: upgraded(), machineSets: found([old(3)]), machines: found([outdated]) },
      { workflows: true },
    );
    expect(conditionOf(status?.conditions, 'RollingOut')?.message).toBe(
      'Rolling out 1 not up-to-date replicas\n* Waiting for an upgrade of the cluster to admit the change\n* HostTemplate is not up-to-date',
    );
  });
});
