/** Reads what describes clusters, for the causes of what is wrong with them. */
import { causeRules } from '../../kinds/cause-rules.ts';
import {
  clusterReferenceOf,
  type Graph,
  graphOf,
  membersOf,
  type Reference,
  referencesIn,
} from '../../kinds/common/causes/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { ApiClient } from '../client.ts';
import { findOperation } from '../operation.ts';
import { groupOf, listAll, type Resource, readOne, readResources } from './resources.ts';

/** Kinds whose many objects carry the label of their cluster; all others are few, or may lack it. */
const labelled = new Set(['Machine', 'MachineSet', 'KubeadmConfig', 'AWSMachine']);
/** Kinds that are read by their names. */
const unlisted =
  /Template$|Binding$|Identity$|^(ClusterOperation|InfrastructureCheck|SnapshotListRequest|UpgradeCheck|Provider)$/;
/** Kubernetes' own groups, without those of Cluster API. */
const isOfKubernetes = (group: string): boolean =>
  !group.includes('.') || (group.endsWith('.k8s.io') && !group.endsWith('cluster.x-k8s.io'));
const ours = /(^|\.)(cluster\.x-k8s\.io|capstan\.dev)$/;

const isListed = (resource: Resource): boolean =>
  resource.namespaced === (resource.kind !== 'Installation') &&
  !isOfKubernetes(groupOf(resource)) &&
  !unlisted.test(resource.kind);

/** Of kinds with many objects, and of users' own, only those with the label of the cluster are read. */
const isLabelled = (resource: Resource): boolean => labelled.has(resource.kind) || !ours.test(groupOf(resource));

export interface Scope {
  /** Absent: all namespaces. */
  namespace?: string;
  clusterName?: string;
}

/** The objects of the clusters in a scope; a kind that the caller may not read is left out. */
const readObjects = async (client: ApiClient, resources: readonly Resource[], scope: Scope): Promise<KubeObject[]> => {
  const { namespace, clusterName } = scope;
  const selector = clusterName === undefined ? '' : `cluster.x-k8s.io/cluster-name=${clusterName}`;
  const lists = await Promise.all(
    resources.filter(isListed).map((resource) =>
      listAll(client, resource, {
        namespace,
        selector: isLabelled(resource) ? selector : '',
        isNeeded: clusterName === undefined && resource.kind === 'Cluster' && ours.test(groupOf(resource)),
      }),
    ),
  );
  return lists.flat();
};

type Followed = Reference & { apiGroup?: string; apiVersion?: string };

const resourceFor = (
  resources: readonly Resource[],
  { kind, apiGroup, apiVersion }: Followed,
): Resource | undefined => {
  const group = apiGroup ?? (apiVersion === undefined ? undefined : groupOf({ apiVersion }));
  return resources.find((one) => one.kind === kind && (group === undefined || groupOf(one) === group));
};

/** Follows references until nothing is left to follow. */
const graphFor = async (
  client: ApiClient,
  resources: readonly Resource[],
  cluster: KubeObject,
  all: readonly KubeObject[],
  now: number,
): Promise<Graph> => {
  const { namespace = '' } = cluster.metadata;
  const known = [...all];
  const absent: Reference[] = [];
  const asked = new Set<string>();
  for (;;) {
    const { objects, unfollowed } = membersOf(cluster, known);
    const next = unfollowed.filter(({ kind, name }) => !asked.has(`${kind}/${name}`));
    if (next.length === 0) return graphOf({ objects, absent, rules: causeRules, now });
    const answers = await Promise.all(
      next.map(async (reference) => {
        asked.add(`${reference.kind}/${reference.name}`);
        const resource = resourceFor(resources, reference);
        return resource && readOne(client, resource, namespace, reference.name);
      }),
    );
    for (const [at, answer] of answers.entries())
      if (answer === 'absent') absent.push(next[at]!);
      else if (answer) known.push(answer);
  }
};

/** The graphs of the clusters in a scope, by namespace and name. */
export const readGraphs = async (client: ApiClient, scope: Scope, now: number): Promise<Graph[]> => {
  const resources = await readResources(client);
  const all = await readObjects(client, resources, scope);
  const clusters = all
    .filter(({ kind, metadata }) => kind === 'Cluster' && (scope.clusterName ?? metadata.name) === metadata.name)
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const operations = await Promise.all(clusters.map((cluster) => findOperation(client, cluster)));
  const known = [...all, ...operations.filter((operation) => operation !== undefined)];
  return Promise.all(clusters.map((cluster) => graphFor(client, resources, cluster, known, now)));
};

const keyOf = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`;

/** The graph of an object without a cluster: of itself, what it refers to, and the installation. */
export const readLoneGraph = async (
  client: ApiClient,
  resources: readonly Resource[],
  object: KubeObject,
  now: number,
): Promise<Graph> => {
  const { namespace = '' } = object.metadata;
  const references: Followed[] = [...clusterReferenceOf(object), ...referencesIn(object.spec)];
  if (object.kind !== 'Installation') references.push({ kind: 'Installation', name: 'capstan' });
  const answers = await Promise.all(
    references.map(async (reference) => {
      const resource = resourceFor(resources, reference);
      const answer =
        resource && (await readOne(client, resource, resource.namespaced ? namespace : '', reference.name));
      return { reference, answer };
    }),
  );
  const objects = answers.flatMap(({ answer }) => (answer && answer !== 'absent' ? [answer] : []));
  const absent = answers.flatMap(({ reference, answer }) => (answer === 'absent' ? [reference] : []));
  return graphOf({ objects: [object, ...objects], absent, rules: causeRules, now });
};

export const clusterNameOf = ({ kind, metadata, spec }: KubeObject): string | undefined =>
  kind === 'Cluster'
    ? metadata.name
    : (metadata.labels?.['cluster.x-k8s.io/cluster-name'] ??
      (spec as { clusterName?: string } | undefined)?.clusterName ??
      metadata.ownerReferences?.find((owner) => owner.kind === 'Cluster')?.name);
