/** What a control plane does while no upgrade admits its spec, up to a limit, and after a rollback. */
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Plan } from '../../../machinery/api/reconcile.ts';
import type { Admission } from '../../core/contract/rollout.ts';
import {
  a,
  ago,
  b,
  type ControlPlaneState,
  c,
  context,
  controlPlaneOf,
  creation,
  does,
  found,
  old,
  storedConfiguration,
} from './control-plane.fixture.ts';
import type { ControlPlane } from './control-plane.ts';
import { annotations } from './names.ts';
import { reconcile } from './reconcile.ts';
import { settled } from './settled.fixture.ts';

const waiting: Admission = { state: 'Waiting' };
const first: Admission = { state: 'Admitted', most: 1 };
const all: Admission = { state: 'Admitted', most: Number.POSITIVE_INFINITY };
const rolledBack: Admission = { state: 'RolledBack' };
/** The first Machine of the new version, without a Node. */
const fresh = { name: 'd', age: 1, node: false };

const noted = (data: Record<string, string>, minutes = 5) => ({
  [annotations.kubeadmConfigBefore]: JSON.stringify({ at: ago(minutes), data }),
});
const text = (version: string) => `${storedConfiguration(version)}networking: {}\n`;
const before = { ClusterConfiguration: text('v1.34.0') };
const after = { ClusterConfiguration: text('v1.35.0') };

const planOf = (state: ControlPlaneState, data?: Record<string, string>, more: Partial<ControlPlane> = {}): Plan => {
  const controlPlane = settled(controlPlaneOf(state));
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kubeadm-config' }, data };
  const kubeadmConfig = data ? found(configMap as unknown as KubeObject) : controlPlane.live.kubeadmConfig;
  const live = { ...controlPlane.live, ...(kubeadmConfig && { kubeadmConfig }) };
  return reconcile({ controlPlane: { ...controlPlane, live, ...more } }, context()) as Plan;
};
const versionsIn = ({ actions = [] }: Plan): string[] =>
  actions.flatMap((action) => {
    const { object } = action as { object?: KubeObject };
    return object?.kind === 'Machine' ? [(object.spec as { version: string }).version] : [];
  });
const noteIn = ({ intent }: Plan): unknown =>
  (intent?.metadata as { annotations?: Record<string, unknown> } | undefined)?.annotations?.[
    annotations.kubeadmConfigBefore
  ];

