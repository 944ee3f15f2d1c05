import { itemKeyOf, workItemOf } from '../../../../machinery/controller/work-item.ts';
import type { Rule, Rules } from '../rule.ts';
import { idleMeansDone } from './idle.ts';

const callBudget: Rule = ({ world }, broken) => ({
  onCall: ({ action, outcome, isInjected }) => {
    if (isInjected || !/^(RequestLimitExceeded|Throttling)/.test(outcome)) return;
    // A process that replaces another does not know how many tokens that one has spent.
    if (world.isReplaced) return;
    throw broken(`${action} was refused as ${outcome}`);
  },
});

const window = 10 * 60_000;
/**
 * For each cluster, because the objects applied to all clusters are reconciled whenever one
 * changes.
 */
const mostEach = 600;

const noHotLoop: Rule = ({ world }, broken) => {
  const times = new Map<string, number[]>();
  world.onMessage((body) => {
    const { controller, type, namespace, name } = JSON.parse(body) as Record<string, string>;
    const id = `${controller} of ${type} ${namespace}/${name}`;
    const recent = times.get(id) ?? [];
    times.set(id, recent);
    recent.push(world.clock.now());
    if (recent.length <= mostEach) return;
    const most = mostEach * Math.max(1, world.mirror.all('Cluster').length);
    if (recent.length <= most) return;
    const since = world.clock.now() - recent.shift()!;
    if (since < window)
      world.mirror.breaks(broken(`${id} was reconciled ${most} times in ${Math.round(since / 1000)} s`));
  });
  return {};
};

const most = 120;

const noWriteLoop: Rule = ({ world }, broken) => {
  const times = new Map<string, number[]>();
  return {
    onCommit: ({ type, namespace, name, writer }) => {
      if (!writer) return;
      const id = `${type} ${namespace}/${name}`;
      const recent = times.get(id) ?? [];
      times.set(id, recent);
      recent.push(world.clock.now());
      if (recent.length <= most) return;
      const since = world.clock.now() - recent.shift()!;
      if (since < window)
        throw broken(`${id} was written ${most} times in ${Math.round(since / 1000)} s, by ${writer}`);
    },
  };
};

const minute = 60_000;
const apart = 5 * minute;
/**
 * A resync takes minutes, a sweep ends it, and a mapping changes slowly. A resync starts each hour.
 */
const longest = { undisturbed: 35 * minute, disturbed: 6 * 60 * minute };

const resyncQueues: Rule = ({ world }, broken) => {
  const { clock, mirror } = world;
  let since: number | undefined;
  const tick = () => {
    clock.after(apart, tick);
    if (!world.pollsSlowly) {
      since = undefined;
      return;
    }
    since ??= clock.now();
    const limit = world.isDisturbed ? longest.disturbed : longest.undisturbed;
    if (clock.now() - since > limit)
      mirror.breaks(broken(`the resync queues were polled for ${(clock.now() - since) / minute} minutes`));
  };
  clock.after(apart, tick);
  return {};
};

const hour = 60 * 60_000;
/** A resync waits behind all requests of API clients. */
const resyncWithin = 25 * hour;

/** The sweep of the account covers these kinds, so their resync is rarer. */
const isSwept = (controller: string) => controller.startsWith('aws-');

interface Asked {
  controller: string;
  namespace: string;
  name: string;
}
const idOf = ({ controller, namespace, name }: Asked) => `${controller} of ${namespace}/${name}`;

const dailyResync: Rule = ({ world }, broken) => {
  const { clock, mirror, looker } = world;
  let changed = clock.now();
  const last = new Map<string, number>();
  world.onMessage((body) => last.set(idOf(JSON.parse(body) as Asked), clock.now()));
  const look = () => {
    clock.after(hour / 4, look);
    if (clock.now() - changed < resyncWithin || !world.awake) return;
    for (const { name: controller, kind } of looker.controllers)
      for (const { metadata } of isSwept(controller) ? [] : mirror.all(kind)) {
        const id = idOf({ controller, namespace: metadata.namespace ?? '', name: metadata.name });
        const since = Math.min(clock.now() - changed, clock.now() - (last.get(id) ?? changed));
        if (since >= resyncWithin) mirror.breaks(broken(`${id} was not reconciled for a day`));
      }
  };
  clock.after(hour / 4, look);
  return {
    onCommit: ({ type }) => {
      if (type !== 'events') changed = clock.now();
    },
  };
};

const failuresReset: Rule = ({ world: { looker, mirror, work } }, broken) => ({
  atEnd: async () => {
    for (const { name: controller, kind, type } of looker.controllers)
      for (const { metadata } of mirror.all(kind)) {
        const { namespace = '', name } = metadata;
        const key = itemKeyOf({ controller, type, namespace, name });
        const item = workItemOf(await work.get(key, { consistent: true }));
        if (item && item.attempts > 0 && !item.lastFailure)
          throw broken(
            `${controller} of ${namespace}/${name} counts ${item.attempts} failures, but has no lastFailure`,
          );
      }
  },
});

export const workQueueRules: Rules = {
  'AWS never throttles Capstan': callBudget,
  'no object is reconciled in a hot loop': noHotLoop,
  'no object is written in a loop': noWriteLoop,
  'resync queues are polled only while a resync runs': resyncQueues,
  'every object is reconciled once a day': dailyResync,
  'a success resets the failure count': failuresReset,
  'an idle object has nothing left to do': idleMeansDone,
};
