/** EventBridge, and Lambda behind it: who is invoked for an event, again when it fails, and twice or never on a bad day. */
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
  /** Whether none is on its way. */
  readonly isIdle: boolean;
}

export const createEvents = ({ clock, faults, story }: EventsOptions): Events => {
  let delivering = 0;
  const deliver: Events['deliver'] = async (what, invoke) => {
    if (faults.strikes('event.lost', what)) return story.tell('event lost', what);
    const times = faults.strikes('event.duplicated', what) ? 2 : 1;
    delivering += 1;
    for (let copy = 0; copy < times; copy++) {
      if (copy > 0) await sleep(clock, faults.dice('event.duplicated').spread(1, 10 * minute));
      for (let attempt = 0; attempt <= asyncRetries; attempt++) {
        try {
          await invoke();
          break;
        } catch {
          await sleep(clock, minute * (attempt + 1));
        }
      }
    }
    delivering -= 1;
  };
  return {
    deliver,
    get isIdle() {
      return delivering === 0;
    },
  };
};
