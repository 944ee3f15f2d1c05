/**
 * Every single mutating call of a create and of a delete fails: once, twice, always; before and after its effect. A
 * sample of each runs here; all of them with CAPSTAN_FAULTS=all.
 */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectWhole, remains } from '../system/checks.ts';
import { type ClusterUnderTest, clusterName, createCluster, failedFor } from './cluster-under-test.ts';
import { countsOf, createClusterFrom, type Phase, type Rehearsal, rehearse } from './rehearsal.ts';

const all = process.env.CAPSTAN_FAULTS === 'all';
const timeout = 300_000;

/** The mutating calls of a create and a delete of the example. */
const creating = [
  'CreateVpc',
  'ModifyVpcAttribute',
  'CreateSubnet',
  'ModifySubnetAttribute',
  'CreateInternetGateway',
  'AttachInternetGateway',
  'AllocateAddress',
  'CreateNatGateway',
  'CreateRouteTable',
  'CreateRoute',
  'AssociateRouteTable',
  'CreateSecurityGroup',
  'AuthorizeSecurityGroupIngress',
  'CreateTargetGroup',
  'ModifyTargetGroupAttributes',
  'CreateLoadBalancer',
  'CreateListener',
  'CreateSecret',
  'RunInstances',
  'RegisterTargets',
];
const deleting = [
  'TerminateInstances',
  'DeregisterTargets',
  'DeleteLoadBalancer',
  'DeleteTargetGroup',
  'DeleteNatGateway',
  'ReleaseAddress',
  'DeleteRouteTable',
  'DetachInternetGateway',
  'DeleteInternetGateway',
  'RevokeSecurityGroupIngress',
  'DeleteSecurityGroup',
  'DeleteSubnet',
  'DeleteVpc',
];

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await rehearse();
  expect(rehearsal.creating.toSorted()).toEqual(creating.toSorted());
  expect(rehearsal.deleting.toSorted()).toEqual(deleting.toSorted());
}, timeout);
let cluster: ClusterUnderTest;
afterEach(() => cluster.world.end());

const some = (actions: readonly string[], chosen: readonly string[]) => (all ? actions : chosen);

const expectOneAttempt = () => {
  expect(cluster.operations().map(({ spec, status }) => `${spec?.type} ${spec?.attempt} ${status?.phase}`)).toEqual([
    'create 1 Succeeded',
  ]);
};
/** A call with a visible effect is not repeated, so that the same fault may apply only once. */
const expectStruck = (count: number, afterEffect: boolean) => {
  const left = cluster.world.system.account.faults.list();
  expect(left.filter((fault) => !afterEffect || fault.count === count)).toEqual([]);
};

/** The phases of operations of the type, as they were written. */
const phasesOf = (type: Phase): Set<string> => {
  const phases = new Set<string>();
  cluster.world.onCommit(({ object }) => {
    const { spec, status } = (object ?? {}) as { spec?: { type?: string }; status?: { phase?: string } };
    if (object?.kind === 'ClusterOperation' && spec?.type === type && status?.phase) phases.add(status.phase);
  });
  return phases;
};

