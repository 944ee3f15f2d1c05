/** A runtime extension in the test's process: it counts its calls, and answers as the test says. */
import type { JsonObject } from '../../machinery/api/object.ts';
import type { CallWebhook } from '../../machinery/api/webhook.ts';
import type { World } from './world.ts';

export interface Called {
  hook: string;
  at: number;
  request: JsonObject;
}
type AnswerTo = (request: JsonObject) => JsonObject | Error;

export const extensionNamed = (name: string, hooks: readonly string[], handler: JsonObject = {}) => {
  const calls: Called[] = [];
  const answers = new Map<string, AnswerTo>();
  let world: World | undefined;
  const callWebhook: CallWebhook = async ({ path = '' }, body) => {
    const request = body as JsonObject;
    const hook = String(request.kind).replace(/Request$/, '');
    if (hook === 'Discovery')
      return {
        status: 'Success',
        handlers: hooks.map((one) => ({
          name: one.toLowerCase(),
          requestHook: { apiVersion: request.apiVersion, hook: one },
          ...handler,
        })),
      };
    const expected = `/hooks.runtime.cluster.x-k8s.io/v1alpha1/${hook.toLowerCase()}/${hook.toLowerCase()}`;
    if (path !== expected) throw new Error(`unexpected path ${path}`);
    calls.push({ hook, at: world?.now() ?? 0, request });
    const answer = answers.get(hook)?.(request) ?? { status: 'Success' };
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return {
    calls,
    callWebhook,
    /** By default Success. */
    answer: (hook: string, to: AnswerTo) => answers.set(hook, to),
    of: (hook: string) => calls.filter((one) => one.hook === hook),
    names: () => calls.map(({ hook }) => hook),
    /** Registers it, and waits until it is discovered. */
    register: async (to: World, spec: object = {}) => {
      world = to;
      await to.apply({
        apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
        kind: 'ExtensionConfig',
        metadata: { name },
        spec: { clientConfig: { url: `https://${name}.example` }, ...spec },
      });
      await to.until(
        'discovered',
        () =>
          to
            .find('ExtensionConfig', name, '')
            ?.status?.conditions?.some(({ type, status }) => type === 'Discovered' && status === 'True') ?? false,
        2,
      );
    },
  };
};
