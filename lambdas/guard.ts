/**
 * Two custom resources. One is created and updated last, and deleted first: it records the stored format, and refuses
 * the deletion while clusters exist. The other is created and updated before what depends on settings: it refuses
 * settings that no user asked for.
 */
import {
  answerCloudFormation,
  type CustomResourceEvent,
  customResourceEvent,
} from '../adapters/aws/lambda/custom-resource.ts';
import { once } from '../machinery/once.ts';
import { guardingEnvironment } from './environment.ts';
import { handles } from './handle.ts';
import { type Guarding, guardingOf, lazyGuarding } from './runtime/guarding.ts';

const refusalOf = async (guarding: Guarding, event: CustomResourceEvent, isOfSettings: boolean) => {
  const { RequestType, StackId, ResourceProperties, OldResourceProperties } = event;
  if (!isOfSettings) {
    if (RequestType === 'Delete') return guarding.refusal(StackId);
    const { Format } = ResourceProperties ?? {};
    // Versions that do not record the format do not name it.
    if (Format !== undefined) await guarding.deployed(Number(Format));
    return undefined;
  }
  if (RequestType === 'Delete') return undefined;
  return guarding.refusalOfSettings(StackId, { next: ResourceProperties, before: OldResourceProperties });
};

export const guards = (runtime: () => Guarding) =>
  handles(customResourceEvent, {
    runtime,
    about: ({ RequestType, StackId }) => ({ request: RequestType, stack: StackId }),
    run: (guarding, event, invocation) => {
      const isOfSettings = event.ResourceProperties !== undefined && 'Settings' in event.ResourceProperties;
      return answerCloudFormation(event, {
        id: isOfSettings ? 'settings' : 'guard',
        remaining: invocation.getRemainingTimeInMillis(),
        refusal: () => refusalOf(guarding, event, isOfSettings),
      });
    },
  });

export const handler = guards(once(() => lazyGuarding(() => guardingOf(guardingEnvironment(process.env)))));
