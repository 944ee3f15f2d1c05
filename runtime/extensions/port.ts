/** The port through which controllers ask and call runtime extensions of users. */

import { TemplateError } from '../../kinds/common/go-template/index.ts';
import { type CallNamed, patchedByExtensions } from '../../kinds/core/topology/external-patches.ts';
import type { Item, Patch } from '../../kinds/core/topology/patches.ts';
import { PatchError } from '../../kinds/core/topology/values.ts';
import type { Answered, ExtensionsEffects, ExtensionsReads, Handler } from '../../kinds/ports/extensions.ts';
import type { Port } from '../../machinery/controller/index.ts';
import { callExtension, ExtensionFailed } from './call.ts';
import { callHook, type LifecycleParts } from './lifecycle.ts';
import { callNamed } from './named.ts';
import { selectedIn } from './selected.ts';
import { createUpgradePlans } from './upgrade-plan.ts';

const discoveryTimeout = 10;

export const extensionsPort = (parts: LifecycleParts): Port => {
  const planUpgrade = createUpgradePlans(parts);
  const answered = async (call: () => ReturnType<typeof callExtension>): Promise<Answered> => {
    try {
      return { answer: await call() };
    } catch (error) {
      if (error instanceof ExtensionFailed) return { failed: error.message };
      throw error;
    }
  };
  const discover = ({ clientConfig, settings = {} }: ExtensionsReads['Discover'][0]): Promise<Answered> =>
    answered(() =>
      callExtension(
        parts.callWebhook,
        {
          clientConfig,
          hook: 'Discovery',
          timeoutSeconds: discoveryTimeout,
          settings,
        },
        {},
      ),
    );
  const patch = async ({
    namespace,
    items,
    patches,
  }: ExtensionsReads['Patch'][0]): Promise<ExtensionsReads['Patch'][1]> => {
    const call: CallNamed = (handler, hook, settings, request) =>
      callNamed(parts, { namespace, handler, hook, settings }, request);
    try {
      const templates = await patchedByExtensions(items as unknown as Item[], patches as unknown as Patch[], call);
      return { templates };
    } catch (error) {
      if (error instanceof PatchError || error instanceof TemplateError) return { failed: error.message };
      throw error;
    }
  };
  const handlers = async ({ namespace }: ExtensionsReads['Handlers'][0]): Promise<Handler[]> => {
    const all = await parts.registrations.now();
    return (await selectedIn(parts.store, all, namespace)).map(({ name, hook }) => ({ name, hook }));
  };
  return {
    call: async (operation, input) => {
      if (operation !== 'CallHook') throw new Error(`extensions cannot be asked to ${operation}`);
      await callHook(parts, input as unknown as ExtensionsEffects['CallHook']);
    },
    read: async (operation, input): Promise<unknown> => {
      switch (operation as keyof ExtensionsReads) {
        case 'Discover':
          return discover(input as unknown as ExtensionsReads['Discover'][0]);
        case 'Call': {
          const { request, ...call } = input as unknown as ExtensionsReads['Call'][0];
          return answered(() => callNamed(parts, call, request));
        }
        case 'PlanUpgrade':
          return answered(() => planUpgrade(input as unknown as ExtensionsReads['PlanUpgrade'][0]));
        case 'Patch':
          return patch(input as unknown as ExtensionsReads['Patch'][0]);
        case 'Handlers':
          return handlers(input as unknown as ExtensionsReads['Handlers'][0]);
        default:
          throw new Error(`extensions cannot be asked for ${operation}`);
      }
    },
  };
};
