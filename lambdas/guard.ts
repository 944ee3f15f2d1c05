/** A custom resource that is created last and deleted first: it refuses the deletion while clusters exist. */
import { answerCloudFormation, customResourceEvent } from '../adapters/aws/lambda/custom-resource.ts';
import { once } from '../machinery/once.ts';
import { guardingEnvironment } from './environment.ts';
import { handles } from './handle.ts';
import { type Guarding, guardingOf, lazyGuarding } from './runtime/guarding.ts';

export const guards = (runtime: () => Guarding) =>
  handles(customResourceEvent, {
    runtime,
    about: ({ RequestType, StackId }) => ({ request: RequestType, stack: StackId }),
    run: (guarding, event, invocation) =>
      answerCloudFormation(event, {
        id: 'guard',
        remaining: invocation.getRemainingTimeInMillis(),
        refusal: async () => (event.RequestType === 'Delete' ? guarding.refusal(event.StackId) : undefined),
      }),
  });

export const handler = guards(once(() => lazyGuarding(() => guardingOf(guardingEnvironment(process.env)))));
