import { sqsEvent } from '../../adapters/aws/lambda/events.ts';
import { handles } from '../handle.ts';
import type { Reconciling } from '../runtime/reconciling.ts';

/** The handler of a class of workers. */
export const reconciles = (runtime: () => Pick<Reconciling, 'log' | 'receive'>) =>
  handles(sqsEvent, {
    runtime,
    about: ({ Records }) => ({ messages: Records.map(({ messageId }) => messageId) }),
    run: (reconciling, event) => reconciling.receive(event),
  });
