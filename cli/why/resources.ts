/** The kinds that the server serves, by their names, and lists of their objects. */
import type { KubeObject } from '../../machinery/api/object.ts';
import { refusalOf } from '../answer.ts';
import type { ApiClient } from '../client.ts';
import { CliError } from '../errors.ts';

export interface Resource {
  apiVersion: string;
  kind: string;
  plural: string;
  names: readonly string[];
  namespaced: boolean;
}

interface Listed {
  name: string;
  singularName: string;
  kind: string;
  namespaced: boolean;
  shortNames?: string[];
}

const pathOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

const resourcesOf = async (client: ApiClient, apiVersion: string): Promise<Resource[]> => {
  const found = await client.find<{ resources: Listed[] }>(pathOf(apiVersion));
  return (found?.resources ?? [])
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, singularName, kind, namespaced, shortNames = [] }) => ({
      apiVersion,
      kind,
      plural: name,
      names: [name, singularName, kind.toLowerCase(), ...shortNames],
      namespaced,
    }));
};

export const readResources = async (client: ApiClient): Promise<Resource[]> => {
  const { groups } = await client.json<{ groups: { preferredVersion: { groupVersion: string } }[] }>('GET', '/apis');
  const versions = groups.map(({ preferredVersion }) => preferredVersion.groupVersion);
  return (await Promise.all(['v1', ...versions].map((version) => resourcesOf(client, version)))).flat();
};

export const groupOf = ({ apiVersion }: Pick<Resource, 'apiVersion'>): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

const placeOf = ({ apiVersion, plural, namespaced }: Resource, namespace: string | undefined): string =>
  `${pathOf(apiVersion)}${namespaced && namespace !== undefined ? `/namespaces/${namespace}` : ''}/${plural}`;

const page = 500;

interface List {
  items: KubeObject[];
  metadata?: { continue?: string };
}

interface Listing {
  /** Absent: all namespaces. */
  namespace: string | undefined;
  selector?: string;
  /** Whether there is nothing to say without them. */
  isNeeded?: boolean;
}

/** All objects of a kind; none if the caller may not read them, unless they are needed. */
export const listAll = async (
  client: ApiClient,
  resource: Resource,
  { namespace, selector = '', isNeeded = false }: Listing,
): Promise<KubeObject[]> => {
  const all: KubeObject[] = [];
  let token: string | undefined;
  do {
    const query = new URLSearchParams({
      limit: String(page),
      ...(selector && { labelSelector: selector }),
      ...(token && { continue: token }),
    });
    const answer = await client.request('GET', `${placeOf(resource, namespace)}?${query}`);
    if (answer.code === 403 && isNeeded) throw refusalOf(answer);
    if (answer.code === 403 || answer.code === 404) return all;
    if (answer.code >= 400) throw new CliError(`cannot list ${resource.plural}: HTTP status ${answer.code}`);
    const { items, metadata } = JSON.parse(answer.body) as List;
    const { apiVersion, kind } = resource;
    for (const item of items) all.push({ ...item, apiVersion, kind });
    token = metadata?.continue || undefined;
  } while (token);
  return all;
};

/** `absent`: it was searched for, and is not there; undefined: the caller may not read it. */
export const readOne = async (
  client: ApiClient,
  resource: Resource,
  namespace: string,
  name: string,
): Promise<KubeObject | 'absent' | undefined> => {
  const path = `${placeOf(resource, resource.namespaced ? namespace : undefined)}/${encodeURIComponent(name)}`;
  const answer = await client.request('GET', path);
  if (answer.code === 404) return 'absent';
  return answer.code >= 400 ? undefined : (JSON.parse(answer.body) as KubeObject);
};
