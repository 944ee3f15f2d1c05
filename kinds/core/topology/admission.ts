/** Admission of Clusters with a topology, and of ClusterClasses: judged by each other. */
import { forbidden, invalid } from '../../../machinery/api/errors.ts';
import { type Admission, type FieldError, type KindFacts, resourceOf } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject, ObjectKey } from '../../../machinery/api/object.ts';
import type { JsonSchema } from '../../../machinery/api/schema.ts';
import { forbiddenField, normalVersion } from '../../common/validate.ts';
import { coreGroup } from '../../common/versions.ts';
import type { Cluster } from '../cluster/schema.ts';
import { validateCompatible } from '../cluster-class/compatible.ts';
import { definitionsOf } from '../cluster-class/definitions.ts';
import type { ClusterClass } from '../cluster-class/schema.ts';
import { classKeyOf } from '../shared/class-reference.ts';
import { validateByClass, validateForClusters, validateVersionByClass } from './class-checks.ts';
import { type Fit, fitVariables, variableLists, withVariables } from './variables.ts';

export interface TopologyStore {
  get(type: string, key: ObjectKey): Promise<KubeObject | undefined>;
  referrerKeys(
    type: string,
    namespace: string,
    to: { group: string; kind: string; name: string },
  ): Promise<readonly ObjectKey[]>;
}

export interface TopologyAdmission {
  store: TopologyStore;
  fit: Fit;
  schemaFaults: (schema: JsonSchema, field: string) => FieldError[];
}

const kinds = {
  Cluster: { group: coreGroup, kind: 'Cluster', plural: 'clusters', namespaced: true },
  ClusterClass: { group: coreGroup, kind: 'ClusterClass', plural: 'clusterclasses', namespaced: true },
} satisfies Record<string, KindFacts>;
const clusterType = resourceOf(kinds.Cluster);
const classType = resourceOf(kinds.ClusterClass);

export const classOfCluster = async ({ store }: Pick<TopologyAdmission, 'store'>, cluster: KubeObject) => {
  const key = classKeyOf(cluster);
  return key && ((await store.get(classType, key)) as ClusterClass | undefined);
};

/** The Clusters of a class. */
export const clustersOf = async (
  { store }: Pick<TopologyAdmission, 'store'>,
  { metadata }: KubeObject,
): Promise<Cluster[]> => {
  const { namespace = '', name } = metadata;
  const keys = await store.referrerKeys(clusterType, namespace, { ...kinds.ClusterClass, name });
  const read = await Promise.all(keys.map((key) => store.get(clusterType, key)));
  return read.filter((one): one is Cluster => {
    const key = one && classKeyOf(one);
    return key?.name === name && key.namespace === namespace;
  });
};

const refuse = (kind: KindFacts, { metadata }: KubeObject, faults: FieldError[]): void => {
  if (faults.length > 0) throw invalid(kind, metadata.name, faults);
};

const describeClass = (cluster: KubeObject): string => {
  const { namespace, name } = classKeyOf(cluster) ?? { namespace: '', name: '' };
  return `${namespace}/${name}`;
};

const classChangeFaults = async (
  admission: TopologyAdmission,
  cluster: Cluster,
  old: Cluster,
  clusterClass: ClusterClass,
): Promise<FieldError[]> => {
  if (!old.spec?.topology || equal(classKeyOf(old), classKeyOf(cluster)) || !clusterClass.spec) return [];
  const former = await classOfCluster(admission, old);
  // Nothing was made from a class that was never there.
  if (!former?.spec && !old.spec.infrastructureRef && !old.spec.controlPlaneRef) return [];
  if (!former?.spec) {
    const detail = `valid ClusterClass with name "${describeClass(old)}" could not be retrieved, change from class "${describeClass(old)}" to class "${describeClass(cluster)}" cannot be validated`;
    return [forbiddenField('spec.topology.classRef', detail)];
  }
  return validateCompatible(former.spec, clusterClass.spec);
};