describe('transient failures', () => {
  it.each([false, true])(
    'all calls of one life fail twice each (after their effect: %s)',
    { timeout },
    async (afterEffect) => {
      cluster = await createCluster();
      for (const action of new Set([...creating, ...deleting]))
        cluster.fail({ action, code: 'InternalError', count: 2, afterEffect });
      await cluster.apply();
      await cluster.settle(120);
      await cluster.world.until('recorded', () => cluster.phase() === 'Succeeded', 5);
      expectOneAttempt();
      expectWhole(cluster.world);
      expect(countsOf(cluster.world)).toEqual(rehearsal.whole);
      const phases = phasesOf('delete');
      await cluster.world.remove('Cluster', clusterName);
      await cluster.world.until('nothing remains', () => remains(cluster.world).length === 0, 240);
      expect([...phases].at(-1)).toBe('Succeeded');
      expectStruck(2, afterEffect);
    },
  );

  const passing = (actions: readonly string[]) =>
    actions.flatMap((action) =>
      [1, 2].flatMap((count) => [false, true].map((afterEffect) => ({ action, count, afterEffect }))),
    );

  it.each(passing(some(creating, [])))(
    'a create survives that $action fails $count times (its effect done: $afterEffect)',
    { timeout },
    async ({ action, count, afterEffect }) => {
      cluster = await createClusterFrom(rehearsal.before('create', action));
      cluster.fail({ action, code: 'InternalError', count, afterEffect });
      await cluster.settle(60);
      await cluster.world.until('recorded', () => cluster.phase() === 'Succeeded', 5);
      expectStruck(count, afterEffect);
      expectOneAttempt();
      expectWhole(cluster.world);
      expect(countsOf(cluster.world)).toEqual(rehearsal.whole);
    },
  );

  it.each(passing(some(deleting, [])))(
    'a delete survives that $action fails $count times (its effect done: $afterEffect)',
    { timeout },
    async ({ action, count, afterEffect }) => {
      cluster = await createClusterFrom(rehearsal.before('delete', action));
      const phases = phasesOf('delete');
      cluster.fail({ action, code: 'InternalError', count, afterEffect });
      await cluster.world.until('nothing remains', () => remains(cluster.world).length === 0, 60);
      expectStruck(count, afterEffect);
      expect([...phases]).toEqual(['Running', 'Succeeded']);
    },
  );
});

/** A missing permission, or an unavailable service. */
const lasting = (actions: readonly string[]) =>
  actions.map((action, at) => ({ action, code: at % 2 === 0 ? 'UnauthorizedOperation' : 'InternalError' }));

const setPolicy = (policy: string) =>
  cluster.annotate({ 'capstan.dev/create-deadline': '10m', 'capstan.dev/on-create-failure': policy });

const expectReason = (code: string) => {
  const step = cluster.operation()?.status?.steps?.find(({ verdict }) => verdict !== 'Succeeded')?.name;
  expect(step).toBeDefined();
  expect(failedFor(cluster)).toContain(step);
  expect(failedFor(cluster)).toContain(code);
};

describe('a call that a create needs always fails', () => {
  it.each(lasting(some(creating, ['CreateRoute', 'CreateTargetGroup', 'RegisterTargets'])))(
    '$action, $code: torn down, and built anew once it works',
    { timeout },
    async ({ action, code }) => {
      cluster = await createClusterFrom(rehearsal.before('create', action));
      const given = cluster.specs();
      cluster.fail({ action, code });
      await setPolicy('TearDown');
      await cluster.world.until('torn down', () => cluster.phase() === 'TornDown', 60);
      await cluster.world.pass(1);
      expect(cluster.made()).toEqual([]);
      expect([...cluster.specs().keys()]).toEqual([...given.keys()]);
      expectReason(code);
      if (!all) return;
      cluster.heal();
      await cluster.annotate({ 'capstan.dev/retry': '1' });
      await cluster.settle();
      expectWhole(cluster.world);
    },
  );

  it.each(lasting(some(creating, ['CreateLoadBalancer'])))(
    '$action, $code: held, and nothing is bought',
    { timeout },
    async ({ action, code }) => {
      cluster = await createClusterFrom(rehearsal.before('create', action));
      cluster.fail({ action, code });
      await setPolicy('Hold');
      await cluster.world.until('held', () => cluster.phase() === 'Held', 60);
      await cluster.world.pass(1);
      expectReason(code);
      const made = cluster.made();
      cluster.heal();
      await cluster.world.pass(120);
      expect(cluster.made()).toEqual(made);
      expect(cluster.phase()).toBe('Held');
    },
  );

  it.each(lasting(some(creating, ['CreateSecret'])))(
    '$action, $code: goes on, says what is late, and ends well',
    { timeout },
    async ({ action, code }) => {
      cluster = await createClusterFrom(rehearsal.before('create', action));
      cluster.fail({ action, code });
      await setPolicy('Retry');
      await cluster.world.pass(30);
      expect(cluster.phase()).toBe('Running');
      expect(cluster.operation()?.status?.late).toBe(true);
      expectReason(code);
      cluster.heal();
      await cluster.settle();
      await cluster.world.until('recorded', () => cluster.phase() === 'Succeeded', 5);
      expectOneAttempt();
      expectWhole(cluster.world);
    },
  );
});

