/** Reports the progress of a stack operation. */
import { setTimeout as wait } from 'node:timers/promises';
import type { StackEvent } from '@aws-sdk/client-cloudformation';
import type { Progress } from '../../tools/progress.d.mts';
import { type CloudFormation, findStack, lastEvents } from './stack.ts';

const pause = 3_000;

/** A pure function over the events of one operation, newest first. */
export const farOf = (events: readonly StackEvent[], total: number): string => {
  const own = events.filter(({ PhysicalResourceId, StackId }) => PhysicalResourceId !== StackId);
  const latest = new Map<string, StackEvent>();
  for (const event of own.toReversed()) latest.set(event.LogicalResourceId ?? '', event);
  const states = [...latest.values()];
  const ended = states.filter(({ ResourceStatus = '' }) => ResourceStatus.endsWith('_COMPLETE')).length;
  const now = states.findLast(({ ResourceStatus = '' }) => ResourceStatus.endsWith('_IN_PROGRESS'));
  const at = now ? `, at ${now.ResourceType} ${now.LogicalResourceId}` : '';
  return `${ended} of ${Math.max(total, states.length)} resources${at}`;
};

/** Returns the result of `work`. A failing progress query is ignored. */
export const following = async <T>(
  client: CloudFormation,
  stacks: readonly { name: string; total: number }[],
  progress: Pick<Progress, 'detail'>,
  work: Promise<T>,
  every = pause,
): Promise<T> => {
  let isOver = false;
  const look = async (): Promise<void> => {
    while (!isOver) {
      await wait(every);
      for (const { name, total } of stacks) {
        const stack = await findStack(client, name);
        if (isOver || !stack?.StackStatus?.endsWith('_IN_PROGRESS')) continue;
        const events = await lastEvents(client, stack.StackId ?? name);
        if (!isOver) progress.detail(`${name}: ${farOf(events, total)}`);
      }
    }
  };
  void look().catch(() => undefined);
  try {
    return await work;
  } finally {
    isOver = true;
  }
};