describe('a control plane under an upgrade', () => {
  it.each<{ rule: string; expected: string[] } & ControlPlaneState>([
    { rule: 'keeps its machines while it waits', machines: [old(a), old(b), old(c)], admission: waiting, expected: [] },
    {
      rule: 'keeps a half-done rollout as it is while it waits',
      machines: [a, old(b), old(c)],
      admission: waiting,
      expected: [],
    },
    {
      rule: 'keeps what is wanted and what is not, after its spec was set back, while it waits',
      machines: [{ ...a, age: 90 }, b, c, { ...old(c), name: 'd', age: 1 }],
      admission: waiting,
      expected: [],
    },
    {
      rule: 'takes back a machine that has not joined, after its spec was set back',
      machines: [{ ...a, age: 90 }, b, c, { ...old(c), name: 'd', age: 1, node: false }],
      admission: waiting,
      expected: ['delete Machine d'],
    },
    {
      rule: 'waits for the machine that it takes back',
      machines: [{ ...a, age: 90 }, b, c, { ...old(c), name: 'd', age: 1, node: false, deleting: true }],
      admission: waiting,
      expected: [],
    },
    {
      rule: 'keeps a machine that has not joined in the place of one that is wanted',
      machines: [{ ...a, age: 90 }, b, { ...old(c), name: 'd', age: 1, node: false }],
      admission: waiting,
      expected: [],
    },
    {
      rule: 'is scaled down while it waits, if it has one revision only',
      machines: [{ ...old(a), age: 90 }, old(b), old(c), { ...old(c), name: 'd' }],
      admission: waiting,
      expected: ['delete Machine a'],
    },
    {
      rule: 'adds the first machine of the revision',
      machines: [old(a), old(b), old(c)],
      admission: first,
      expected: creation('kcp-xxxx0'),
    },
    {
      rule: 'removes an old machine for the first new one',
      machines: [{ ...a, age: 1 }, { ...old(b), age: 90 }, old(c), { ...old(c), name: 'd' }],
      admission: first,
      expected: ['delete Machine b'],
    },
    { rule: 'stops after the first machine', machines: [a, old(b), old(c)], admission: first, expected: [] },
    {
      rule: 'keeps a surplus machine while the upgrade is held',
      machines: [{ ...a, age: 1 }, { ...old(b), age: 90 }, old(c), { ...old(c), name: 'd' }],
      admission: { ...first, held: true },
      expected: [],
    },
    {
      rule: 'is scaled down to its surge while the upgrade is held',
      machines: [{ ...a, age: 1 }, { ...old(b), age: 90 }, old(c), { ...old(c), name: 'd' }, { ...old(c), name: 'e' }],
      admission: { ...first, held: true },
      expected: ['delete Machine b'],
    },
    {
      rule: 'removes what scaling up has added before what the upgrade has still to admit',
      machines: [{ ...a, age: 90 }, b, c, { ...old(c), name: 'd', age: 99 }, { ...old(c), name: 'e', age: 99 }],
      admission: first,
      expected: ['delete Machine a'],
    },
    {
      rule: 'goes on once all are admitted',
      machines: [a, old(b), old(c)],
      admission: all,
      expected: creation('kcp-xxxx0'),
    },
    {
      rule: 'returns kubeadm’s ConfigMap to the previous version without a note',
      machines: [old(a), old(b), old(c), fresh],
      admission: rolledBack,
      expected: ['patch kubeadm-config'],
    },
    {
      rule: 'keeps its machines after a rollback',
      machines: [old(a), old(b), old(c)],
      admission: rolledBack,
      expected: [],
    },
  ])('$rule', ({ expected, ...state }) => expect(does(planOf(state))).toEqual(expected));

  it('scales down machines that wait for new certificates', () => {
    const plan = planOf({
      machines: [a, b, c].map((machine) => ({ ...machine, expires: ago(-60) })),
      replicas: 1,
      spec: { rollout: { before: { certificatesExpiryDays: 10 } } },
      admission: waiting,
    });
    expect(does(plan)).toEqual(['delete Machine a']);
  });

  it.each([waiting, rolledBack])('replaces a lost machine by one of its previous version: $state', (admission) => {
    const plan = planOf({ machines: [old(a), old(b)], admission });
    expect(versionsIn(plan)).toEqual(['v1.34.0']);
  });

  it('says why it does not roll out', () => {
    const message = (admission: Admission) =>
      (
        planOf({ machines: [old(a), old(b), old(c)], admission }).status as unknown as {
          conditions: { type: string; message: string }[];
        }
      ).conditions.find(({ type }) => type === 'RollingOut')?.message;
    expect(message(waiting)).toBe(
      'Rolling out 3 not up-to-date replicas\n* Waiting for an upgrade of the cluster to admit the change\n* Version v1.34.0, v1.35.0 required',
    );
    expect(message(rolledBack)).toContain('* Rolled back by an upgrade of the cluster');
  });
});

describe('the note of kubeadm’s ConfigMap', () => {
  const machines = [old(a), old(b), old(c)];

  it('is taken with the first change', () => {
    const plan = planOf({ machines, admission: first }, before);
    expect(JSON.parse(noteIn(plan) as string)).toEqual({ at: ago(0), data: before });
    expect(does(plan)).toEqual(['patch kubeadm-config']);
  });

  it('stays while no machine has joined since', () => {
    const plan = planOf({ machines: [...machines, fresh], annotations: noted(before), admission: first }, before);
    expect(noteIn(plan)).toBeUndefined();
  });

  it('is taken anew once a machine has joined', () => {
    const joined = { ...a, name: 'd', age: 1, version: 'v1.34.9' };
    const plan = planOf({ machines: [...machines, joined], annotations: noted(before), admission: all }, after);
    expect(JSON.parse(noteIn(plan) as string)).toEqual({ at: ago(0), data: after });
  });

  it('is put back by a rollback before the machine goes, without what was added', () => {
    const rollback = { machines: [...machines, fresh], annotations: noted(before), admission: rolledBack };
    const plan = planOf(rollback, { ...after, Added: 'x' });
    expect(plan.actions).toMatchObject([{ input: { patch: { data: { ...before, Added: null } } } }]);
    expect(does(planOf(rollback, before))).toEqual(['delete Machine d']);
  });

  it.each([
    { rule: 'is removed after a rollback', given: { machines, admission: rolledBack }, data: before },
    { rule: 'is removed after a rollout', given: { machines: [a, b, c], admission: all }, data: after },
  ])('$rule', ({ given, data }) => {
    const plan = planOf({ ...given, annotations: noted(before) }, data);
    expect(noteIn(plan)).toBeNull();
    expect(does(plan)).toEqual([]);
  });

  it.each([
    { rule: 'later', age: 2 },
    { rule: 'in the same second', age: 5 },
  ])('is obsolete after a rollback to a revision whose machine was created $rule, and joined', ({ age }) => {
    const joined = { ...a, name: 'd', age, version: 'v1.34.9' };
    const given = { machines: [...machines, joined, { ...fresh, name: 'e' }], admission: rolledBack };
    const plan = planOf({ ...given, annotations: noted(before, 5) }, { ClusterConfiguration: text('v1.34.9') });
    expect(noteIn(plan)).toBeNull();
    expect(does(plan)).toEqual([]);
  });

  it('stays when a machine that the rollback created has joined with what was restored', () => {
    const replacement = { ...old(c), name: 'd', age: 2 };
    const given = { machines: [old(a), old(b), replacement, { ...fresh, name: 'e' }], admission: rolledBack };
    const plan = planOf({ ...given, annotations: noted(before) }, before);
    expect(noteIn(plan)).toBeUndefined();
    expect(does(plan)).toEqual(['delete Machine e']);
  });

  it('stays while the workload cluster does not answer', () => {
    const live = { kubeadmConfig: { state: 'unreadable', reason: 'timeout' } } as unknown as ControlPlane['live'];
    const controlPlane = settled(controlPlaneOf({ machines, annotations: noted(before), admission: rolledBack }));
    const plan = reconcile({ controlPlane: { ...controlPlane, live: { ...controlPlane.live, ...live } } }, context());
    expect([noteIn(plan as Plan), does(plan), plan.requeueAfter]).toEqual([undefined, [], 15]);
  });
});

