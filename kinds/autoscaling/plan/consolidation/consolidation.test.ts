/** Moves of pods to cheaper nodes: when one begins, and what becomes of it. */
import { describe, expect, it } from 'vitest';
import { type Decision, type Inputs, plan } from '../index.ts';
import { amount, idOf, inputs, machines, minute, node, now, pending, pool, running, shape } from '../plan.fixture.ts';
import type { History, Machine, MoveHistory, Node, Pod, Pool, Snapshot } from '../types.ts';

const hour = 60 * minute;
const consolidate = { saving: 0.1, payback: hour, age: 10 * minute, evictions: 0.01 };
const prices = { 'm5.xlarge/on-demand': 0.192, 'm5.large/on-demand': 0.096, 'm5.2xlarge/on-demand': 0.384 };
const half = amount(2, 8, { pods: 110 });
const os = { 'kubernetes.io/os': 'linux' };
const smallTemplate = { capacity: half, allocatable: half, labels: os };

const big = (names: string[], more: Partial<Pool> = {}) =>
  pool('big', { machines: machines(...names), consolidate, ...more });
const small = (more: Partial<Pool> = {}) =>
  pool('small', { instanceType: 'm5.large', template: smallTemplate, consolidate, ...more });
const smallNode = (name: string, more: Partial<Node> = {}): Node =>
  node(name, { allocatable: half, capacity: half, ...more });

type Given = {
  nodes?: Node[];
  pods?: Pod[];
  big?: Partial<Pool>;
  small?: Partial<Pool>;
  more?: Partial<Inputs>;
  snapshot?: Partial<Snapshot>;
};
/** One node of the dear pool, whose pods fit on one node of the cheap pool. */
const given = ({ nodes = [node('b')], pods = running('b', 1), ...of }: Given = {}): Inputs => {
  const names = nodes.filter(({ name }) => name.startsWith('b')).map(({ name }) => name);
  return inputs(
    { nodes, pods, pools: [big(names, of.big), small(of.small)], ...of.snapshot },
    { prices, history: {}, ...of.more },
  );
};
const used = (name = 'b') => running(name, 1, { requests: amount(1.5, 6) });
const scaled = ({ scale }: Decision) =>
  scale.map(({ pool: id, from, to, reason }) => `${id} ${from} -> ${to} ${reason}`);
const removed = ({ remove }: Decision) => remove.map(({ node: name, reason }) => `${name} ${reason}`);
const noteOf = ({ nodes }: Decision, name = 'b') => nodes.find((one) => one.node === name)?.message;

describe('a move', () => {
  it('begins with the new node, and evicts nothing before it is ready', () => {
    const decision = plan(given());
    expect(scaled(decision)).toEqual([`${idOf('small')} 0 -> 1 Consolidation`]);
    expect(decision.remove).toEqual([]);
    expect(decision.move).toMatchObject({ state: 'Started', nodes: ['b'], pool: idOf('small'), since: now });
    expect(decision.move!.saving).toBeCloseTo(0.096);
    expect(decision.history.consolidation).toEqual({ move: { at: now, nodes: ['b'], pool: idOf('small') } });
  });
  it('keeps pods apart that avoid each other', () => {
    const nodes = ['b1', 'b2'].map((name) => node(name));
    const labelSelector = { matchLabels: shape().labels };
    const antiAffinity = [{ topologyKey: 'kubernetes.io/hostname', labelSelector }];
    const pods = (more: object) => ['b1', 'b2'].flatMap((name) => running(name, 1, { requests: amount(2), ...more }));
    const moved = (more: object) => removed(plan(given({ nodes, pods: pods(more), small: { max: 0 } })));
    expect([moved({}), moved({ antiAffinity })]).toEqual([['b1 Consolidated'], []]);
  });
  it('needs no new node if the others have room', () => {
    const nodes = [node('b1'), node('b2')];
    const pods = [...running('b1', 2), ...running('b2', 2)];
    const decision = plan(given({ nodes, pods }));
    expect([removed(decision), scaled(decision)]).toEqual([['b1 Consolidated'], [`${idOf('big')} 2 -> 1 ScaleDown`]]);
    expect(decision.move).toMatchObject({ state: 'Draining', nodes: ['b1'] });
    expect(decision.move?.pool).toBeUndefined();
  });
  it('uses an empty node that there is already', () => {
    const nodes = [node('b'), smallNode('s')];
    const decision = plan(given({ nodes, pods: used(), small: { machines: machines('s') } }));
    expect([removed(decision), scaled(decision)]).toEqual([['b Consolidated'], [`${idOf('big')} 1 -> 0 ScaleDown`]]);
  });
  it('joins nodes of several pools on a larger one', () => {
    const large = amount(8, 32, { pods: 110 });
    const huge = pool('huge', {
      instanceType: 'm5.2xlarge',
      template: { capacity: large, allocatable: large, labels: os },
      consolidate,
    });
    const zones = ['x', 'y', 'z'];
    const three = zones.map((name) => pool(name, { machines: machines(name), consolidate, max: 1 }));
    const pods = zones.flatMap((name) => running(name, 1, { requests: amount(2.2, 8) }));
    const decision = plan(
      inputs({ nodes: zones.map((name) => node(name)), pods, pools: [huge, ...three] }, { prices, history: {} }),
    );
    expect(scaled(decision)).toEqual([`${idOf('huge')} 0 -> 1 Consolidation`]);
    expect(decision.move?.nodes.toSorted()).toEqual(['x', 'y', 'z']);
  });
});

