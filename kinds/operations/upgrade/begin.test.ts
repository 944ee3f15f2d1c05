import { describe, expect, it } from 'vitest';
import { contextOf, found, objectOf } from '../cluster-operation/operation.fixture.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import type { Observed } from '../starter/observe.ts';
import { reconcile } from '../starter/reconcile.ts';
import { objectsOf, revisionIn, scopeFor, type UpgradeState } from './upgrade.fixture.ts';

type Phase = NonNullable<NonNullable<ClusterOperation['status']>['phase']>;
interface Before {
  phase?: Phase;
  attempt?: number;
  /** Names of its objects; their revisions are those of `state` unless `earlier`. */
  objects?: string[];
  earlier?: boolean;
  retry?: string;
  type?: 'create' | 'upgrade';
  unnamed?: boolean;
}

const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'demo', uid: 'uid-of-demo' };
const operationIn = (
  state: UpgradeState,
  { phase, attempt = 1, objects = ['cp', 'a'], earlier, retry, type = 'upgrade', unnamed }: Before,
) => {
  const all = objectsOf(state);
  return objectOf('ClusterOperation', `demo-${type}-${attempt}`, {
    metadata: { ownerReferences: [owner] },
    spec: {
      clusterName: 'demo',
      type,
      attempt,
      fingerprint: '0123456789abcdef',
      ...(retry !== undefined && { retry }),
      objects: objects.map((name) => ({
        kind: name === 'cp' ? 'KubeadmControlPlane' : 'MachineDeployment',
        name,
        revision: earlier ? 'earlier' : revisionIn(all, name),
      })),
    },
    ...(!unnamed && { status: { phase: phase ?? 'Running', execution: 'e' } }),
  }) as ClusterOperation;
};

const snapshotOf = (state: UpgradeState, before: Before[] = []): Observed => {
  const { cluster, clusterState } = scopeFor(state);
  return {
    cluster,
    namespace: found(objectOf('Namespace', 'default')),
    operations: before.map((one) => operationIn(state, one)),
    description: { objects: [cluster], missing: [], unusable: [] },
    foreign: [],
    machines: clusterState.machines,
    rollouts: clusterState.rollouts,
  };
};

const deeds = (state: UpgradeState, before: Before[] = []): string[] => {
  const plan = reconcile(snapshotOf(state, before), contextOf({ seconds: state.seconds ?? 0 }));
  return [
    ...(plan.actions ?? []).map((action) => {
      if (action.do !== 'create') return action.do;
      const { metadata, spec } = action.object as ClusterOperation;
      return `${metadata.name}: ${spec?.objects?.map(({ name }) => name).join(' ')}`;
    }),
    ...Object.entries(plan.intent?.metadata?.annotations ?? {}).map(
      ([name, value]) => `${name.replace('capstan.dev/', '')}: ${value}`,
    ),
    ...(plan.requeueAfter === undefined ? [] : [`again in ${plan.requeueAfter}`]),
  ];
};

const built = { 'capstan.dev/target': 'Build' };
const fresh: UpgradeState = { cp: { fresh: 3 }, a: { fresh: 2 }, annotations: built };
const outdated: UpgradeState = { annotations: built };
const onlyWorkers: UpgradeState = { cp: { fresh: 3 }, a: { old: 2 }, annotations: built };
/** Of a cluster that had only its create. */
const first = (state: UpgradeState): UpgradeState => ({
  ...state,
  annotations: { ...built, 'capstan.dev/operation': 'demo-create-1' },
});
const retried = (state: UpgradeState): UpgradeState => ({
  ...state,
  annotations: { ...built, 'capstan.dev/retry': 'again' },
});
const rolledBack: UpgradeState = { ...onlyWorkers, targets: { 'MachineDeployment/a': { target: 'RollBack' } } };

