/** Calls of one handler by its name, as a ClusterClass names it. */
import type { JsonObject } from '../../machinery/api/object.ts';
import { callHandler, ExtensionFailed } from './call.ts';
import type { LifecycleParts } from './lifecycle.ts';
import { selectedIn } from './selected.ts';

interface NamedCall {
  namespace: string;
  handler: string;
  hook: string;
  /** Those of the patch win over those of the extension. */
  settings?: Record<string, string>;
}

export const callNamed = async (
  { registrations, store, callWebhook }: LifecycleParts,
  { namespace, handler, hook, settings = {} }: NamedCall,
  request: JsonObject,
): Promise<JsonObject> => {
  const registration = (await registrations.now()).find((one) => one.name === handler);
  if (!registration) throw new ExtensionFailed(`handler ${handler} is not registered by an ExtensionConfig`);
  if (registration.hook !== hook)
    throw new ExtensionFailed(`handler ${handler} handles hook ${registration.hook}, not ${hook}`);
  if ((await selectedIn(store, [registration], namespace)).length === 0)
    throw new ExtensionFailed(`the extension of handler ${handler} does not select namespace ${namespace}`);
  return callHandler(callWebhook, { ...registration, settings: { ...registration.settings, ...settings } }, request);
};