describe('no move begins', () => {
  const budget = (disruptionsAllowed: number) => ({
    budgets: [{ namespace: 'default', name: 'b', selector: { matchLabels: { app: 'web' } }, disruptionsAllowed }],
  });
  const past = (consolidation: MoveHistory): Partial<Inputs> => ({ history: { consolidation } });
  const owner = 'default/ReplicaSet/web';
  const spot = { 'm5.xlarge/spot': 0.06, 'm5.large/spot': 0.045 };
  it.each<{ rule: string; of: Given; note?: string }>([
    { rule: 'without prices', of: { more: { prices: {} } }, note: 'the price of its instance is unknown' },
    {
      rule: 'to a pool of unknown price',
      of: { more: { prices: { 'm5.xlarge/on-demand': 1 } } },
      note: 'no cheaper place for its pods',
    },
    { rule: 'from a pool that did not opt in', of: { big: { consolidate: undefined! } } },
    { rule: 'to a new node of a pool that did not opt in', of: { small: { consolidate: undefined! } } },
    {
      rule: 'for a small saving',
      of: { more: { prices: { ...prices, 'm5.large/on-demand': 0.18 } } },
      note: 'no cheaper place for its pods',
    },
    {
      rule: 'for less than the pool wants to save',
      of: { big: { consolidate: { ...consolidate, saving: 0.6 } } },
      note: 'no cheaper place for its pods',
    },
    {
      rule: 'that pays for itself too late',
      of: { big: { consolidate: { ...consolidate, payback: 10 * minute } } },
      note: 'no cheaper place for its pods',
    },
    {
      rule: 'from a young node',
      of: { nodes: [node('b', { createdAt: now - 9 * minute })] },
      note: 'it is too young to move its pods: until 2026-11-27T12:01:00Z',
    },
    {
      rule: 'from a node to which pods moved within the hour',
      of: {
        pods: used().map((pod) => ({ ...pod, createdAt: now - 58 * minute })),
        more: past({ moved: [{ at: now - 59 * minute, owners: [owner] }] }),
      },
      note: 'pods moved to it recently: until 2026-11-27T12:01:00Z',
    },
    {
      rule: 'soon after another',
      of: { more: past({ notBefore: now + minute }) },
      note: 'no move begins before 2026-11-27T12:01:00Z',
    },
    { rule: 'from a pool at its minimum', of: { big: { min: 1 } }, note: 'the pool has its minimum of 1' },
    { rule: 'to a pool at its maximum', of: { small: { max: 0 } }, note: 'no cheaper place for its pods' },
    {
      rule: 'soon after a scale-up of the pool',
      of: { more: { history: { pools: { [idOf('big')]: { scaledUpAt: now - 9 * minute } } } } },
      note: 'the pool was scaled up recently: until 2026-11-27T12:01:00Z',
    },
    { rule: 'in a rollout', of: { big: { rollingOut: true } } },
    { rule: 'to a pool in a rollout', of: { small: { rollingOut: true } } },
    { rule: 'of a paused pool', of: { big: { held: 'paused' } } },
    { rule: 'to a paused pool', of: { small: { held: 'paused' } } },
    { rule: 'beside another autoscaler', of: { snapshot: { conflict: 'cluster-autoscaler' } } },
    {
      rule: 'while pods wait for a node',
      of: {
        pods: [...used(), ...pending(1, { requests: amount(3.5) })],
        big: { max: 1 },
      },
      note: 'pods wait for a node',
    },
    {
      rule: 'while nodes come',
      of: { small: { replicas: 1, machines: [{ name: 'm', createdAt: now - minute }] } },
      note: 'nodes are coming',
    },
    {
      rule: 'while nodes start',
      of: {
        nodes: [node('b'), smallNode('s', { ready: false, createdAt: now - minute })],
        small: { machines: machines('s') },
      },
      note: 'nodes are coming',
    },
    {
      rule: 'while nodes leave',
      of: {
        nodes: [node('b'), smallNode('s')],
        small: { replicas: 0, machines: [{ ...machines('s')[0]!, deleting: true }] },
      },
      note: 'nodes are being removed',
    },
    {
      rule: 'against a disruption budget',
      of: { snapshot: budget(0) },
      note: 'pod default/b-web-0: NotEnoughPdb',
    },
    {
      rule: 'of pods that share a budget',
      of: { pods: [...running('b', 2, { requests: amount(0.9) })], snapshot: budget(1) },
      note: 'pod default/b-web-1: NotEnoughPdb',
    },
    {
      rule: 'of a pod without an owner',
      of: { pods: running('b', 1, {}, { owner: undefined }) },
      note: 'pod default/b-web-0: NotReplicated',
    },
    {
      rule: 'of pods that the new node cannot run',
      of: { pods: running('b', 1, { nodeSelector: { disk: 'ssd' } }), nodes: [node('b', { labels: { disk: 'ssd' } })] },
      note: 'no cheaper place for its pods',
    },
    {
      rule: 'of pods larger than the new node',
      of: { pods: running('b', 1, { requests: amount(2.1) }) },
      note: 'no cheaper place for its pods',
    },
    {
      rule: 'between spot nodes for what prices vary by',
      of: { big: { market: 'spot' }, small: { market: 'spot' }, more: { prices: spot } },
      note: 'no cheaper place for its pods',
    },
    {
      rule: 'beyond a limit of the cluster',
      of: { more: { settings: { limits: { nodes: 1 } } } },
      note: 'no cheaper place for its pods',
    },
    {
      rule: 'while the instance type has no capacity',
      of: { more: { history: { offerings: { 'm5.large/az-a/on-demand': { failures: 1, at: now - 1000 } } } } },
      note: 'no cheaper place for its pods',
    },
    {
      rule: 'from an annotated node',
      of: { nodes: [node('b', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })] },
    },
  ])('$rule', ({ of, note }) => {
    const decision = plan(given({ pods: used(), ...of }));
    const isBought = decision.scale.some(({ reason }) => reason === 'Consolidation');
    expect([isBought, removed(decision), decision.move]).toEqual([false, [], undefined]);
    const messages = decision.nodes.flatMap((one) => [one.note, one.message]);
    if (note !== undefined) expect(messages.join()).toContain(note);
  });

  it('does with the same pods without those reasons', () =>
    expect(plan(given({ pods: used() })).move).toMatchObject({ state: 'Started' }));
  it('between spot nodes does for more than prices vary by', () => {
    const cheap = { ...spot, 'm5.large/spot': 0.03 };
    const of = { big: { market: 'spot' as const }, small: { market: 'spot' as const }, more: { prices: cheap } };
    expect(plan(given(of)).move).toMatchObject({ state: 'Started' });
  });
});

