/** What holds of a group whatever happens to it, in seeded sequences of events. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../adapters/memory/random.ts';
import { seeds } from '../../test/seeds.ts';
import { refusal } from './account.fixture.ts';
import { groupName, hook, openGroup } from './group.fixture.ts';

const second = 1000;
const timeout = 300;
const MaxSize = 8;
const hooks = ['launching', 'terminating'] as const;
const AutoScalingGroupName = groupName;

const open = (seed: number) =>
  openGroup(
    {
      MaxSize,
      DesiredCapacity: 3,
      CapacityRebalance: true,
      LifecycleHookSpecificationList: [
        hook('LAUNCHING', { HeartbeatTimeout: timeout, DefaultResult: 'CONTINUE' }),
        hook('TERMINATING', { HeartbeatTimeout: timeout }),
      ],
    },
    {
      seed,
      template: {
        InstanceMarketOptions: {
          MarketType: 'spot',
          SpotOptions: { SpotInstanceType: 'one-time', InstanceInterruptionBehavior: 'terminate' },
        },
      },
    },
  );

type Group = Awaited<ReturnType<typeof open>>;

/** Instances that wait for a lifecycle action: since when at the latest, and whether it was answered. */
const watching = (group: Group) => {
  const waiting = new Map<string, { since: number; answered: boolean }>();
  let last = group.world.clock.now();
  return {
    answered: (id: string) => {
      for (const one of waiting.keys()) if (one.startsWith(id)) waiting.get(one)!.answered = true;
    },
    /** An instance goes on after an answer or the timeout; the group may give up its launch at any time. */
    look: async () => {
      const now = group.world.clock.now();
      const instances = await group.instances();
      const states = new Map(instances.map(({ InstanceId, LifecycleState }) => [InstanceId, LifecycleState]));
      const open = new Set(
        [...states].filter(([, state]) => state.endsWith(':Wait')).map(([id, state]) => `${id} ${state}`),
      );
      for (const [one, { since, answered }] of waiting)
        if (!open.has(one)) {
          const [id = '', state] = one.split(' ');
          const isGivenUp = state === 'Pending:Wait' && !/^(Pending|InService)/.test(states.get(id) ?? '');
          expect(answered || isGivenUp || now - since >= timeout * second, one).toBe(true);
          waiting.delete(one);
        }
      for (const one of open) if (!waiting.has(one)) waiting.set(one, { since: last, answered: false });
      last = now;
      return instances;
    },
  };
};

const eventsOf = (group: Group, watch: ReturnType<typeof watching>, next: () => number) => {
  const { world, call, instances, update, refresh, newVersion } = group;
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(next() * items.length)];
  const one = async () => pick(await instances())?.InstanceId;
  let versions = 0;
  return [
    () => update({ DesiredCapacity: Math.floor(next() * (MaxSize + 1)) }),
    async () => {
      const id = await one();
      if (id && (await world.state(id)) === 'running') world.account.terminate(id);
    },
    async () => {
      const id = await one();
      if (id && (await world.state(id)) === 'running') world.account.interrupt(id);
    },
    async () => {
      const InstanceId = await one();
      if (InstanceId)
        await refusal(
          call('TerminateInstanceInAutoScalingGroup', { InstanceId, ShouldDecrementDesiredCapacity: next() < 0.5 }),
        );
    },
    async () => {
      const waits = (await instances()).filter(({ LifecycleState }) => LifecycleState.endsWith(':Wait'));
      const chosen = pick(waits);
      if (!chosen) return;
      const LifecycleHookName = chosen.LifecycleState === 'Pending:Wait' ? 'launching' : 'terminating';
      const LifecycleActionResult = next() < 0.7 ? 'CONTINUE' : 'ABANDON';
      const { InstanceId } = chosen;
      watch.answered(InstanceId);
      await refusal(
        call('CompleteLifecycleAction', { AutoScalingGroupName, LifecycleHookName, InstanceId, LifecycleActionResult }),
      );
    },
    async () => {
      const { InstanceId = '' } = pick(await instances()) ?? {};
      const LifecycleHookName = pick(hooks)!;
      await refusal(call('RecordLifecycleActionHeartbeat', { AutoScalingGroupName, LifecycleHookName, InstanceId }));
    },
    () => refusal(refresh(pick([{}, { MinHealthyPercentage: 100, MaxHealthyPercentage: 150, InstanceWarmup: 60 }]))),
    () => refusal(call('CancelInstanceRefresh', { AutoScalingGroupName })),
    () => newVersion(`version ${++versions}`),
    () => {
      const fault = { action: 'RunInstances', code: 'InsufficientInstanceCapacity' };
      world.account.faults.add({ ...fault, ...(next() < 0.5 && { zone: 'us-east-1a' }), count: 3 });
    },
    () => {
      const process = pick(['Launch', 'Terminate', 'ReplaceUnhealthy', 'HealthCheck', 'AZRebalance'])!;
      const action = next() < 0.4 ? 'SuspendProcesses' : 'ResumeProcesses';
      return call(action, { AutoScalingGroupName, ScalingProcesses: [process] });
    },
    () => world.restart(Math.floor(next() * 60) * second),
  ];
};

describe('a group, whatever happens to it,', () => {
  it.each(seeds(80))('keeps its bounds and its hooks, and recovers: seed %i', async (seed) => {
    const group = await open(seed);
    const { world, call, read, instances, pass } = group;
    const random = seededRandom(seed);
    const watch = watching(group);
    const events = eventsOf(group, watch, () => random.next());
    for (let step = 0; step < 60; step++) {
      await events[Math.floor(random.next() * events.length)]!();
      await watch.look();
      await pass(Math.floor(random.next() * 60));
      const seen = await watch.look();
      const live = seen.filter(({ LifecycleState }) => !LifecycleState.startsWith('Terminat'));
      expect(live.length).toBeLessThanOrEqual(MaxSize * 1.5);
    }

    world.account.faults.clear();
    await call('ResumeProcesses', { AutoScalingGroupName, ScalingProcesses: [] });
    await pass(4 * 3600);
    const { DesiredCapacity, Instances } = await read();
    expect(Instances.map(({ LifecycleState, HealthStatus }) => `${LifecycleState} ${HealthStatus}`)).toEqual(
      Array(DesiredCapacity).fill('InService Healthy'),
    );
    expect((await group.lastRefresh())?.Status ?? 'none').toMatch(/^(Successful|Failed|Cancelled|none)$/);
    const left = world.account.list().flatMap(({ type, id }) => (type === 'instance' ? [id] : []));
    expect(left.sort()).toEqual((await instances()).map(({ InstanceId }) => InstanceId).sort());
  });
});