describe('an upgrade', () => {
  it.each<{ rule: string; state: UpgradeState; before?: Before[]; does: string[] }>([
    { rule: 'does not begin while every Machine is as its spec wants it', state: fresh, does: [] },
    { rule: 'begins with every object that is outdated', state: first(outdated), does: ['demo-upgrade-1: cp a'] },
    { rule: 'of workers leaves the control plane out', state: first(onlyWorkers), does: ['demo-upgrade-1: a'] },
    {
      rule: 'waits while more edits of the same change may follow',
      state: { ...outdated, seconds: -59 },
      does: ['again in 1'],
    },
    {
      rule: 'waits for a control plane that has not seen its spec',
      state: { ...outdated, changed: { cp: { metadata: { generation: 3 } } } },
      does: ['again in 2'],
    },
    {
      rule: 'does not begin for a paused MachineDeployment',
      state: { ...onlyWorkers, changed: { a: { metadata: { annotations: { 'cluster.x-k8s.io/paused': 'true' } } } } },
      does: [],
    },
    {
      rule: 'waits for a create that still records its end',
      state: { ...outdated, annotations: { ...built, 'capstan.dev/operation': 'demo-create-1' } },
      before: [{ type: 'create' }],
      does: [],
    },
    {
      rule: 'is named by the Cluster, whose target stays',
      state: { ...outdated, annotations: { ...built, 'capstan.dev/operation': 'demo-create-1' } },
      before: [{ unnamed: true }],
      does: ['operation: demo-upgrade-1'],
    },
    { rule: 'that runs for these revisions goes on', state: outdated, before: [{}], does: [] },
    {
      rule: 'that runs is superseded by another revision, with all that is still outdated',
      state: outdated,
      before: [{ objects: ['a'] }],
      does: ['demo-upgrade-2: cp a'],
    },
    {
      rule: 'that runs is superseded by a newer revision of the same object',
      state: outdated,
      before: [{ earlier: true }],
      does: ['demo-upgrade-2: cp a'],
    },
    ...(['Held', 'RolledBack', 'Cancelled'] as const).flatMap((phase) => [
      {
        rule: `that ended as ${phase} does not begin again for the same spec`,
        state: outdated,
        before: [{ phase }],
        does: [],
      },
      {
        rule: `that ended as ${phase} begins again on request`,
        state: retried(outdated),
        before: [{ phase }],
        does: ['demo-upgrade-2: cp a'],
      },
      {
        rule: `that ended as ${phase} does not begin again for the same request`,
        state: retried(outdated),
        before: [{ phase, retry: 'again' }],
        does: [],
      },
    ]),
    ...(['Held', 'RolledBack', 'Cancelled'] as const).flatMap((phase) => [
      {
        rule: `that ended as ${phase} is noted as set back once every Machine is as its spec wants it`,
        state: {
          ...fresh,
          targets: {
            'KubeadmControlPlane/cp': { target: 'RollBack' as const, revision: 'earlier' },
            'MachineDeployment/b': { target: 'RollBack' as const, revision: 's' },
          },
        },
        before: [{ phase, earlier: true }],
        does: [
          'set-back-from: demo-upgrade-1',
          'object-targets: {"MachineDeployment/b":{"revision":"s","target":"RollBack"}}',
        ],
      },
      {
        rule: `that ended as ${phase} and was set back begins again for the same spec`,
        state: { ...outdated, annotations: { ...built, 'capstan.dev/set-back-from': 'demo-upgrade-1' } },
        before: [{ phase }],
        does: ['demo-upgrade-2: cp a'],
      },
      {
        rule: `that ended as ${phase} is not noted twice`,
        state: { ...fresh, annotations: { ...built, 'capstan.dev/set-back-from': 'demo-upgrade-1' } },
        before: [{ phase, earlier: true }],
        does: [],
      },
    ]),
    {
      rule: 'begins again when time has made Machines of the same revision outdated',
      state: onlyWorkers,
      before: [{ phase: 'Succeeded', objects: ['a'] }],
      does: ['demo-upgrade-2: a'],
    },
    {
      rule: 'leaves out an object that was rolled back to another upgrade',
      state: rolledBack,
      before: [{ phase: 'Succeeded', objects: ['cp'] }],
      does: [],
    },
    {
      rule: 'takes up an object that was rolled back on request',
      state: retried(rolledBack),
      before: [{ phase: 'Succeeded', objects: ['cp'] }],
      does: ['demo-upgrade-2: a'],
    },
    {
      rule: 'begins anew when its operation was removed',
      state: { ...onlyWorkers, annotations: { ...built, 'capstan.dev/operation': 'demo-upgrade-3' } },
      does: ['demo-upgrade-4: a'],
    },
    {
      rule: 'that succeeded leaves no admission behind, but what was rolled back',
      state: {
        ...fresh,
        targets: {
          'KubeadmControlPlane/cp': { target: 'Build', revision: 'r' },
          'MachineDeployment/b': { target: 'RollBack', revision: 's' },
        },
      },
      before: [{ phase: 'Succeeded' }],
      does: ['object-targets: {"MachineDeployment/b":{"revision":"s","target":"RollBack"}}'],
    },
  ])('$rule', ({ state, before, does }) => expect(deeds(state, before)).toEqual(does));

  it('records the versions, the revisions and the policy', () => {
    const state: UpgradeState = {
      annotations: { ...built, 'capstan.dev/on-upgrade-failure': 'Hold', 'capstan.dev/upgrade-deadline': '15m' },
    };
    const plan = reconcile(snapshotOf(state), contextOf({}));
    const [action] = plan.actions!;
    expect(action).toMatchObject({
      object: {
        spec: {
          type: 'upgrade',
          policy: { deadline: '900s', onFailure: 'Hold' },
          objects: [
            { kind: 'KubeadmControlPlane', name: 'cp', from: 'v1.35.0', to: 'v1.36.0' },
            { kind: 'MachineDeployment', name: 'a', revision: revisionIn(objectsOf(state), 'a') },
          ],
        },
      },
    });
  });
});
