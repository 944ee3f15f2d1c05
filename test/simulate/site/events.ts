/** EventBridge and SNS, and Lambda behind them: who is invoked for an event, again when it fails, and twice or never on a bad day. */
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
  /** Rejects never: what fails again and again is given up, as it is on AWS. */
  deliver(what: string, invoke: () => Promise<void>): Promise<void>;
  /** What a topic tells, which is never lost; answers whether it was taken in the end. */
  publish(what: string, invoke: () => Promise<void>): Promise<boolean>;
  /** Whether none is on its way. */
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
