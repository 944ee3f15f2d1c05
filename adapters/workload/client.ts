/** Requests to a workload cluster's API by kind. */

import type { Connection, Transport } from '../../kinds/ports/transport.ts';
import { WorkloadError } from '../../kinds/ports/workload.ts';
import { groupOf } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { type ApiResource, builtIn } from './built-in.ts';
import { refusalOf } from './refusal.ts';

export interface Target {
  apiVersion: string;
  kind: string;
  namespace?: string | undefined;
  name?: string | undefined;
}

/** Cached resource lists, one per cluster and group version. */
const mostRemembered = 2000;

const rootOf = (apiVersion: string): string => (groupOf(apiVersion) ? `/apis/${apiVersion}` : `/api/${apiVersion}`);
const isList = (name: string) => !name.includes('/');

export interface Client {
  /** Undefined for a definite 404. Other errors reject with a WorkloadError. */
  send<T>(connection: Connection, method: string, path: string, options?: SendOptions): Promise<T | undefined>;
  /** The path of an object or, without a name, of a collection; undefined if the cluster lacks the kind. */
  pathOf(connection: Connection, target: Target): Promise<string | undefined>;
}

export interface SendOptions {
  body?: unknown;
  contentType?: string;
  accept?: string;
}

export const createClient = (transport: Transport): Client => {
  const remembered = new Map<string, ApiResource[]>();

  const send = async <T>(
    connection: Connection,
    method: string,
    path: string,
    { body, contentType = 'application/json', accept = 'application/json' }: SendOptions = {},
  ): Promise<T | undefined> => {
    const request = new Request(`${connection.server}${path}`, {
      method,
      headers: { Accept: accept, ...(body !== undefined && { 'Content-Type': contentType }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const response = await transport.fetch(connection, request);
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (!response.ok) throw refusalOf(response.status, text);
    try {
      return JSON.parse(text) as T;
    } catch (error) {
      throw new WorkloadError('InternalError', `the answer to ${method} ${path} is not JSON`, { cause: error });
    }
  };

  const resources = async (connection: Connection, apiVersion: string, again: boolean): Promise<ApiResource[]> => {
    const id = `${connection.server} ${connection.caCertificate ?? ''} ${apiVersion}`;
    const known = remembered.get(id);
    if (known && !again) return known;
    const list = await send<{ resources?: ApiResource[] }>(connection, 'GET', rootOf(apiVersion));
    const found = (list?.resources ?? []).filter(({ name }) => isList(name));
    if (remembered.size >= mostRemembered) remembered.clear();
    if (found.length > 0) remembered.set(id, found);
    return found;
  };

  return {
    send,
    pathOf: async (connection, { apiVersion, kind, namespace, name }) => {
      const pick = (list: readonly ApiResource[] = []) => list.find((resource) => resource.kind === kind);
      const resource =
        pick(builtIn[apiVersion]) ??
        pick(await resources(connection, apiVersion, false)) ??
        pick(await resources(connection, apiVersion, true));
      if (!resource) return undefined;
      const where =
        resource.namespaced && (namespace || name) ? `/namespaces/${encodeURIComponent(namespace || 'default')}` : '';
      return `${rootOf(apiVersion)}${where}/${resource.name}${name ? `/${encodeURIComponent(name)}` : ''}`;
    },
  };
};

/** As a client of `transport`, of the API server on a node. */
export const clientOn = (transport: Transport, node: string): Pick<Client, 'send'> =>
  createClient({ ...transport, fetch: (connection, request) => transport.fetchOn(connection, node, request) });

/** The target of an object. */
export const targetOf = (object: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): Target => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  namespace: object.metadata.namespace,
  name: object.metadata.name,
});
