/**
 * EventBridge, SNS and the asynchronous invocation of Lambda, with its retries. Faults lose or
 * duplicate events.
 */
import { asyncRetries } from '../../../cdk/limits.ts';
import { type Clock, sleep } from '../../../machinery/ports.ts';
import type { Faults } from '../faults/index.ts';
import type { Story } from '../story.ts';

const minute = 60_000;

export interface EventsOptions {
  clock: Clock;
  faults: Faults;
  story: Story;
}

export interface Events {
  /** Never rejects: after its last retry an event is dropped, as on AWS. */
  deliver(what: string, invoke: () => Promise<void>): Promise<void>;
  /**
   * Publishes to a topic, which never loses events. Returns whether the invocation succeeded in the
   * end.
   */
  publish(what: string, invoke: () => Promise<void>): Promise<boolean>;
  /** Whether no event is in flight. */
  readonly isIdle: boolean;
}

export const createEvents = ({ clock, faults, story }: EventsOptions): Events => {
  let delivering = 0;
  const attempt = async (invoke: () => Promise<void>): Promise<boolean> => {
    for (let attempts = 1; attempts <= 1 + asyncRetries; attempts++) {
      try {
        await invoke();
        return true;
      } catch {
        await sleep(clock, minute * attempts);
      }
    }
    return false;
  };
  const publish: Events['publish'] = async (what, invoke) => {
    const times = faults.strikes('event.duplicated', what) ? 2 : 1;
    let isTaken = false;
    delivering += 1;
    for (let copy = 0; copy < times; copy++) {
      if (copy > 0) await sleep(clock, faults.dice('event.duplicated').spread(1, 10 * minute));
      if (await attempt(invoke)) isTaken = true;
    }
    delivering -= 1;
    return isTaken;
  };
  return {
    deliver: async (what, invoke) => {
      if (faults.strikes('event.lost', what)) story.tell('event lost', what);
      else await publish(what, invoke);
    },
    publish,
    get isIdle() {
      return delivering === 0;
    },
  };
};
