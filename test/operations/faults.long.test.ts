/**
 * Every single mutating call of a create and of a delete fails: once, twice, always; before and after its effect. A
 * sample of each runs here; all of them with CAPSTAN_FAULTS=all.
 */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectWhole, remains } from '../system/checks.ts';
import { countsOf, type Phase, type Rehearsal, rehearse, sceneFrom } from './rehearsal.ts';
import { clusterName, failedFor, type Scene, setScene } from './scene.ts';

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
let scene: Scene;
afterEach(() => scene.world.end());

const some = (actions: readonly string[], chosen: readonly string[]) => (all ? actions : chosen);

const expectOneAttempt = () => {
  expect(scene.operations().map(({ spec, status }) => `${spec?.type} ${spec?.attempt} ${status?.phase}`)).toEqual([
    'create 1 Succeeded',
  ]);
};
/** A call with a visible effect is not repeated, so that the same fault may apply only once. */
const expectStruck = (count: number, afterEffect: boolean) => {
  const left = scene.world.system.account.faults.list();
  expect(left.filter((fault) => !afterEffect || fault.count === count)).toEqual([]);
};

/** The phases of operations of the type, as they were written. */
const phasesOf = (type: Phase): Set<string> => {
  const phases = new Set<string>();
  scene.world.onCommit(({ object }) => {
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
      scene = await setScene();
      for (const action of new Set([...creating, ...deleting]))
        scene.fail({ action, code: 'InternalError', count: 2, afterEffect });
      await scene.apply();
      await scene.settle(120);
      await scene.world.until('recorded', () => scene.phase() === 'Succeeded', 5);
      expectOneAttempt();
      expectWhole(scene.world);
      expect(countsOf(scene.world)).toEqual(rehearsal.whole);
      const phases = phasesOf('delete');
      await scene.world.remove('Cluster', clusterName);
      await scene.world.until('nothing remains', () => remains(scene.world).length === 0, 240);
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
      scene = await sceneFrom(rehearsal.before('create', action));
      scene.fail({ action, code: 'InternalError', count, afterEffect });
      await scene.settle(60);
      await scene.world.until('recorded', () => scene.phase() === 'Succeeded', 5);
      expectStruck(count, afterEffect);
      expectOneAttempt();
      expectWhole(scene.world);
      expect(countsOf(scene.world)).toEqual(rehearsal.whole);
    },
  );

  it.each(passing(some(deleting, [])))(
    'a delete survives that $action fails $count times (its effect done: $afterEffect)',
    { timeout },
    async ({ action, count, afterEffect }) => {
      scene = await sceneFrom(rehearsal.before('delete', action));
      const phases = phasesOf('delete');
      scene.fail({ action, code: 'InternalError', count, afterEffect });
      await scene.world.until('nothing remains', () => remains(scene.world).length === 0, 60);
      expectStruck(count, afterEffect);
      expect([...phases]).toEqual(['Running', 'Succeeded']);
    },
  );
});

/** A missing permission, or an unavailable service. */
const lasting = (actions: readonly string[]) =>
  actions.map((action, at) => ({ action, code: at % 2 === 0 ? 'UnauthorizedOperation' : 'InternalError' }));

const setPolicy = (policy: string) =>
  scene.annotate({ 'capstan.dev/create-deadline': '10m', 'capstan.dev/on-create-failure': policy });

const expectToldWhy = (code: string) => {
  const step = scene.operation()?.status?.steps?.find(({ verdict }) => verdict !== 'Succeeded')?.name;
  expect(step).toBeDefined();
  expect(failedFor(scene)).toContain(step);
  expect(failedFor(scene)).toContain(code);
};

