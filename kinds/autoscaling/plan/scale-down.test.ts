import { describe, expect, it } from 'vitest';
import { type Inputs, plan } from './index.ts';
import { amount, idOf, inputs, machines, minute, node, now, pending, pool, running } from './plan.fixture.ts';
import type { Node, Pod, PodShape, Pool } from './types.ts';

const long = now - 11 * minute;
const names = (count: number) => Array.from({ length: count }, (_, at) => `n${String(at).padStart(4, '0')}`);

type Given = {
  pods?: Pod[];
  pool?: Partial<Pool>;
  node?: Partial<Node>;
  more?: Partial<Inputs>;
  snapshot?: object;
  count?: number;
};
/** Nodes that were unneeded for long; the pods say whether they still are. */
const given = ({ pods = [], pool: change = {}, node: of = {}, more = {}, snapshot = {}, count = 2 }: Given): Inputs => {
  const all = names(count);
  return inputs(
    {
      nodes: all.map((name, at) => node(name, at === 0 ? of : {})),
      pods,
      pools: [pool('a', { machines: machines(...all), ...change })],
      ...snapshot,
    },
    { history: { unneededSince: Object.fromEntries(all.map((name) => [name, long])) }, ...more },
  );
};
const first = 'n0000';
const busy = running('n0001', 3);
const removed = (of: Inputs) => plan(of).remove.map(({ node: name, reason }) => `${name} ${reason}`);
const stateOf = (of: Inputs, name = first) => plan(of).nodes.find((one) => one.node === name);

describe('removes', () => {
  it('exactly the Machine of an empty node', () => {
    const decision = plan(given({ pods: busy }));
    expect(decision.remove).toEqual([{ pool: idOf('a'), machine: `machine-${first}`, node: first, reason: 'Empty' }]);
    expect(decision.scale).toEqual([{ pool: idOf('a'), from: 2, to: 1, reason: 'ScaleDown' }]);
  });
  it('a node whose pods fit elsewhere', () =>
    expect(removed(given({ pods: [...busy, ...running(first, 1)] }))).toEqual([`${first} Underutilized`]));
  it('an empty node with pods of DaemonSets and static pods', () => {
    const daemon = running(first, 1, {}, { owner: { kind: 'DaemonSet', name: 'd' } });
    const mirror = running(first, 1, {}, { owner: undefined, mirror: true, name: 'static' });
    expect(
      removed(given({ pods: [...busy, ...daemon, ...mirror], pool: { options: { utilizationThreshold: 0.9 } } })),
    ).toEqual([`${first} Empty`]);
  });
  it('a tenth of a pool at once', () => {
    const decision = plan(given({ count: 100 }));
    expect(decision.remove).toHaveLength(10);
    expect(decision.nodes.filter(({ reason }) => reason === 'NodeGroupMaxDeletionCountReached')).toHaveLength(90);
  });
  it('a node that is not ready for 20 minutes', () => {
    const lost = { ready: false, readySince: now - 21 * minute };
    expect(removed(given({ pods: [...busy, ...running(first, 1)], node: lost }))).toEqual([`${first} Unready`]);
  });
  it('no node twice, while its Machine is being deleted', () => {
    const marked = machines(...names(2)).map((one) => ({ ...one, marked: true }));
    expect(
      removed(given({ pods: busy, pool: { machines: [marked[0]!, machines('n0001')[0]!], replicas: 1 } })),
    ).toEqual([]);
  });
  it('a node that an interrupted decision marked only', () => {
    const [marked, other] = machines(...names(2));
    const all = [{ ...marked!, marked: true }, other!];
    expect(removed(given({ pods: busy, pool: { machines: all, replicas: 2 } }))).toEqual([`${first} Empty`]);
  });
});

