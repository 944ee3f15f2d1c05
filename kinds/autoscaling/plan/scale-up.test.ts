import { describe, expect, it } from 'vitest';
import { type Inputs, plan } from './index.ts';
import { amount, idOf, inputs, machines, minute, node, now, pending, pool, running } from './plan.fixture.ts';
import type { Machine, PodShape, Pool, PoolHistory } from './types.ts';

const a = pool('a');
const growth = (given: Inputs) =>
  Object.fromEntries(plan(given).scale.map(({ pool: id, from, to }) => [id.split('/')[2], to - from]));
const reasonIn = (given: Inputs, name: string) => plan(given).pods[0]?.reasons[idOf(name)];
const sized = (name: string, cpu: number, memory: number, more = {}) => {
  const resources = amount(cpu, memory, { pods: 110, ...more });
  return pool(name, { instanceType: name, template: { capacity: resources, allocatable: resources, labels: {} } });
};
const zonal = (zone: string, more = {}) => pool(zone, { zones: [zone], ...more });
const three = ['az-a', 'az-b', 'az-c'].map((zone) => zonal(zone));
const selector = { labelSelector: { matchLabels: { app: 'web' } } };
const upcoming = (count: number, more: Partial<Machine> = {}): Machine[] =>
  Array.from({ length: count }, (_, at) => ({ name: `m${at}`, createdAt: now - minute, ...more }));

