/** Deprecated APIs in the metrics of an API server. */
import type { DeprecatedApi } from '../../kinds/ports/workload.ts';

const metric = /^apiserver_requested_deprecated_apis\{([^}]*)\} (\S+)/gm;
const label = /(\w+)="([^"]*)"/g;

export const deprecatedApisIn = (metrics: string): DeprecatedApi[] =>
  [...metrics.matchAll(metric)]
    .filter(([, , value]) => Number(value) > 0)
    .map(([, text = '']) => {
      const labels = Object.fromEntries([...text.matchAll(label)].map(([, name, value]) => [name, value]));
      const { group = '', version = '', resource = '', subresource, removed_release: removedRelease = '' } = labels;
      return { group, version, resource: subresource ? `${resource}/${subresource}` : resource, removedRelease };
    });