/** The Cluster with the defaults of its variables. */
export const admitCluster = async (
  admission: TopologyAdmission,
  object: KubeObject,
  { operation, old, subresource }: Admission,
): Promise<KubeObject> => {
  const cluster = object as Cluster;
  const given = cluster.spec?.topology;
  if (!given?.classRef || operation === 'delete' || subresource) return object;
  const before = old as Cluster | undefined;
  if (before && equal(before.spec?.topology, given)) return object;
  const clusterClass = await classOfCluster(admission, cluster);
  if (!clusterClass?.spec) {
    if (!before) return object;
    throw invalid(kinds.Cluster, cluster.metadata.name, [
      forbiddenField('spec.topology.classRef', `ClusterClass ${describeClass(cluster)} not found`),
    ]);
  }
  const topology = { ...given, version: normalVersion(given.version) };
  const lists = variableLists(topology, before?.spec?.topology);
  const fitted = fitVariables(definitionsOf(clusterClass), lists, admission.fit);
  const next: Cluster = { ...cluster, spec: { ...cluster.spec, topology: withVariables(topology, fitted.lists) } };
  refuse(kinds.Cluster, cluster, [
    ...fitted.faults,
    ...validateByClass(topology, clusterClass),
    ...(before ? validateVersionByClass(next, before, clusterClass) : []),
    ...(before ? await classChangeFaults(admission, cluster, before, clusterClass) : []),
  ]);
  return fitted.faults.length > 0 ? object : next;
};

/** Warnings of upstream for a class that is not there, or not reconciled. */
export const warnOfClass = async (
  admission: Pick<TopologyAdmission, 'store'>,
  object: KubeObject,
  isReconciled: (clusterClass: ClusterClass) => boolean,
): Promise<string[]> => {
  if (!classKeyOf(object)) return [];
  const clusterClass = await classOfCluster(admission, object);
  const begins = `Cluster refers to ClusterClass ${describeClass(object)}, but this ClusterClass`;
  if (!clusterClass)
    return [
      `${begins} does not exist. Cluster topology has not been fully validated. The ClusterClass must be created to reconcile the Cluster`,
    ];
  return isReconciled(clusterClass)
    ? []
    : [
        `${begins} hasn't been successfully reconciled. Cluster topology has not been fully validated. Please take a look at the ClusterClass status`,
      ];
};

const variableFaults = (
  { fit }: TopologyAdmission,
  clusters: readonly Cluster[],
  clusterClass: ClusterClass,
): FieldError[] =>
  clusters.flatMap(({ metadata, spec: { topology } = {} }) => {
    if (!topology) return [];
    const lists = variableLists(topology, topology);
    return fitVariables(definitionsOf(clusterClass), lists, fit).faults.map(({ field, detail }) =>
      forbiddenField('spec.variables', `Cluster "${metadata.name}" would become invalid: ${field}: ${detail}`),
    );
  });

export const admitClass = async (
  admission: TopologyAdmission,
  object: KubeObject,
  { operation, old, subresource }: Admission,
): Promise<KubeObject> => {
  const clusterClass = object as ClusterClass;
  const { spec } = clusterClass;
  if (!spec || operation === 'delete' || subresource) return object;
  const faults = (spec.variables ?? []).flatMap(({ schema }, i) =>
    admission.schemaFaults(schema.openAPIV3Schema as JsonSchema, `spec.variables[${i}].schema.openAPIV3Schema`),
  );
  refuse(kinds.ClusterClass, object, faults);
  const before = (old as ClusterClass | undefined)?.spec;
  if (!before || equal(before, spec)) return object;
  const clusters = await clustersOf(admission, object);
  refuse(kinds.ClusterClass, object, [
    ...validateForClusters(clusters, before, spec),
    ...(equal(before.variables, spec.variables) ? [] : variableFaults(admission, clusters, clusterClass)),
  ]);
  return object;
};

/** A class in use stays, unless its Clusters go with it. */
export const admitClassDeletion = async (
  admission: Pick<TopologyAdmission, 'store'>,
  object: KubeObject,
): Promise<void> => {
  const clusters = await clustersOf(admission, object);
  if (clusters.length === 0) return;
  const names = clusters.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
  const shown = names.length > 3 ? `${names.slice(0, 3).join(', ')}, ... (${names.length - 3} more)` : names.join(', ');
  throw forbidden(
    kinds.ClusterClass,
    object.metadata.name,
    `ClusterClass cannot be deleted because it is used by Cluster(s): ${shown}`,
  );
};
