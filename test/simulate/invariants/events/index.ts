import { isDeepStrictEqual } from 'node:util';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { Rule, Rules } from '../rule.ts';
import { machineIn } from '../tags.ts';
import { milestones } from './milestones.ts';
import { likeUpstream } from './upstream.ts';

/**
 * A worker that crashes after a failed launch sends no Event. That can happen once or twice, so
 * expect an Event only after more failures.
 */
const often = 4;

/** The longest time in milliseconds without another Event while launches keep failing. */
const longest = 10 * 60_000;

interface EventObject extends KubeObject {
  type?: string;
  involvedObject?: { uid?: string };
}
interface Launch {
  TagSpecifications?: { Tags: { Key: string; Value: string }[] }[];
}

const failuresAreReported: Rule = ({ world }, broken) => {
  const { clock } = world;
  /** By the uid of the AWSMachine: how many launches failed, as the caller saw it. */
  const failures = new Map<string, number>();
  /**
   * By the uid of the AWSMachine: when the last Event reported it, and when the last launch failed.
   */
  const reportedAt = new Map<string, number>();
  const refused = new Map<string, number>();
  /**
   * By the uid of the AWSMachine: the longest time without an Event while launches kept failing.
   */
  const silent = new Map<string, number>();
  return {
    onCommit: ({ type, object }) => {
      const { type: severity, involvedObject } = (object ?? {}) as Partial<EventObject>;
      if (type === 'events' && severity === 'Warning' && involvedObject?.uid)
        reportedAt.set(involvedObject.uid, clock.now());
    },
    onCall: ({ action, input, outcome }) => {
      if (action !== 'RunInstances' || outcome === 'done') return;
      const tags = (input as Launch).TagSpecifications?.[0]?.Tags ?? [];
      const uid = machineIn(tags).uid ?? '';
      failures.set(uid, (failures.get(uid) ?? 0) + 1);
      const before = refused.get(uid) ?? Number.NEGATIVE_INFINITY;
      refused.set(uid, clock.now());
      const since = reportedAt.get(uid);
      // After a pause without launches the measurement starts anew.
      if (since === undefined || clock.now() - before > longest) return;
      silent.set(uid, Math.max(silent.get(uid) ?? 0, clock.now() - since));
    },
    atEnd: () => {
      for (const { metadata } of world.mirror.all<AWSMachine>('AWSMachine')) {
        const count = failures.get(metadata.uid!) ?? 0;
        if (count >= often && !reportedAt.has(metadata.uid!))
          throw broken(`${metadata.name} failed to launch ${count} times without an Event`);
        const without = silent.get(metadata.uid!) ?? 0;
        if (count >= often && without > longest && !world.isDisturbed)
          throw broken(`${metadata.name} failed to launch for ${without / 60_000} minutes without another Event`);
      }
    },
  };
};

/** A recurring Event is counted once a minute. Clocks differ by up to two seconds each. */
const apart = 55_000;
const lasting = 3_600_000;

interface EventObject extends KubeObject {
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  firstTimestamp?: string;
  lastTimestamp?: string;
  involvedObject?: { uid?: string };
  source?: { component?: string };
}

/** What identifies an Event: its object, its content and its source. */
const subjectOf = ({ type, reason, message, involvedObject, source }: EventObject): string =>
  JSON.stringify([involvedObject?.uid, source?.component, type, reason, message]);
const contentOf = ({
  count: _,
  lastTimestamp: __,
  metadata: { resourceVersion: ___, ...metadata },
  ...rest
}: EventObject) => ({
  ...rest,
  metadata,
});

const aggregationOfEvents: Rule = ({ world: { clock } }, broken) => {
  const fail = (what: string): never => {
    throw broken(what);
  };
  /** By the identity of the Event. */
  const names = new Map<string, { name: string; at: number }>();
  const onFirst = ({ metadata: { name }, ...event }: EventObject) => {
    if (event.count !== 1) fail(`${name} begins with count ${event.count}`);
    if (event.firstTimestamp !== event.lastTimestamp)
      fail(`${name} begins with different times, ${event.firstTimestamp} and ${event.lastTimestamp}`);
  };
  const onNext = (event: EventObject, before: EventObject) => {
    const { name } = event.metadata;
    if (event.count !== (before.count ?? 1) + 1) fail(`${name} came ${before.count} times, and then ${event.count}`);
    if (!isDeepStrictEqual(contentOf(event), contentOf(before)))
      fail(`${name} changed in more than its count and time`);
    const passed = Date.parse(event.lastTimestamp ?? '') - Date.parse(before.lastTimestamp ?? '');
    if (!(passed >= apart)) fail(`${name} was counted again after only ${passed / 1000} s`);
  };
  return {
    onCommit: ({ type, event: what, object, before, writer }) => {
      if (type !== 'events' || !object || !writer || what === 'DELETED') return;
      const event = object as EventObject;
      if (what === 'ADDED') onFirst(event);
      else if (before) onNext(event, before as EventObject);
      const subject = subjectOf(event);
      const known = names.get(subject);
      if (known && known.name !== event.metadata.name && clock.now() - known.at < lasting)
        fail(`${known.name} and ${event.metadata.name} are duplicates`);
      names.set(subject, { name: event.metadata.name, at: clock.now() });
    },
  };
};

export const eventsRules: Rules = {
  'a launch that keeps failing is reported by Events': failuresAreReported,
  'a repeated Event is counted, not created again': aggregationOfEvents,
  'Events report the milestones of existing objects': milestones,
  'Events have the type and the object that upstream gives them': likeUpstream,
};