describe('the rollback of a control plane with new members', () => {
  const [newA, newB] = [
    { ...a, age: 3 },
    { ...b, age: 2 },
  ];
  const back = (machines: ControlPlaneState['machines'], more: Partial<ControlPlaneState> = {}) =>
    planOf({ machines, annotations: noted(before), admission: rolledBack, ...more }, before);

  it('restores the ConfigMap before it creates a machine', () => {
    const plan = planOf(
      { machines: [newA, newB, old(c)], annotations: noted(before), admission: rolledBack },
      { ...after, Added: 'x' },
    );
    expect(plan.actions).toMatchObject([{ input: { patch: { data: { ...before, Added: null } } } }]);
  });

  it('takes new machines away although no machine could join', () => {
    const broken = { ClusterConfiguration: before.ClusterConfiguration.replace('api.example.com', 'old.example.com') };
    const removal = { machines: [newA, newB, old(c), { ...old(a), name: 'd', age: 1 }], admission: rolledBack };
    expect(does(planOf(removal, broken))).toEqual(['delete Machine a']);
    expect(does(planOf({ ...removal, replicas: 4 }, broken))).toEqual([]);
  });

  it('creates machines of the old version from the old ones', () => {
    const plan = back([newA, newB, old(c)]);
    expect(versionsIn(plan)).toEqual(['v1.34.0']);
  });

  it.each<{
    rule: string;
    machines: ControlPlaneState['machines'];
    more?: Partial<ControlPlaneState>;
    expected: string[];
  }>([
    {
      rule: 'removes one new machine once the old one serves',
      machines: [newA, newB, old(c), { ...old(a), name: 'd', age: 1 }],
      expected: ['delete Machine a'],
    },
    {
      rule: 'removes a new machine that is ill first',
      machines: [newA, { ...newB, healthy: false }, old(c), { ...old(a), name: 'd', age: 1 }],
      expected: ['delete Machine b'],
    },
    {
      rule: 'adds an old machine although a new one is ill, while etcd keeps its quorum',
      machines: [newA, { ...newB, healthy: false }, old(c), { ...old(a), name: 'd', age: 1 }],
      more: { replicas: 4 },
      expected: creation('kcp-xxxx0'),
    },
    {
      rule: 'adds none while etcd would lose its quorum',
      machines: [newA, { ...newB, healthy: false }, old(c)],
      expected: [],
    },
    {
      rule: 'adds none while a machine is being deleted',
      machines: [{ ...newA, deleting: true }, newB, old(c)],
      expected: [],
    },
    {
      rule: 'adds none while the members of etcd are unknown',
      machines: [newA, newB, old(c)],
      more: { etcdReadable: false },
      expected: [],
    },
    {
      rule: 'waits for the machine that it added',
      machines: [newA, newB, old(c), { ...old(a), name: 'd', age: 1, node: false }],
      expected: [],
    },
  ])('$rule', ({ machines, more, expected }) => expect(does(back(machines, more))).toEqual(expected));

  it('keeps the note and the ConfigMap once the added machine has joined', () => {
    const machines = [newA, newB, old(c), { ...old(a), name: 'd', age: 1 }];
    const plan = back(machines);
    expect(noteIn(plan)).toBeUndefined();
    expect(does(plan)).toEqual(['delete Machine a']);
  });
});
