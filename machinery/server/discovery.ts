/** API discovery, in the aggregated form and the older one. */
import { createHash } from 'node:crypto';
import { apiVersionOf, type KindDefinition, type KindVersion, storageVersion } from '../api/kind.ts';
import { compareVersions } from '../api/version-order.ts';
import type { ServerContext } from './call.ts';
import { type Form, negotiate } from './negotiate.ts';
import { type Resource, servedVersions, verbsOf } from './registry.ts';
import type { ResourceEntry, SubresourceEntry } from './resource-entry.ts';
import { reviewResources } from './review-resources.ts';
import { jsonResponse, notServed } from './status.ts';
import { taggedResponse } from './tagged.ts';

export interface GroupEntry {
  group: string;
  versions: { version: string; resources: ResourceEntry[] }[];
}

const subresourcesOf = (resource: Resource, version: KindVersion): SubresourceEntry[] => {
  const { group, kind } = resource.kind;
  const entries: SubresourceEntry[] = [];
  const verbs = new Set(verbsOf(resource));
  const writing = (['get', 'patch', 'update'] as const).filter((verb) => verbs.has(verb));
  if (version.status) entries.push({ name: 'status', group, version: version.name, kind, verbs: [...writing] });
  if (version.scale)
    entries.push({ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: [...writing] });
  for (const [name, sub] of Object.entries(resource.subresources ?? {}))
    entries.push({
      name,
      group: sub.group ?? group,
      version: sub.version ?? version.name,
      kind: sub.kind,
      verbs: sub.verbs,
    });
  return entries;
};

/** Changes with the version in which a kind is stored, as clients that migrate objects read it. */
const storageVersionHash = (of: KindDefinition): string =>
  createHash('sha256')
    .update(`${of.group}/${storageVersion(of).name}/${of.kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');

const entryOf = (resource: Resource, version: KindVersion): ResourceEntry => {
  const { group, kind, plural, singular, namespaced, shortNames, categories } = resource.kind;
  return {
    plural,
    singular,
    kind,
    group,
    namespaced,
    verbs: [...(resource.announced ?? verbsOf(resource))],
    shortNames,
    categories,
    subresources: subresourcesOf(resource, version),
    storedAs: storageVersionHash(resource.kind),
  };
};

/** Every group with its versions and resources; the core group comes first, with an empty name. */
export const groupsOf = (resources: Resource[]): GroupEntry[] => {
  const groups = new Map<string, Map<string, ResourceEntry[]>>([['', new Map([['v1', []]])]]);
  const add = (group: string, version: string, entry: ResourceEntry) => {
    const versions = groups.get(group) ?? new Map<string, ResourceEntry[]>();
    versions.set(version, [...(versions.get(version) ?? []), entry]);
    groups.set(group, versions);
  };
  for (const resource of resources)
    for (const version of servedVersions(resource)) add(resource.kind.group, version.name, entryOf(resource, version));
  for (const { version, ...entry } of reviewResources) add(entry.group, version, entry);
  return [...groups].map(([group, versions]) => ({
    group,
    versions: [...versions]
      .sort(([a], [b]) => compareVersions(a, b))
      .map(([version, entries]) => ({ version, resources: entries.sort((a, b) => (a.plural < b.plural ? -1 : 1)) })),
  }));
};

const scope = (namespaced: boolean) => (namespaced ? 'Namespaced' : 'Cluster');

const aggregatedResource = (entry: ResourceEntry, version: string) => ({
  resource: entry.plural,
  responseKind: { group: entry.group, version, kind: entry.kind },
  scope: scope(entry.namespaced),
  singularResource: entry.singular,
  verbs: entry.verbs,
  ...(entry.shortNames.length > 0 && { shortNames: entry.shortNames }),
  ...(entry.categories.length > 0 && { categories: entry.categories }),
  ...(entry.subresources.length > 0 && {
    subresources: entry.subresources.map((sub) => ({
      subresource: sub.name,
      responseKind: { group: sub.group, version: sub.version, kind: sub.kind },
      verbs: sub.verbs,
    })),
  }),
});

/** A client that has the document already, by its ETag, gets 304 without it. */
const aggregated = (groups: GroupEntry[], form: Form, request: Request): Response => {
  const text = JSON.stringify({
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${form.version}`,
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: { ...(group && { name: group }), creationTimestamp: null },
      versions: versions.map(({ version, resources }) => ({
        version,
        resources: resources.map((entry) => aggregatedResource(entry, version)),
        freshness: 'Current',
      })),
    })),
  });
  return taggedResponse(request, text, {
    'Content-Type': `application/json;g=apidiscovery.k8s.io;v=${form.version};as=APIGroupDiscoveryList`,
    'Cache-Control': 'public',
  });
};

const groupVersion = (group: string, version: string) => ({ groupVersion: apiVersionOf(group, version), version });
const legacyGroup = ({ group, versions }: GroupEntry) => ({
  name: group,
  versions: versions.map(({ version }) => groupVersion(group, version)),
  preferredVersion: groupVersion(group, versions[0]!.version),
});

const legacyResource = (entry: ResourceEntry) => [
  {
    name: entry.plural,
    singularName: entry.singular,
    namespaced: entry.namespaced,
    kind: entry.kind,
    verbs: entry.verbs,
    ...(entry.shortNames.length > 0 && { shortNames: entry.shortNames }),
    ...(entry.categories.length > 0 && { categories: entry.categories }),
    ...(entry.storedAs && { storageVersionHash: entry.storedAs }),
  },
  ...entry.subresources.map((sub) => ({
    name: `${entry.plural}/${sub.name}`,
    singularName: '',
    namespaced: entry.namespaced,
    ...(sub.group !== entry.group && { group: sub.group, version: sub.version }),
    kind: sub.kind,
    verbs: sub.verbs,
  })),
];

const vary = { Vary: 'Accept' };

/** `/api`, `/apis`, `/apis/group`, `/api/v1` and `/apis/group/version`. */
export const discover = async ({ registry }: ServerContext, request: Request, parts: string[]): Promise<Response> => {
  const groups = groupsOf(await registry.resources());
  const [root, ...rest] = parts as [string, ...string[]];
  const named =
    root === 'api' ? groups.filter(({ group }) => group === '') : groups.filter(({ group }) => group !== '');
  if (rest.length === 0) {
    const form = negotiate(request, (each) => each.as === undefined || each.as === 'APIGroupDiscoveryList');
    if (form.as) return aggregated(named, form, request);
    if (root === 'api')
      return jsonResponse({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }, 200, vary);
    return jsonResponse({ kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(legacyGroup) }, 200, vary);
  }
  const [name, version] = root === 'api' ? ['', rest[0]] : rest;
  const group = named.find((each) => each.group === name);
  if (!group) throw notServed();
  if (version === undefined) return jsonResponse({ kind: 'APIGroup', apiVersion: 'v1', ...legacyGroup(group) });
  const found = group.versions.find((each) => each.version === version);
  if (!found) throw notServed();
  return jsonResponse({
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf(group.group, version),
    resources: found.resources.flatMap(legacyResource),
  });
};
