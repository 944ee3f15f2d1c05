/** Deprecated APIs in the metrics of an API server. */
import type { Connection, Transport } from '../../kinds/ports/transport.ts';
import type { DeprecatedApi } from '../../kinds/ports/workload.ts';
import { refusalOf } from './refusal.ts';

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

export const readDeprecatedApis = async (
  transport: Transport,
  connection: Connection,
  node: string,
): Promise<DeprecatedApi[]> => {
  const response = await transport.fetchOn(connection, node, new Request(`${connection.server}/metrics`));
  const metrics = await response.text();
  if (!response.ok) throw refusalOf(response.status, metrics);
  return deprecatedApisIn(metrics);
};
