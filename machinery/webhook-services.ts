/**
 * Addresses of services that webhooks name. There is no cluster whose services these could be, so users
 * list them in a ConfigMap.
 */
import type { KubeObject } from './api/object.ts';
import type { CallWebhook, WebhookClientConfig } from './api/webhook.ts';
import type { Store } from './store/store.ts';

/** Its data has `namespace.name` or `namespace.name.port` of services, each with the URL that stands for it. */
export const serviceAddresses = { namespace: 'kube-system', name: 'webhook-services' } as const;

type Service = NonNullable<WebhookClientConfig['service']>;

const addressOf = (addresses: KubeObject | undefined, { namespace, name, port = 443 }: Service): string | undefined => {
  const { data = {} } = (addresses ?? {}) as { data?: Record<string, string> };
  const key = [`${namespace}.${name}.${port}`, `${namespace}.${name}`].find((one) => Object.hasOwn(data, one));
  return key && data[key]!.trim().replace(/\/+$/, '');
};

/** Calls webhooks by their addresses. Certificates stay those of the service. */
export const withServices =
  (call: CallWebhook, store: Pick<Store, 'get'>): CallWebhook =>
  async (config, body, options) => {
    const { service, ...rest } = config;
    if (!service) return call(config, body, options);
    const { namespace, name, path = '' } = service;
    const url = addressOf(await store.get('configmaps', serviceAddresses), service);
    if (url === undefined)
      throw new Error(
        `the service ${namespace}/${name} has no address here: give the webhook by its url, or write the address as ${namespace}.${name} into the ConfigMap ${serviceAddresses.name} in ${serviceAddresses.namespace}`,
      );
    if (!url.startsWith('https://'))
      throw new Error(`the address of the service ${namespace}/${name} is no https URL: ${url}`);
    return call({ ...rest, url, path, serverName: `${name}.${namespace}.svc` }, body, options);
  };