describe('a call that a create needs always fails', () => {
  it.each(lasting(some(creating, ['CreateRoute', 'CreateTargetGroup', 'RegisterTargets'])))(
    '$action, $code: torn down, and built anew once it works',
    { timeout },
    async ({ action, code }) => {
      scene = await sceneFrom(rehearsal.before('create', action));
      const given = scene.specs();
      scene.fail({ action, code });
      await setPolicy('TearDown');
      await scene.world.until('torn down', () => scene.phase() === 'TornDown', 60);
      await scene.world.pass(1);
      expect(scene.made()).toEqual([]);
      expect([...scene.specs().keys()]).toEqual([...given.keys()]);
      expectToldWhy(code);
      if (!all) return;
      scene.heal();
      await scene.annotate({ 'capstan.dev/retry': '1' });
      await scene.settle();
      expectWhole(scene.world);
    },
  );

  it.each(lasting(some(creating, ['CreateLoadBalancer'])))(
    '$action, $code: held, and nothing is bought',
    { timeout },
    async ({ action, code }) => {
      scene = await sceneFrom(rehearsal.before('create', action));
      scene.fail({ action, code });
      await setPolicy('Hold');
      await scene.world.until('held', () => scene.phase() === 'Held', 60);
      await scene.world.pass(1);
      expectToldWhy(code);
      const made = scene.made();
      scene.heal();
      await scene.world.pass(120);
      expect(scene.made()).toEqual(made);
      expect(scene.phase()).toBe('Held');
    },
  );

  it.each(lasting(some(creating, ['CreateSecret'])))(
    '$action, $code: goes on, says what is late, and ends well',
    { timeout },
    async ({ action, code }) => {
      scene = await sceneFrom(rehearsal.before('create', action));
      scene.fail({ action, code });
      await setPolicy('Retry');
      await scene.world.pass(30);
      expect(scene.phase()).toBe('Running');
      expect(scene.operation()?.status?.late).toBe(true);
      expectToldWhy(code);
      scene.heal();
      await scene.settle();
      await scene.world.until('recorded', () => scene.phase() === 'Succeeded', 5);
      expectOneAttempt();
      expectWhole(scene.world);
    },
  );
});

const ended = ['Succeeded', 'TornDown'];
/** Never ends while anything remains. */
const watchEnd = (left: () => string[]) =>
  scene.world.onCommit(({ object }) => {
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
      scene = await sceneFrom(rehearsal.before('delete', action));
      watchEnd(() => scene.world.live().map(({ type, id }) => `${type} ${id}`));
      scene.fail({ action, code });
      await scene.world.until('held', () => scene.phase('delete') === 'Held', 60);
      await scene.world.pass(30);
      expect(scene.phase('delete')).toBe('Held');
      expect(scene.operation('delete')?.status?.message).toContain(code);
      expect(scene.world.condition('Cluster', clusterName, 'Deleting')?.message).toContain(code);
      expect(scene.world.live()).not.toEqual([]);
      scene.heal();
      const phases = phasesOf('delete');
      await scene.world.until('nothing remains', () => remains(scene.world).length === 0, 60);
      expect([...phases].at(-1)).toBe('Succeeded');
    },
  );

  it.each(lasting(some(needed, ['DeleteVpc'])))(
    '$action, $code: the teardown is held, says why, and ends once it works',
    { timeout },
    async ({ action, code }) => {
      // All exists but what the last step waits for, so that everything must be undone.
      scene = await sceneFrom(rehearsal.before('create', 'RegisterTargets'));
      watchEnd(() => scene.made());
      scene.fail({ action: 'RegisterTargets', code: 'InternalError' });
      scene.fail({ action, code });
      await setPolicy('TearDown');
      await scene.world.until('held', () => scene.phase() === 'Held', 120);
      await scene.world.pass(30);
      expect(scene.phase()).toBe('Held');
      expect(scene.operation()?.status?.message).toContain(code);
      expect(failedFor(scene)).toContain(code);
      expect(scene.made()).not.toEqual([]);
      scene.heal();
      await scene.world.until('torn down', () => scene.phase() === 'TornDown', 60);
      await scene.world.pass(1);
      expect(scene.made()).toEqual([]);
    },
  );

  it.each(some(['DeregisterTargets'], []))('%s may fail', { timeout }, async (action) => {
    scene = await sceneFrom(rehearsal.before('delete', action));
    const phases = phasesOf('delete');
    scene.fail({ action, code: 'UnauthorizedOperation' });
    await scene.world.until('nothing remains', () => remains(scene.world).length === 0, 60);
    expect([...phases].at(-1)).toBe('Succeeded');
  });
});