describe('scales up', () => {
  it.each<{ rule: string; given: Inputs; by: Record<string, number> }>([
    { rule: 'one node for one pod', given: inputs({ pods: pending(1), pools: [a] }), by: { a: 1 } },
    { rule: 'nothing without pods', given: inputs({ pools: [a] }), by: {} },
    {
      rule: 'all nodes of 1,000 equal pods in one decision',
      given: inputs({ pods: pending(1000, { requests: amount(0.4, 1) }), pools: [a] }),
      by: { a: 100 },
    },
    {
      rule: 'nothing for pods that fit on a node',
      given: inputs({ pods: pending(4), nodes: [node('n')], pools: [pool('a', { machines: machines('n') })] }),
      by: {},
    },
    {
      rule: 'only for pods that nodes and upcoming nodes do not take',
      given: inputs({
        pods: [...pending(13), ...running('n', 3)],
        nodes: [node('n')],
        pools: [pool('a', { replicas: 3, machines: [...machines('n'), ...upcoming(1)] })],
      }),
      by: { a: 1 },
    },
    {
      rule: 'nothing for pods with room on a node that starts',
      given: inputs({
        pods: pending(4),
        nodes: [
          node('n', {
            ready: false,
            createdAt: now - minute,
            taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
          }),
        ],
        pools: [pool('a', { machines: machines('n') })],
      }),
      by: {},
    },
    {
      rule: 'for the pods of a node in deletion',
      given: inputs({
        pods: running('n', 2),
        nodes: [node('n')],
        pools: [pool('a', { replicas: 0, machines: machines('n').map((one) => ({ ...one, deleting: true })) })],
      }),
      by: { a: 1 },
    },
    {
      rule: 'to the minimum of a pool',
      given: inputs({ pools: [pool('a', { min: 3, replicas: 1, machines: upcoming(1) })] }),
      by: { a: 2 },
    },
    {
      rule: 'one node for each pod that avoids its kind',
      given: inputs({
        pods: pending(50, {
          requests: amount(0.1),
          antiAffinity: [{ topologyKey: 'kubernetes.io/hostname', ...selector }],
        }),
        pools: [a],
      }),
      by: { a: 50 },
    },
    {
      rule: 'one node for each pod with the same host port',
      given: inputs({ pods: pending(3, { requests: amount(0.1), hostPorts: [{ port: 80 }] }), pools: [a] }),
      by: { a: 3 },
    },
    {
      rule: 'over the zones of a spread constraint, although none has a node',
      given: inputs({
        pods: pending(30, {
          requests: amount(2),
          spread: [{ maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', ...selector }],
        }),
        pools: three,
      }),
      by: { 'az-a': 5, 'az-b': 5, 'az-c': 5 },
    },
    {
      rule: 'over the zones of a spread constraint with pools of different types',
      given: inputs({
        pods: pending(6, {
          spread: [{ maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', ...selector }],
        }),
        pools: [zonal('az-a'), zonal('az-b', { instanceType: 'other' })],
      }),
      by: { 'az-a': 1, 'az-b': 1 },
    },
    {
      rule: 'similar pools of several zones evenly',
      given: inputs({ pods: pending(36), pools: three }),
      by: { 'az-a': 3, 'az-b': 3, 'az-c': 3 },
    },
    {
      rule: 'the smaller of similar pools first',
      given: inputs({ pods: pending(20), pools: [zonal('az-a', { replicas: 2 }), zonal('az-b')] }),
      by: { 'az-a': 1, 'az-b': 2 },
    },
    {
      rule: 'another node for volumes beyond those that a node attaches',
      given: inputs({
        pods: pending(6, { requests: amount(0.1) }, { claims: ['data'] }),
        claims: { 'default/data': { driver: 'ebs' } },
        pools: [sized('few', 4, 16, { 'attachable-volumes-csi-ebs': 2 })],
      }),
      by: { few: 3 },
    },
    {
      rule: 'one node for volumes of a driver without a limit',
      given: inputs({
        pods: pending(6, { requests: amount(0.1) }, { claims: ['data'] }),
        claims: { 'default/data': { driver: 'efs' } },
        pools: [a],
      }),
      by: { a: 1 },
    },
    {
      rule: 'the pool in the zone of the volume',
      given: inputs({
        pods: pending(1, {}, { claims: ['data'] }),
        claims: {
          'default/data': {
            topology: [
              { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['az-b'] }] },
            ],
          },
        },
        pools: three,
      }),
      by: { 'az-b': 1 },
    },
    {
      rule: 'the pool close to the pods that a pod seeks',
      given: inputs({
        pods: [
          ...pending(1, {
            labels: { app: 'near' },
            affinity: [{ topologyKey: 'topology.kubernetes.io/zone', ...selector }],
          }),
          ...running('n', 4),
        ],
        nodes: [node('n', { labels: { 'topology.kubernetes.io/zone': 'az-c' } })],
        pools: three,
      }),
      by: { 'az-c': 1 },
    },
    {
      rule: 'a GPU pool for a pod with a GPU',
      given: inputs({
        pods: pending(1, { requests: amount(1, 1, { 'nvidia.com/gpu': 1 }) }),
        pools: [sized('plain', 4, 16), sized('gpu', 4, 16, { 'nvidia.com/gpu': 1 })],
      }),
      by: { gpu: 1 },
    },
    {
      rule: 'no GPU pool for other pods, even if it wastes less',
      given: inputs({
        pods: pending(1, { requests: amount(3, 12) }),
        pools: [sized('plain', 64, 256), sized('gpu', 4, 16, { 'nvidia.com/gpu': 1 })],
      }),
      by: { plain: 1 },
    },
    {
      rule: 'the pool that wastes least',
      given: inputs({
        pods: pending(1, { requests: amount(3, 12) }),
        pools: [sized('big', 64, 256), sized('small', 4, 16)],
      }),
      by: { small: 1 },
    },
    {
      rule: 'the pool with the best price',
      given: inputs(
        { pods: pending(1), pools: [sized('big', 64, 256), sized('small', 4, 16)] },
        {
          settings: { expanders: ['price'] },
          prices: { 'big/on-demand': 0.1, 'small/on-demand': 0.2 },
        },
      ),
      by: { big: 1 },
    },
    {
      rule: 'the pool of the highest priority that fits',
      given: inputs(
        { pods: pending(1), pools: [sized('x', 64, 256), sized('y', 4, 16), sized('tiny', 0.5, 1)] },
        { settings: { expanders: ['priority'], priorities: { 10: ['/y$'], 20: ['/x$'], 99: ['tiny'] } } },
      ),
      by: { x: 1 },
    },
    {
      rule: 'no pool without a priority while another has one',
      given: inputs(
        { pods: pending(1), pools: [sized('a', 4, 16), sized('b', 64, 256)] },
        { settings: { expanders: ['priority'], priorities: { '-1': ['/b$'] } } },
      ),
      by: { b: 1 },
    },
    {
      rule: 'any pool if none has a priority',
      given: inputs(
        { pods: pending(1), pools: [a] },
        { settings: { expanders: ['priority'], priorities: { 1: ['other'] } } },
      ),
      by: { a: 1 },
    },
    {
      rule: 'the pool of the higher priority of two that are alike',
      given: inputs(
        { pods: pending(20), pools: [pool('a'), pool('b', { zones: ['az-b'] })] },
        { settings: { expanders: ['priority'], priorities: { 10: ['/a$'], 20: ['/b$'] } } },
      ),
      by: { b: 5 },
    },
    {
      rule: 'the pool with the fewest nodes',
      given: inputs(
        { pods: pending(8), pools: [sized('small', 4, 16), sized('big', 64, 256)] },
        { settings: { expanders: ['least-nodes'] } },
      ),
      by: { big: 1 },
    },
    {
      rule: 'another pool for the rest of a full one',
      given: inputs({ pods: pending(8), pools: [pool('a', { max: 1 }), sized('b', 64, 256)] }),
      by: { a: 1, b: 1 },
    },
  ])('$rule', ({ given, by }) => expect(growth(given)).toEqual(by));
});

describe('does not scale up, and says why', () => {
  const startsElsewhere =
    'new machines of the pool start in az-a, failureDomain of a MachineDeployment chooses another zone';
  const restricted = (more: Partial<PodShape>, of = a) => inputs({ pods: pending(1, more), pools: [of] });
  it.each<{ rule: string; given: Inputs; reason: string }>([
    {
      rule: 'an unknown capacity',
      given: restricted({}, { ...a, template: undefined }),
      reason: 'the capacity of its machines is unknown',
    },
    { rule: 'a pause', given: restricted({}, { ...a, held: 'it is paused' }), reason: 'it is paused' },
    { rule: 'a full pool', given: restricted({}, { ...a, max: 0 }), reason: 'max node group size reached' },
    {
      rule: 'a selector',
      given: restricted({ nodeSelector: { disk: 'ssd' } }),
      reason: "node(s) didn't match Pod's node affinity/selector",
    },
    {
      rule: 'a selector of another zone',
      given: restricted({ nodeSelector: { 'topology.kubernetes.io/zone': 'az-b' } }),
      reason: `node(s) didn't match Pod's node affinity/selector: ${startsElsewhere}`,
    },
    {
      rule: 'an affinity to another zone, beside a label that it has',
      given: restricted({
        nodeAffinity: [
          {
            matchExpressions: [
              { key: 'topology.ebs.csi.aws.com/zone', operator: 'In', values: ['az-b', 'az-c'] },
              { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
            ],
          },
        ],
      }),
      reason: `node(s) didn't match Pod's node affinity/selector: ${startsElsewhere}`,
    },
    {
      rule: 'a selector of another zone and of a label that no zone has',
      given: restricted({ nodeSelector: { 'topology.kubernetes.io/zone': 'az-b', disk: 'ssd' } }),
      reason: "node(s) didn't match Pod's node affinity/selector",
    },
    {
      rule: 'a taint',
      given: restricted(
        {},
        { ...a, template: { ...a.template!, taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } },
      ),
      reason: 'node(s) had untolerated taint {k: v}',
    },
    {
      rule: 'a pod that is larger than a node',
      given: restricted({ requests: amount(5, 17) }),
      reason: 'Insufficient cpu, Insufficient memory',
    },
    {
      rule: 'a pod for which DaemonSets leave no room',
      given: {
        ...restricted({ requests: amount(4) }),
        snapshot: {
          ...restricted({ requests: amount(4) }).snapshot,
          daemonSets: [{ namespace: 'kube-system', name: 'proxy', shape: { labels: {}, requests: amount(0.1) } }],
        },
      },
      reason: 'Insufficient cpu',
    },
    {
      rule: 'a resource that no node has',
      given: restricted({ requests: amount(1, 1, { 'example.com/fpga': 1 }) }),
      reason: 'Insufficient example.com/fpga',
    },
    {
      rule: 'affinity to pods that run nowhere',
      given: restricted({ labels: { app: 'x' }, affinity: [{ topologyKey: 'kubernetes.io/hostname', ...selector }] }),
      reason: "node(s) didn't match pod affinity rules",
    },
    {
      rule: 'a limit of nodes',
      given: { ...restricted({}), settings: { limits: { nodes: 0 } } },
      reason: 'max total nodes in cluster reached',
    },
    {
      rule: 'a limit of vCPUs',
      given: { ...restricted({}), settings: { limits: { vCPU: 3 } } },
      reason: 'max cluster cpu limit reached',
    },
    {
      rule: 'a limit of cost',
      given: {
        ...restricted({}),
        settings: { limits: { dollarsPerHour: 0.1 } },
        prices: { 'm5.xlarge/on-demand': 0.2 },
      },
      reason: 'max cluster cost per hour reached',
    },
  ])('$rule', ({ given, reason }) => {
    expect(growth(given)).toEqual({});
    expect(reasonIn(given, 'a')).toBe(reason);
    expect(plan(given).pods[0]).toMatchObject({ left: 1, onExisting: 0 });
  });

  it('pods with a claim that does not exist', () => {
    const claims = { 'default/data': { unbound: true, missing: true } };
    const given = inputs({ pods: pending(1, {}, { claims: ['data'] }), claims, pools: [a] });
    expect(growth(given)).toEqual({});
    expect(plan(given).pods).toMatchObject([{ left: 1, reasons: { '': 'PersistentVolumeClaim data does not exist' } }]);
  });
  it.each<{ rule: string; pod: object; shape?: Partial<PodShape>; groups: object[] }>([
    { rule: 'pods that the scheduler has not seen', pod: { unschedulable: undefined }, groups: [] },
    { rule: 'pods with scheduling gates', pod: { gated: true }, groups: [] },
    { rule: 'pods of DaemonSets', pod: { owner: { kind: 'DaemonSet', name: 'd' } }, groups: [] },
    { rule: 'pods in deletion', pod: { deleting: true }, groups: [] },
    {
      rule: 'expendable pods',
      pod: {},
      shape: { priority: -11 },
      groups: [{ left: 1, reasons: { '': 'pod priority -11 is below -10' } }],
    },
    {
      rule: 'pods of another scheduler',
      pod: {},
      shape: { schedulerName: 'volcano' },
      groups: [{ left: 1, reasons: { '': 'pod is scheduled by volcano' } }],
    },
  ])('for $rule', ({ pod, shape = {}, groups }) => {
    const decision = plan(inputs({ pods: pending(1, shape, pod), pools: [a] }));
    expect(decision.scale).toEqual([]);
    expect(decision.pods).toMatchObject(groups);
  });

  it('for pods that are younger than their delay, until it ends', () => {
    const annotations = { 'cluster-autoscaler.kubernetes.io/pod-scale-up-delay': '5m' };
    const decision = plan(inputs({ pods: pending(1, { annotations }), pools: [a] }));
    expect(decision).toMatchObject({ scale: [], nextDue: now + 4 * minute });
  });

  it('for a pod that preempts others', () => {
    const given = inputs({
      pods: [...pending(1, {}, { nominatedNode: 'n' }), ...running('n', 4)],
      nodes: [node('n')],
      pools: [pool('a', { machines: machines('n') })],
    });
    expect(plan(given)).toMatchObject({ scale: [], pods: [] });
  });

  it('while another autoscaler acts', () => {
    const decision = plan(
      inputs({ pods: pending(9), pools: [pool('a', { min: 5 })], conflict: 'Lease kube-system/ca' }),
    );
    expect(decision).toMatchObject({ scale: [], remove: [] });
    expect(decision.pools[0]!.blocked).toContain('Lease kube-system/ca');
  });

  it('for more pods than a limit allows', () => {
    const decision = plan(inputs({ pods: pending(12), pools: [a] }, { settings: { limits: { nodes: 2 } } }));
    expect(decision.scale).toMatchObject([{ to: 2 }]);
    expect(decision.pods[0]).toMatchObject({ left: 4, onNew: { [idOf('a')]: 8 } });
    expect(decision.limits).toMatchObject([{ limit: 'nodes', value: 2 }]);
  });
});

describe('a rollout that does not take more new Machines yet', () => {
  const at = (later: number, more: Partial<Pool>, history = {}) =>
    plan({
      ...inputs({ pods: pending(4), pools: [pool('a', { rollingOut: true, ...more })] }),
      history,
      now: now + later,
    });
  const waiting = { rolloutWaits: 'it is tried' };

  it('holds back the growth of the old ones, for five minutes', () => {
    const first = at(0, waiting);
    expect(first).toMatchObject({ scale: [], nextDue: now + 5 * minute });
    expect(first.pools).toMatchObject([{ blocked: expect.stringMatching(/^it is tried/), until: now + 5 * minute }]);
    const second = at(4 * minute, waiting, first.history);
    expect(second.scale).toEqual([]);
    expect(at(5 * minute, waiting, second.history).scale).toMatchObject([{ to: 1 }]);
  });
  it('lets the pool grow at once when it takes them', () => {
    const grown = at(minute, {}, at(0, waiting).history);
    expect(grown.scale).toMatchObject([{ to: 1 }]);
    expect(grown.history.pools?.[idOf('a')]).not.toHaveProperty('rolloutWaitsSince');
  });
});

describe('failed launches', () => {
  const refusal = { code: 'InsufficientInstanceCapacity', at: now - 1000 };
  const first = pool('first', { replicas: 2, machines: upcoming(2, { capacityError: refusal }) });

  it('move the pods to another pool in the same decision', () => {
    const decision = plan(inputs({ pods: pending(8), pools: [first, sized('second', 4, 16)] }));
    expect(decision.remove).toMatchObject([{ reason: 'InsufficientCapacity' }, { reason: 'InsufficientCapacity' }]);
    expect(growth(inputs({ pods: pending(8), pools: [first, sized('second', 4, 16)] }))).toEqual({
      first: -2,
      second: 2,
    });
  });

  it('of one call for all move the pods of all at once', () => {
    const [leader, ...others] = upcoming(6, { together: 'call' });
    const machines = [{ ...leader!, capacityError: refusal }, ...others];
    const given = (of: Machine[]) =>
      inputs({ pods: pending(24), pools: [pool('first', { replicas: 6, machines: of }), sized('second', 4, 16)] });
    expect(growth(given(machines))).toEqual({ first: -6, second: 6 });
    expect(growth(given(machines.map(({ together: _, ...single }) => single))), 'alone').toMatchObject({ first: -1 });
    const launched = machines.map((one, at) => (at === 5 ? { ...one, launchedAt: now } : one));
    expect(plan(given(launched)).remove, 'one launched later').toHaveLength(5);
  });

  it('back off from 1 to 15 minutes, then one machine tries again', () => {
    const launches: number[] = [];
    let history = {};
    let replicas = 0;
    for (let at = now; at < now + 60 * minute; at += 5000) {
      const tried: Machine[] = upcoming(replicas, {
        createdAt: at - 5000,
        capacityError: { code: 'x', at: at - 1000 },
      });
      const decision = plan({
        ...inputs({ pods: pending(40), pools: [pool('a', { replicas, machines: tried })] }),
        history,
        now: at,
      });
      const next = decision.scale[0]?.to ?? replicas;
      for (let more = next; more > 0 && next !== replicas; more--) launches.push(Math.round((at - now) / 1000));
      replicas = next;
      history = decision.history;
    }
    const times = [...new Set(launches)];
    expect(launches.length - launches.filter((time) => time === 0).length).toBe(times.length - 1);
    expect(times.filter((time) => time < 600).length).toBeLessThanOrEqual(4);
    expect(times.slice(1).map((time, at) => Math.floor((time - times[at]!) / 60))).toEqual([1, 2, 4, 8, 15, 15]);
  });

  it('are followed by one machine at a time, until it has a host', () => {
    const offerings = { 'm5.xlarge/az-a/on-demand': { failures: 1, at: now - 5 * minute } };
    const scaleWith = (more: Partial<Pool>) =>
      plan(inputs({ pods: pending(20), pools: [pool('a', more)] }, { history: { offerings } })).scale;
    expect(scaleWith({})).toMatchObject([{ from: 0, to: 1 }]);
    expect(scaleWith({ replicas: 1 })).toEqual([]);
    const machine = { name: 'm', createdAt: now - minute };
    expect(scaleWith({ machines: [machine] })).toEqual([]);
    expect(scaleWith({ machines: [{ ...machine, zone: 'az-a', launchedAt: now - 1000 }] })).toMatchObject([{ to: 5 }]);
  });

  it('are avoided while the provider takes hosts of their market away', () => {
    const machine = {
      name: 'm',
      createdAt: now - 60 * minute,
      zone: 'az-a',
      deleting: true,
      interruptedAt: now - 1000,
    };
    const spot = pool('a-spot', { replicas: 0, market: 'spot', zones: ['az-a'], machines: [machine] });
    const other = pool('b-on-demand', { zones: ['az-a'] });
    const decision = plan(inputs({ pods: pending(1), pools: [spot, other] }));
    expect(decision.scale).toMatchObject([{ pool: other.id }]);
    expect(Object.keys(decision.history.offerings ?? {})).toEqual([expect.stringMatching(/\/az-a\/spot$/)]);
  });

  describe('of a pool with a fallback from the spot market', () => {
    const spotKey = 'm5.xlarge/az-a/spot';
    const fellBack = { name: 'm', createdAt: now - minute, fallback: refusal };
    const spot = (...machines: Machine[]) => pool('spot', { market: 'spot', fallback: true, machines });

    it('leave it available, for as many nodes as before', () => {
      const decision = plan(inputs({ pods: pending(20), pools: [spot({ ...fellBack, deleting: true })] }));
      expect(decision.scale).toMatchObject([{ to: 5 }]);
      expect(decision.history.offerings).toEqual({ [spotKey]: { failures: 1, at: refusal.at } });
    });

    it('count although the Machine got a host, and keep other pools of that market away', () => {
      const launched = { ...fellBack, zone: 'az-a', launchedAt: now - 500 };
      const other = pool('a-spot', { market: 'spot' });
      const decision = plan(inputs({ pods: pending(20), pools: [other, spot(launched)] }));
      expect(decision.history.offerings).toHaveProperty([spotKey]);
      expect(decision.scale).toMatchObject([{ pool: idOf('spot') }]);
    });

    it('make its nodes as dear as on demand while they last', () => {
      const pools = [spot({ ...fellBack, deleting: true }), pool('other', { instanceType: 'm6.xlarge' })];
      const prices = { 'm5.xlarge/spot': 0.05, 'm5.xlarge/on-demand': 0.2, 'm6.xlarge/on-demand': 0.1 };
      const cheapest = (now: number) =>
        growth({
          ...inputs({ pods: pending(8), pools }, { settings: { expanders: ['price'] }, prices }),
          history: plan(inputs({ pools })).history,
          now,
        });
      expect(cheapest(now)).toEqual({ other: 1 });
      expect(cheapest(now + 5 * minute)).toEqual({ spot: 1 });
    });

    it('cost as much as on demand', () => {
      const launched = { ...fellBack, node: 'n', zone: 'az-a', launchedAt: now - 500 };
      const prices = { 'm5.xlarge/spot': 0.05, 'm5.xlarge/on-demand': 0.2 };
      const given = inputs({ nodes: [node('n'), node('o')], pools: [spot(launched, ...machines('o'))] }, { prices });
      expect(plan(given).usage?.dollarsPerHour).toBeCloseTo(0.25);
    });

    it('are forgotten after three hours', () => {
      const old = { ...fellBack, fallback: { ...refusal, at: now - 181 * minute }, launchedAt: now - 180 * minute };
      expect(plan(inputs({ pools: [spot(old)] })).history.offerings).toEqual({});
    });

    it('block it when the on-demand market has no capacity, either', () => {
      const refused = { ...fellBack, capacityError: refusal };
      const decision = plan(inputs({ pods: pending(1), pools: [spot(refused)] }));
      expect(decision.remove).toMatchObject([{ machine: 'm', reason: 'InsufficientCapacity' }]);
      expect(decision.pools).toMatchObject([{ blocked: 'no capacity for its instance type' }]);
    });
  });

  it('give way to another zone of the pool', () => {
    const both = pool('both', {
      zones: ['az-a', 'az-b'],
      machines: upcoming(1, { zone: 'az-a', capacityError: refusal }),
    });
    const zoneB = { nodeSelector: { 'topology.kubernetes.io/zone': 'az-b' } };
    expect(growth(inputs({ pods: pending(1, zoneB), pools: [both] }))).toEqual({});
    expect(plan(inputs({ pods: pending(1, zoneB), pools: [both] })).pods[0]!.left).toBe(0);
  });

  it('of a machine without a zone are failures of all zones of its pool', () => {
    const machines = upcoming(1, { capacityError: refusal });
    const every = pool('every', { zones: ['az-a', 'az-b'], machines });
    const decision = plan(inputs({ pods: pending(1), pools: [every, pool('zonal', { zones: ['az-b'] })] }));
    const blocked = 'no capacity for its instance type';
    expect(decision.pools).toMatchObject([{ blocked }, { blocked }]);
  });

  it('that never become nodes are replaced after a backoff', () => {
    const expired = pool('late', { machines: upcoming(1, { createdAt: now - 16 * minute }) });
    const decision = plan(inputs({ pods: pending(1), pools: [expired] }));
    expect(decision.remove).toMatchObject([{ machine: 'm0', reason: 'NotProvisioned' }]);
    expect(decision.pools).toMatchObject([{ blocked: 'in backoff after failed scale-up', until: now + 4 * minute }]);
    expect(decision.nextDue).toBe(now + 4 * minute);
    const after = inputs(
      { pods: pending(1), pools: [pool('late')] },
      { history: decision.history, now: now + 5 * minute },
    );
    expect(growth(after)).toEqual({ late: 1 });
  });

  const failed = { failedAt: now - minute, createdAt: now - 3 * minute };
  const expired = { createdAt: now - 21 * minute };
  it.each<{
    rule: string;
    more: Partial<Machine>;
    min?: number;
    of?: Partial<Pool>;
    removes?: string;
    replaces?: string;
    to?: number;
  }>([
    { rule: 'given back when they failed', more: failed, removes: 'Failed', to: 0 },
    { rule: 'given back when their node died', more: { ...failed, node: 'n' }, removes: 'Failed', to: 0 },
    {
      rule: 'replaced in a pool at its minimum, after the backoff',
      more: { ...failed, failedAt: now - 6 * minute },
      min: 1,
      replaces: 'Failed',
    },
    { rule: 'kept until the backoff ends', more: failed, min: 1 },
    { rule: 'replaced at once when they had worked', more: { ...failed, node: 'n' }, min: 1, replaces: 'Failed' },
    { rule: 'replaced when they made no node in time', more: expired, min: 1, replaces: 'NotProvisioned' },
    { rule: 'kept while the provider tries again', more: { capacityError: refusal }, min: 1 },
    {
      rule: 'replaced in a rollout',
      more: { ...failed, node: 'n' },
      min: 1,
      of: { rollingOut: true },
      replaces: 'Failed',
    },
    { rule: 'kept in a paused pool', more: { ...failed, node: 'n' }, min: 1, of: { held: 'paused' } },
    { rule: 'kept while a user removes them', more: { ...failed, deleting: true }, min: 1, of: { replicas: 1 } },
  ])('leave Machines that are $rule', ({ more, min = 0, of, removes, replaces, to }) => {
    const one = pool('a', { min, machines: upcoming(1, more), ...of });
    const decision = plan(inputs({ nodes: more.node ? [node('n', { ready: false })] : [], pools: [one] }));
    expect(decision.remove.map(({ reason }) => reason)).toEqual(removes ? [removes] : []);
    expect(decision.replace.map(({ reason }) => reason)).toEqual(replaces ? [replaces] : []);
    expect(decision.scale.map((scale) => scale.to)).toEqual(to === undefined ? [] : [to]);
  });

  it('of a pool at its minimum are replaced ever more rarely', () => {
    let history = {};
    let createdAt = now;
    const replaced: number[] = [];
    for (let at = now; at < now + 120 * minute; at += minute) {
      const one = pool('a', { min: 1, machines: upcoming(1, { createdAt, failedAt: createdAt + minute }) });
      const decision = plan({ ...inputs({ pools: [one] }), history, now: at });
      if (decision.replace.length > 0) {
        replaced.push((at - now) / minute);
        createdAt = at;
      }
      history = decision.history;
    }
    expect(replaced).toEqual([6, 17, 38, 69, 100]);
  });

  it('that failed move their pods to another pool', () => {
    const one = pool('first', { max: 1, machines: upcoming(1, failed) });
    expect(growth(inputs({ pods: pending(4), pools: [one, sized('second', 4, 16)] }))).toEqual({
      first: -1,
      second: 1,
    });
  });

  it.each<{ rule: string; more: Partial<Machine>; replicas: number; removes: number }>([
    { rule: 'that never became nodes', more: { createdAt: now - 16 * minute }, replicas: 2, removes: 0 },
    { rule: 'without capacity', more: { capacityError: refusal }, replicas: 2, removes: 0 },
    { rule: 'that never became nodes, and one replica too many', more: { createdAt: 0 }, replicas: 3, removes: 1 },
  ])('of a rollout take no node from the pool: machines $rule', ({ more, replicas, removes }) => {
    const rolling = pool('a', { replicas, rollingOut: true, machines: [...machines('n', 'o'), ...upcoming(1, more)] });
    const decision = plan(inputs({ nodes: [node('n'), node('o')], pods: running('n', 3), pools: [rolling] }));
    expect(decision.remove).toHaveLength(removes);
    expect(decision.scale.map(({ to }) => to)).toEqual(removes > 0 ? [replicas - removes] : []);
  });

  it('are remembered without a change of the history, and count anew after three hours', () => {
    const pools = { [idOf('late')]: { provisionFailures: 3, provisionFailedAt: now - 200 * minute, replicas: 0 } };
    const next = plan(inputs({ pools: [pool('late')] }, { history: { pools } }));
    expect(next.history.pools).toEqual(pools);
    const expired = pool('late', { machines: upcoming(1, { createdAt: now - 16 * minute }) });
    const fails = plan(inputs({ pods: pending(1), pools: [expired] }, { history: { pools } }));
    expect(fails.pools).toMatchObject([{ until: now + 4 * minute }]);
  });

  it.each<{ rule: string; lost: Partial<Machine>; history?: PoolHistory; blocked?: string }>([
    { rule: 'a node that was lost', lost: { ...failed, node: 'n' } },
    {
      rule: 'nodes that were lost before others were ready',
      lost: { ...failed, node: 'n' },
      history: { launches: [{ at: now - 4 * minute, count: 25 }] },
    },
    { rule: 'a machine that never joined', lost: failed, blocked: 'in backoff after failed scale-up' },
    {
      rule: 'machines that failed before others were ready',
      lost: failed,
      history: { launches: [{ at: now - 4 * minute, count: 25 }] },
      blocked: 'in backoff after failed scale-up',
    },
  ])('count by stage: $rule', ({ lost, history, blocked }) => {
    const of = pool('a', { machines: upcoming(25, {}).map((one, at) => (at < 6 ? { ...one, ...lost } : one)) });
    const given = inputs({ pods: pending(200), pools: [of] }, { history: { pools: { [idOf('a')]: history ?? {} } } });
    expect(plan(given).pools[0]!.blocked).toBe(blocked);
  });

  it('stop after five machines that are lost before they are ready', () => {
    const history = { pools: { [idOf('a')]: { launches: [{ at: now - 2 * minute, count: 5 }] } } };
    const given = inputs({ pods: pending(1), pools: [a] }, { history });
    expect(reasonIn(given, 'a')).toBe('launched machines are lost before they become ready');
    expect(plan(given).nextDue).toBe(now + 8 * minute);
    expect(growth({ ...given, now: now + 9 * minute })).toEqual({ a: 1 });
  });

  it.each([
    { rule: 'that are coming', there: upcoming(5, { createdAt: now - minute }) },
    {
      rule: 'that are ready',
      there: machines('p', 'q', 'r', 's', 't').map((one) => ({ ...one, createdAt: now - minute })),
    },
  ])('go on after five machines $rule, created in the second of their launch', ({ there }) => {
    const history = { pools: { [idOf('a')]: { launches: [{ at: now - minute + 186, count: 5 }] } } };
    const of = pool('a', { replicas: 5, machines: there });
    const nodes = there.flatMap((one) => (one.node ? [node(one.node)] : []));
    expect(plan(inputs({ nodes, pools: [of] }, { history })).pools[0]?.blocked).toBeUndefined();
  });
});

describe('a decision', () => {
  const given = inputs({ pods: pending(100), pools: three });
  it('is the same for the same inputs', () => expect(plan(structuredClone(given))).toEqual(plan(given)));
  it('is the same for inputs that were stored as JSON', () =>
    expect(plan(JSON.parse(JSON.stringify(given)))).toEqual(plan(given)));
  it('names its inputs', () => {
    expect(plan(given).inputs).toMatch(/^[0-9a-f]{16}$/);
    expect(plan({ ...given, now: now + 1 }).inputs).not.toBe(plan(given).inputs);
  });
  it('is followed by none while its nodes come', () => {
    const { scale } = plan(inputs({ pods: pending(100), pools: [a] }));
    const later = pool('a', { replicas: scale[0]!.to });
    expect(growth(inputs({ pods: pending(100), pools: [later] }))).toEqual({});
  });
});
