/** Stored objects of kinds that one API server of a cluster serves, and an older one does not. */
import type { Connection, Transport } from '../../kinds/ports/transport.ts';
import { type UnservedKind, WorkloadError } from '../../kinds/ports/workload.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { type Client, clientOn } from './client.ts';

/** Aggregated discovery, which API servers have since 1.30. */
interface GroupList {
  kind?: string;
  items?: {
    metadata?: { name?: string };
    versions?: {
      version: string;
      resources?: { resource: string; responseKind?: { kind?: string }; verbs?: string[] }[];
      /** Stale: another server, which does not answer, serves the resources. */
      freshness?: string;
    }[];
  }[];
}

interface Served {
  path: string;
  apiVersion: string;
  /** Of all its versions. */
  resource: string;
  kind: string;
  isListed: boolean;
}

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const servedBy = async (client: Pick<Client, 'send'>, connection: Connection): Promise<Served[]> => {
  const ask = async (root: string): Promise<Served[]> => {
    const list = await client.send<GroupList>(connection, 'GET', root, { accept });
    if (list?.kind !== 'APIGroupDiscoveryList')
      throw new WorkloadError('InternalError', `${root} has no aggregated discovery`);
    return (list.items ?? []).flatMap(({ metadata, versions = [] }) => {
      const group = metadata?.name ?? '';
      return versions.flatMap(({ version, resources = [], freshness }) => {
        const apiVersion = group ? `${group}/${version}` : version;
        if (freshness === 'Stale') throw new WorkloadError('ServiceUnavailable', `${apiVersion} does not answer`);
        return resources.map(({ resource, responseKind, verbs = [] }) => ({
          path: `${root}/${apiVersion}/${resource}`,
          apiVersion,
          resource: `${resource}.${group}`,
          kind: responseKind?.kind ?? resource,
          isListed: verbs.includes('list'),
        }));
      });
    });
  };
  return [...(await ask('/api')), ...(await ask('/apis'))];
};

interface Page {
  metadata?: { remainingItemCount?: number };
  items?: KubeObject[];
}

const storedIn = async (
  client: Pick<Client, 'send'>,
  connection: Connection,
  { path, apiVersion, kind }: Served,
): Promise<UnservedKind[]> => {
  const page = await client.send<Page>(connection, 'GET', `${path}?limit=1`);
  // Unknown is not none: a rollback could lose the objects.
  if (!page) throw new WorkloadError('NotFound', `${path} is discovered and not served`);
  const [first] = page.items ?? [];
  if (!first) return [];
  const { namespace, name } = first.metadata;
  const count = 1 + (page.metadata?.remainingItemCount ?? 0);
  return [{ apiVersion, kind, count, example: namespace ? `${namespace}/${name}` : name }];
};

/** `older` and `newer` are the nodes of the two API servers. */
export const readUnservedObjects = async (
  transport: Transport,
  connection: Connection,
  { older, newer }: { older: string; newer: string },
): Promise<UnservedKind[]> => {
  const client = clientOn(transport, newer);
  const [old, fresh] = await Promise.all([
    servedBy(clientOn(transport, older), connection),
    servedBy(client, connection),
  ]);
  const known = new Set(old.map(({ resource }) => resource));
  // A resource that both serve is stored in a version that both can read.
  const unknown = fresh.filter(({ resource, isListed }) => isListed && !known.has(resource));
  const preferred = [...new Map(unknown.toReversed().map((one) => [one.resource, one])).values()];
  const kinds = await Promise.all(preferred.map((served) => storedIn(client, connection, served)));
  return kinds.flat();
};