describe('a move that waits', () => {
  const at = now - minute;
  const history: History = { consolidation: { move: { at, nodes: ['b'], pool: idOf('small') } } };
  const coming: Machine = { name: 'm', createdAt: at };
  const come: Machine = { ...coming, node: 's' };
  const waiting = (of: Given & { machine?: Partial<Machine>; replicas?: number } = {}): Inputs =>
    given({
      pods: used(),
      ...of,
      small: {
        replicas: of.replicas ?? 1,
        machines: of.replicas === 0 ? [] : [{ ...coming, ...of.machine }],
        ...of.small,
      },
      more: { history, ...of.more },
    });
  const arrived = (of: Given = {}, more: Partial<Node> = {}): Inputs =>
    waiting({ machine: come, nodes: [node('b'), smallNode('s', { createdAt: now - 30_000, ...more })], ...of });

  it.each<{ rule: string; of: Inputs }>([
    { rule: 'has no Machine', of: waiting({ small: { machines: [] } }) },
    { rule: 'is a Machine only', of: waiting() },
    { rule: 'is not ready', of: arrived({}, { ready: false }) },
    {
      rule: 'has a startup taint',
      of: arrived({}, { taints: [{ key: 'startup-taint.cluster-autoscaler.kubernetes.io/x', effect: 'NoSchedule' }] }),
    },
  ])('evicts nothing while its new node $rule', ({ of }) => {
    const decision = plan(of);
    expect([removed(decision), scaled(decision), decision.move?.state]).toEqual([[], [], 'Waiting']);
    expect(decision.history.consolidation).toEqual(history.consolidation);
    expect(noteOf(decision)).toBe('its pods move to a new node of small when that is ready');
  });
  it('waits even if others have room meanwhile', () =>
    expect(removed(plan(waiting({ nodes: [node('b'), node('b2')], pods: [...used(), ...running('b2', 1)] })))).toEqual(
      [],
    ));

  it('removes its nodes when the new one is ready, and keeps that', () => {
    const decision = plan(arrived());
    expect([removed(decision), scaled(decision)]).toEqual([['b Consolidated'], [`${idOf('big')} 1 -> 0 ScaleDown`]]);
    expect(decision.move).toMatchObject({ state: 'Draining', nodes: ['b'], pool: idOf('small'), since: at });
    expect(noteOf(decision, 's')).toBe('it replaces b');
    const interval = Math.ceil((1.25 / 0.01) * hour);
    expect(decision.history.consolidation).toEqual({
      moved: [{ at: now, owners: ['default/ReplicaSet/web'] }],
      notBefore: now + interval,
    });
  });
  it('goes on after a crash between its writes', () => {
    const marked = [{ ...machines('b')[0]!, marked: true }];
    expect(removed(plan(arrived({ big: { machines: marked, replicas: 1 } })))).toEqual(['b Consolidated']);
    const done = plan(arrived({ big: { machines: marked, replicas: 0 } }));
    expect([removed(done), done.move]).toEqual([[], undefined]);
    expect(done.history.consolidation).toMatchObject({ moved: [{ owners: ['default/ReplicaSet/web'] }] });
  });
  it('waits for a disruption budget', () => {
    const budgets = [{ namespace: 'default', name: 'x', selector: {}, disruptionsAllowed: 0 }];
    const decision = plan(arrived({ snapshot: { budgets } }));
    expect([removed(decision), decision.move]).toMatchObject([
      [],
      { state: 'Waiting', message: 'b: pod default/b-web-0: NotEnoughPdb' },
    ]);
  });

  const expired = { consolidation: { move: { ...history.consolidation!.move!, at: now - 31 * minute } } };
  it.each<{ rule: string; of: Inputs; message: string }>([
    { rule: 'no replica is left', of: waiting({ replicas: 0 }), message: 'the new node does not come' },
    {
      rule: 'there is no capacity',
      of: waiting({ machine: { capacityError: { code: 'InsufficientInstanceCapacity', at } } }),
      message: 'the new node does not come',
    },
    {
      rule: 'its Machine becomes no node',
      of: waiting({ machine: { createdAt: now - 16 * minute }, more: { history: expired } }),
      message: 'the new node does not come',
    },
    {
      rule: 'other pods take its room',
      of: arrived({ pods: [...used(), ...running('s', 1)] }),
      message: 'its pods do not fit any more',
    },
    {
      rule: 'it saves too little now',
      of: arrived({ more: { history, prices: { ...prices, 'm5.large/on-demand': 0.19 } } }),
      message: 'it no longer saves enough',
    },
    {
      rule: 'a price is unknown now',
      of: arrived({ more: { history, prices: { 'm5.large/on-demand': 0.1 } } }),
      message: 'the price of a node is unknown',
    },
    {
      rule: 'a pool opted out',
      of: arrived({ big: { consolidate: undefined! } }),
      message: `${idOf('big')} opted out`,
    },
    {
      rule: 'a pool is paused',
      of: arrived({ big: { held: 'it is paused' } }),
      message: `${idOf('big')}: it is paused`,
    },
    {
      rule: 'a rollout began',
      of: arrived({ big: { rollingOut: true } }),
      message: `a rollout of ${idOf('big')} is in progress`,
    },
    { rule: 'its nodes are gone', of: arrived({ nodes: [smallNode('s')], pods: [] }), message: 'its nodes are gone' },
    {
      rule: 'a disruption budget allows nothing in time',
      of: arrived({
        more: { history: expired },
        snapshot: { budgets: [{ namespace: 'default', name: 'x', selector: {}, disruptionsAllowed: 0 }] },
      }),
      message: 'b: pod default/b-web-0: NotEnoughPdb',
    },
  ])('is withdrawn if $rule, and not repeated for an hour', ({ of, message }) => {
    const decision = plan(of);
    expect(decision.move).toMatchObject({ state: 'Withdrawn', message });
    expect(removed(decision).filter((one) => one.endsWith('Consolidated'))).toEqual([]);
    expect(decision.history.consolidation).toEqual({ notBefore: now + hour, withdrawn: 1 });
  });
  it('is tried again ever later while it is withdrawn', () => {
    const fits = (withdrawn: number) => ({ consolidation: { ...history.consolidation!, withdrawn } });
    const next = (withdrawn: number) =>
      plan(waiting({ replicas: 0, more: { history: fits(withdrawn) } })).history.consolidation;
    expect([0, 1, 2, 9].map((withdrawn) => (next(withdrawn)!.notBefore! - now) / hour)).toEqual([1, 2, 4, 24]);
    expect(next(1)).toMatchObject({ withdrawn: 2 });
  });
});