describe('keeps a node', () => {
  const one = (more: Partial<PodShape> = {}, pod: Partial<Pod> = {}) => [...busy, ...running(first, 1, more, pod)];
  const annotated = (name: string, value: string) =>
    one({ annotations: { [name.includes('/') ? name : `cluster-autoscaler.kubernetes.io/${name}`]: value } });
  const budget = (disruptionsAllowed: number) => ({
    budgets: [{ namespace: 'default', name: 'b', selector: { matchLabels: { app: 'web' } }, disruptionsAllowed }],
  });
  const blockedBy = (reason: string) => `pod default/${first}-web-0: ${reason}`;
  it.each<{ rule: string; of: Given; reason: string; message?: string }>([
    {
      rule: 'that became unneeded',
      of: { pods: busy, more: { history: {} } },
      reason: 'NotUnneededLongEnough',
    },
    { rule: 'at the minimum', of: { pods: busy, pool: { min: 2 } }, reason: 'NodeGroupMinSizeReached' },
    { rule: 'of a rollout', of: { pods: busy, pool: { rollingOut: true } }, reason: 'NotUnneededOtherReason' },
    { rule: 'of a paused pool', of: { pods: busy, pool: { held: 'it is paused' } }, reason: 'NotAutoscaled' },
    {
      rule: 'of a pool that was just scaled up',
      of: {
        pods: busy,
        more: { history: { unneededSince: { [first]: long }, pools: { [idOf('a')]: { scaledUpAt: now - minute } } } },
      },
      reason: 'NotUnneededOtherReason',
    },
    {
      rule: 'after a failed removal',
      of: { pods: busy, more: { history: { unneededSince: { [first]: long }, failedRemovalAt: now - minute } } },
      reason: 'NotUnneededOtherReason',
    },
    { rule: 'that is used', of: { pods: [...busy, ...running(first, 2)] }, reason: 'NotUnderutilized' },
    {
      rule: 'whose pods fit nowhere',
      of: { pods: [...running('n0001', 4), ...running(first, 1)] },
      reason: 'NoPlaceToMovePods',
    },
    {
      rule: 'that an annotation protects',
      of: { pods: busy, node: { annotations: { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' } } },
      reason: 'ScaleDownDisabledAnnotation',
    },
    {
      rule: "that Karpenter's annotation protects",
      of: { pods: busy, node: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } },
      reason: 'ScaleDownDisabledAnnotation',
    },
    {
      rule: 'that is not ready for a short time',
      of: { pods: busy, node: { ready: false, readySince: now - 5 * minute }, more: { history: {} } },
      reason: 'NotUnreadyLongEnough',
    },
    { rule: 'without resources', of: { pods: busy, node: { allocatable: {} } }, reason: 'NoNodeInfo' },
    {
      rule: 'with a pod without owner',
      of: { pods: one({}, { owner: undefined }) },
      reason: 'BlockedByPod',
      message: blockedBy('NotReplicated'),
    },
    {
      rule: 'with a pod of kube-system without a budget',
      of: { pods: one({}, { namespace: 'kube-system' }) },
      reason: 'BlockedByPod',
      message: `pod kube-system/${first}-web-0: UnmovableKubeSystemPod`,
    },
    {
      rule: 'with a pod that is not safe to evict',
      of: { pods: annotated('safe-to-evict', 'false') },
      reason: 'BlockedByPod',
      message: blockedBy('NotSafeToEvictAnnotation'),
    },
    {
      rule: 'with a pod that must not be disrupted',
      of: { pods: annotated('karpenter.sh/do-not-disrupt', 'true') },
      reason: 'BlockedByPod',
      message: blockedBy('NotSafeToEvictAnnotation'),
    },
    {
      rule: 'with a young pod that must not be disrupted yet',
      of: { pods: annotated('karpenter.sh/do-not-disrupt', '2m') },
      reason: 'BlockedByPod',
      message: blockedBy('NotSafeToEvictAnnotation'),
    },
    {
      rule: 'with a pod that runs to completion',
      of: { pods: annotated('safe-to-evict', 'on-completion') },
      reason: 'BlockedByOnCompletionPod',
    },
    {
      rule: 'with local storage',
      of: { pods: one({ localVolumes: ['cache'] }) },
      reason: 'BlockedByPod',
      message: blockedBy('LocalStorageRequested'),
    },
    {
      rule: 'whose budget allows no disruption',
      of: { pods: one(), snapshot: budget(0) },
      reason: 'BlockedByPod',
      message: blockedBy('NotEnoughPdb'),
    },
  ])('$rule', ({ of, reason, message }) => {
    expect(removed(given(of))).not.toContainEqual(expect.stringContaining(first));
    expect(stateOf(given(of))).toMatchObject({ reason, ...(message && { message }) });
  });

  it.each<{ rule: string; pods: Pod[] }>([
    {
      rule: 'is safe to evict',
      pods: one({ annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' } }, { owner: undefined }),
    },
    { rule: 'was protected for a while after its creation', pods: annotated('karpenter.sh/do-not-disrupt', '30s') },
    {
      rule: 'has local storage that may be lost',
      pods: one({
        localVolumes: ['cache'],
        annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes': 'cache' },
      }),
    },
  ])('not if its pod $rule', ({ pods }) => expect(removed(given({ pods }))).toEqual([`${first} Underutilized`]));

  describe('whose budget', () => {
    const generous = { options: { removedPercent: 100 } };
    /** n0002 and n0003 are used enough to stay, and have room for the pods of the others. */
    const others = ['n0002', 'n0003'].flatMap((name) => running(name, 2, { labels: { app: 'other' } }));
    const moving = [...running('n0000', 1), ...running('n0001', 1), ...others];
    const shared = (disruptionsAllowed: number, pods = moving, pool: Partial<Pool> = {}) =>
      given({ pods, count: 4, pool: { ...generous, ...pool }, snapshot: budget(disruptionsAllowed) });

    it('allows the disruption of another node only', () => {
      expect(removed(shared(2))).toEqual(['n0000 Underutilized', 'n0001 Underutilized']);
      expect(removed(shared(1))).toEqual(['n0000 Underutilized']);
      expect(stateOf(shared(1), 'n0001')).toMatchObject({
        reason: 'BlockedByPod',
        message: 'pod default/n0001-web-0: NotEnoughPdb',
      });
    });
    it('allows fewer disruptions than it has pods', () => {
      const two = [...running('n0000', 2, { requests: amount(0.5) }), ...running('n0001', 1), ...others];
      expect(removed(shared(2, two))).toEqual(['n0000 Underutilized']);
      expect(removed(shared(1, two))).toEqual(['n0001 Underutilized']);
    });
    it('is spent by the pods of a node whose Machine an earlier decision removed', () => {
      const [leaving, ...staying] = machines(...names(4));
      const all = [{ ...leaving!, marked: true }, ...staying];
      const elsewhere = running('n0000', 1, { nodeSelector: { 'kubernetes.io/hostname': 'n0002' } });
      const pods = [...elsewhere, ...running('n0001', 1), ...others];
      expect(removed(shared(1, pods, { machines: all, replicas: 3 }))).toEqual([]);
      expect(removed(shared(2, pods, { machines: all, replicas: 3 }))).toEqual(['n0001 Underutilized']);
    });
    it('is not spent twice by a pod that is evicted already', () => {
      const [leaving, ...staying] = machines(...names(4));
      const all = [{ ...leaving!, deleting: true }, ...staying];
      const evicted = [...running('n0000', 1, {}, { deleting: true }), ...running('n0001', 1), ...others];
      expect(removed(shared(1, evicted, { machines: all, replicas: 3 }))).toEqual(['n0001 Underutilized']);
    });
  });

  it('on which pending pods fit', () => {
    const few = given({ pods: [...busy, ...pending(2)] });
    expect(plan(few)).toMatchObject({ scale: [], remove: [] });
    expect(stateOf(few)).toMatchObject({ reason: 'NoPlaceToMovePods' });
  });

  it('that is needed for the pods of the others', () => {
    const pods = names(4).flatMap((name) => running(name, 1));
    const generous = { options: { removedPercent: 100 } };
    const decision = plan(given({ pods, count: 4, pool: generous }));
    expect(decision.remove).toHaveLength(3);
    expect(decision.nodes).toMatchObject([{ reason: 'NoPlaceToMovePods' }]);
  });
});

it('forgets that a node was unneeded when it is needed again', () => {
  const decision = plan(given({ pods: [...busy, ...running(first, 3)] }));
  expect(decision.history.unneededSince).toEqual({});
});

it('decides again when a node was unneeded long enough', () => {
  const fresh = plan(given({ pods: busy, more: { history: {} } }));
  expect(fresh).toMatchObject({ remove: [], nextDue: now + 10 * minute, history: { unneededSince: { [first]: now } } });
  const later = given({ pods: busy, more: { history: fresh.history, now: now + 10 * minute } });
  expect(removed(later)).toEqual([`${first} Empty`]);
});

describe('of 13 empty nodes in a pool of 15', () => {
  const pods = names(15)
    .slice(13)
    .flatMap((name) => running(name, 3));
  const removedOf = (pool: Partial<Pool>) => removed(given({ pods, count: 15, pool }));
  it('removes ten at once', () => expect(removedOf({})).toHaveLength(10));
  it('removes as many as the pool allows', () => {
    expect(removedOf({ options: { removedPercent: 10 } })).toHaveLength(1);
    expect(removedOf({ options: { removedPercent: 20 } })).toHaveLength(3);
  });
  it('counts those that leave already', () => {
    const all = machines(...names(15));
    const leaving = all.map((machine, at) => (at < 8 ? { ...machine, deleting: true } : machine));
    expect(removedOf({ machines: leaving, replicas: 7 })).toHaveLength(2);
  });
  it('drains one of the others only', () => {
    const used = names(15).flatMap((name, at) => running(name, at < 13 ? 1 : 2));
    expect(removed(given({ pods: used, count: 15 }))).toHaveLength(1);
  });
});

it('removes 300 of 1,000 nodes in three rounds', () => {
  const all = names(1000);
  const pods = all.slice(300).flatMap((name) => running(name, 1, { requests: amount(4) }));
  let history: Inputs['history'] = { unneededSince: Object.fromEntries(all.map((name) => [name, long])) };
  let left = all;
  const rounds: number[] = [];
  for (let round = 0; round < 4; round++) {
    const decision = plan(
      inputs(
        { nodes: left.map((name) => node(name)), pods, pools: [pool('a', { machines: machines(...left) })] },
        { history },
      ),
    );
    const gone = new Set(decision.remove.map((one) => one.node));
    left = left.filter((name) => !gone.has(name));
    history = decision.history;
    rounds.push(gone.size);
  }
  expect(rounds).toEqual([100, 90, 81, 29]);
});