const ended = ['Succeeded', 'TornDown'];
/** Never ends while anything remains. */
const watchEnd = (left: () => string[]) =>
  cluster.world.onCommit(({ object }) => {
    const { phase } = (object?.status ?? {}) as { phase?: string };
    const { type } = (object?.spec ?? {}) as { type?: string };
    if (object?.kind !== 'ClusterOperation' || !ended.includes(phase ?? '')) return;
    if (type === 'delete' || phase === 'TornDown') expect(left(), `${object.metadata.name} ${phase}`).toEqual([]);
  });

/** A target disappears with its instance, and a target group with its load balancer. */
const needed = deleting.filter((action) => action !== 'DeregisterTargets');

describe('a call that a delete needs always fails', () => {
  it.each(lasting(some(needed, ['TerminateInstances', 'DeleteSecurityGroup'])))(
    '$action, $code: the delete is held, says why, and ends once it works',
    { timeout },
    async ({ action, code }) => {
      cluster = await createClusterFrom(rehearsal.before('delete', action));
      watchEnd(() => cluster.world.live().map(({ type, id }) => `${type} ${id}`));
      cluster.fail({ action, code });
      await cluster.world.until('held', () => cluster.phase('delete') === 'Held', 60);
      await cluster.world.pass(30);
      expect(cluster.phase('delete')).toBe('Held');
      expect(cluster.operation('delete')?.status?.message).toContain(code);
      expect(cluster.world.condition('Cluster', clusterName, 'Deleting')?.message).toContain(code);
      expect(cluster.world.live()).not.toEqual([]);
      cluster.heal();
      const phases = phasesOf('delete');
      await cluster.world.until('nothing remains', () => remains(cluster.world).length === 0, 60);
      expect([...phases].at(-1)).toBe('Succeeded');
    },
  );

  it.each(lasting(some(needed, ['DeleteVpc'])))(
    '$action, $code: the teardown is held, says why, and ends once it works',
    { timeout },
    async ({ action, code }) => {
      // All exists but what the last step waits for, so that everything must be undone.
      cluster = await createClusterFrom(rehearsal.before('create', 'RegisterTargets'));
      watchEnd(() => cluster.made());
      cluster.fail({ action: 'RegisterTargets', code: 'InternalError' });
      cluster.fail({ action, code });
      await setPolicy('TearDown');
      await cluster.world.until('held', () => cluster.phase() === 'Held', 120);
      await cluster.world.pass(30);
      expect(cluster.phase()).toBe('Held');
      expect(cluster.operation()?.status?.message).toContain(code);
      expect(failedFor(cluster)).toContain(code);
      expect(cluster.made()).not.toEqual([]);
      cluster.heal();
      await cluster.world.until('torn down', () => cluster.phase() === 'TornDown', 60);
      await cluster.world.pass(1);
      expect(cluster.made()).toEqual([]);
    },
  );

  it.each(some(['DeregisterTargets'], []))('%s may fail', { timeout }, async (action) => {
    cluster = await createClusterFrom(rehearsal.before('delete', action));
    const phases = phasesOf('delete');
    cluster.fail({ action, code: 'UnauthorizedOperation' });
    await cluster.world.until('nothing remains', () => remains(cluster.world).length === 0, 60);
    expect([...phases].at(-1)).toBe('Succeeded');
  });
});
