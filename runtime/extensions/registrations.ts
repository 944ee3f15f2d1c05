/** The handlers of all extensions that were discovered. */
import type { ExtensionConfig } from '../../kinds/extensions/extension-config/schema.ts';
import type { KubeObject, LabelSelector } from '../../machinery/api/object.ts';
import type { WebhookClientConfig } from '../../machinery/api/webhook.ts';

export interface Registration {
  /** `handler.extension`. */
  name: string;
  /** The handler's own name, which is in the path of its calls. */
  handler: string;
  hook: string;
  clientConfig: WebhookClientConfig;
  timeoutSeconds: number;
  isIgnored: boolean;
  namespaceSelector: LabelSelector;
  settings: Record<string, string>;
}

/** By name, which is the order of their calls. */
export const registrationsOf = (extensions: readonly KubeObject[]): Registration[] =>
  (extensions as ExtensionConfig[])
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .flatMap(({ metadata, spec, status }) =>
      (status?.handlers ?? []).map(({ name, requestHook, timeoutSeconds = 10, failurePolicy }) => ({
        name,
        handler: name.slice(0, -metadata.name.length - 1),
        hook: requestHook.hook,
        clientConfig: spec!.clientConfig as WebhookClientConfig,
        timeoutSeconds,
        isIgnored: failurePolicy === 'Ignore',
        namespaceSelector: (spec!.namespaceSelector ?? {}) as LabelSelector,
        settings: spec!.settings ?? {},
      })),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
