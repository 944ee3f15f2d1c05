/** A Cluster with a topology, its class and templates, and which objects are made of them, here and upstream. */
import { readFileSync } from 'node:fs';
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import type { ClusterClass, ClusterClassSpec } from '../../kinds/core/cluster-class/schema.ts';
import { templatesOfClass } from '../../kinds/core/cluster-class/templates.ts';
import { labelsOfCluster } from '../../kinds/core/contract/topology.ts';
import { type Desired, desiredState } from '../../kinds/core/topology/desired.ts';
import type { State } from '../../kinds/core/topology/state.ts';
import { spanOf, upgradePlanOf } from '../../kinds/core/topology/upgrade-plan.ts';
import { fitVariables, variableLists, withVariables } from '../../kinds/core/topology/variables.ts';
import { decideVersions } from '../../kinds/core/topology/versions.ts';
import { kinds } from '../../kinds/index.ts';
import type { VariableDefinition } from '../../kinds/ports/api.ts';
import { apiVersionOf, groupOf, type KindDefinition, storageVersion } from '../../machinery/api/kind.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/api/object.ts';
import { documentValue, yamlDocuments } from '../../machinery/api/yaml.ts';
import { versionNamed } from '../../machinery/server/applying.ts';
import { shownFromStored, toStored } from '../../machinery/server/convert.ts';
import { prepareObject } from '../../machinery/server/prepare.ts';
import { schemaFit } from '../../runtime/schemas.ts';

const admission = { operation: 'create' as const, user: { username: 'a', groups: [] }, dryRun: false };
const namespace = 'default';

const definitionOf = ({ apiVersion, kind }: { apiVersion: string; kind: string }): KindDefinition | undefined =>
  kinds.find((one) => one.kind === kind && one.group === groupOf(apiVersion));

/** As the API stores it, in the storage version; kinds that are not served stay as they are. */
const stored = async (object: KubeObject): Promise<KubeObject> => {
  const named = { ...object, metadata: { ...object.metadata, namespace } };
  const kind = definitionOf(object);
  if (!kind) return named;
  const converted = await toStored(kind, versionNamed(kind, object.apiVersion), named);
  const apiVersion = apiVersionOf(kind.group, storageVersion(kind).name);
  const prepared = prepareObject(kind, { ...converted, apiVersion });
  return prepareObject(kind, kind.default?.(prepared, admission) ?? prepared);
};

/** As a reference to this version shows it. */
const shown = async (object: KubeObject, apiVersion: string): Promise<KubeObject> => {
  const kind = definitionOf(object);
  if (!kind) return object;
  const text = JSON.stringify(await shownFromStored(kind, versionNamed(kind, apiVersion), object));
  return JSON.parse(text) as KubeObject;
};

/** Of kinds that are not served, both contracts are by the name of the version. */
const foreignLabels = { 'cluster.x-k8s.io/v1beta1': 'v1beta1', 'cluster.x-k8s.io/v1beta2': 'v1beta2' };
const contractOf = (object: KubeObject, apiVersion: string): string => {
  const made = definitionOf({ ...object, kind: object.kind.replace(/Template$/, '') });
  const version = apiVersion.split('/')[1]!;
  const labels = Object.entries(made?.crdLabels ?? foreignLabels);
  const [label] = labels.filter(([, versions]) => versions.split('_').includes(version)).at(-1) ?? [];
  return label?.split('/')[1] ?? 'v1beta2';
};

export interface Case {
  cluster: Cluster;
  clusterClass: ClusterClass & { spec: ClusterClassSpec };
  /** In the versions in which the class refers to them. */
  templates: KubeObject[];
  /** Labels of CustomResourceDefinitions by name. */
  definitions: Record<string, Record<string, string>>;
}

const definitions: Case['definitions'] = Object.fromEntries(
  kinds.flatMap((kind) => (kind.crdLabels ? [[`${kind.plural}.${kind.group}`, kind.crdLabels]] : [])),
);

export const objectsIn = (text: string): KubeObject[] =>
  yamlDocuments(text)
    .map((document) => documentValue(document) as KubeObject | null)
    .filter((object) => object !== null);
export const objectsInFile = (path: string): KubeObject[] => objectsIn(readFileSync(path, 'utf8'));

const namedAs =
  ({ kind, name }: { kind: string; name: string }) =>
  (object: KubeObject): boolean =>
    object.kind === kind && object.metadata.name === name;

/** `change` alters the Cluster before its variables get their defaults. */
export const caseOf = async (objects: KubeObject[], change: (cluster: Cluster) => Cluster): Promise<Case> => {
  const given = objects.find(({ kind }) => kind === 'Cluster')!;
  const cluster = change((await stored({ ...given, metadata: { ...given.metadata, uid: 'uid-of-it' } })) as Cluster);
  const topology = cluster.spec!.topology!;
  const ofClass = objects.find(namedAs({ kind: 'ClusterClass', name: topology.classRef.name }))!;
  const clusterClass = (await stored(ofClass)) as Case['clusterClass'];
  const variables = (clusterClass.spec.variables ?? []) as unknown as VariableDefinition[];
  const { lists, faults } = fitVariables(variables, variableLists(topology, undefined), schemaFit);
  if (faults.length > 0) throw new Error(faults.map(({ field, detail }) => `${field}: ${detail}`).join('; '));
  const labels = { ...cluster.metadata.labels, ...labelsOfCluster(cluster) };
  const templates = templatesOfClass(clusterClass.spec).map(async (ref) =>
    shown(await stored(objects.find(namedAs(ref))!), ref.apiVersion),
  );
  return {
    cluster: {
      ...cluster,
      metadata: { ...cluster.metadata, labels },
      spec: { ...cluster.spec, topology: withVariables(topology, lists) },
    },
    clusterClass,
    templates: await Promise.all(templates),
    definitions: { ...definitions, ...foreignDefinitions(objects) },
  };
};

const foreignDefinitions = (objects: readonly KubeObject[]): Case['definitions'] =>
  Object.fromEntries(
    objects
      .filter((object) => !definitionOf(object))
      .map(({ apiVersion, kind }) => [
        `${kind.replace(/Template$/, '').toLowerCase()}s.${groupOf(apiVersion)}`,
        foreignLabels,
      ]),
  );

/** What upstream's program reads: variables are defined by the status of a class. */
export const lineOf = ({ clusterClass, ...others }: Case): object => ({
  ...others,
  clusterClass: {
    ...clusterClass,
    status: {
      variables: (clusterClass.spec.variables ?? []).map(({ name, required, schema }) => ({
        name,
        definitionsConflict: false,
        definitions: [{ from: 'inline', required, schema }],
      })),
    },
  },
});

export interface Workers {
  topologyName: string;
  object: KubeObject;
  bootstrap: KubeObject;
  infrastructure: KubeObject;
  healthCheck?: KubeObject | undefined;
}
export interface Answer {
  infrastructure: KubeObject;
  controlPlane: KubeObject;
  controlPlaneTemplate?: KubeObject | undefined;
  controlPlaneHealthCheck?: KubeObject | undefined;
  deployments?: Workers[];
  pools?: Workers[];
}
export type Judged = Answer | { error: string };

const nothing: State = {
  infrastructure: undefined,
  controlPlane: undefined,
  deployments: new Map(),
  pools: new Map(),
  surplus: [],
};

/** What Capstan makes of a new Cluster. */
export const answerOf = ({ cluster, clusterClass, templates }: Case): Judged => {
  const topology = cluster.spec!.topology!;
  const show = (ref: { apiVersion: string; kind: string; name: string }) => {
    const object = templates.find((one) => one.apiVersion === ref.apiVersion && namedAs(ref)(one))!;
    return { object, contract: contractOf(object, ref.apiVersion) };
  };
  const { infrastructure, controlPlane, workers } = clusterClass.spec;
  const classes = <T extends NonNullable<NonNullable<typeof workers>['machinePools' | 'machineDeployments']>[number]>(
    all: readonly T[] = [],
  ) =>
    new Map(
      all.map((of) => [
        of.class,
        { of, bootstrap: show(of.bootstrap.templateRef), infrastructure: show(of.infrastructure.templateRef) },
      ]),
    );
  const machines = controlPlane.machineInfrastructure?.templateRef;
  const blueprint = {
    clusterClass,
    infrastructure: show(infrastructure.templateRef),
    controlPlane: show(controlPlane.templateRef),
    controlPlaneMachines: machines && show(machines),
    deployments: classes(workers?.machineDeployments),
    pools: classes(workers?.machinePools),
  };
  const plan = upgradePlanOf(spanOf(topology, nothing), clusterClass.spec.kubernetesVersions);
  const decisions = decideVersions(topology, nothing, plan, { concurrency: 1, isOperated: false });
  try {
    const { withTemplate: _, ...desired }: Desired = desiredState({
      cluster,
      topology,
      blueprint,
      state: nothing,
      decisions,
    });
    return desired;
  } catch (error) {
    return { error: (error as Error).message };
  }
};

const partsOf = ({ object, bootstrap, infrastructure }: Workers): [string, KubeObject][] => [
  ['', object],
  ['bootstrap ', bootstrap],
  ['infrastructure ', infrastructure],
];

/** Names end in random characters: each becomes what it names. */
const roles = (answer: Answer): [string, KubeObject][] => [
  ['infrastructure', answer.infrastructure],
  ['control plane', answer.controlPlane],
  ...(answer.controlPlaneTemplate
    ? [['control plane machines', answer.controlPlaneTemplate] as [string, KubeObject]]
    : []),
  ...[...(answer.deployments ?? []), ...(answer.pools ?? [])].flatMap((one) =>
    partsOf(one).map(([part, object]): [string, KubeObject] => [
      `${part}${one.object.kind} ${one.topologyName}`,
      object,
    ]),
  ),
];

const isEmpty = (value: JsonValue): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);
/** Without what Go writes for absent values. */
const bare = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value as JsonObject).map(([name, part]) => [name, bare(part!)] as const);
  return Object.fromEntries(fields.filter(([, part]) => !isEmpty(part)));
};

/** Upstream's controllers of workers make the Cluster their owner; here the topology does. */
const withoutOwners = ({ metadata: { ownerReferences: _, ...metadata }, ...others }: KubeObject) => ({
  ...others,
  metadata,
});
const shownWorkers = ({ object, ...others }: Workers) => ({
  ...others,
  stage: undefined,
  object: withoutOwners(object),
});
const byTopologyName = (a: Workers, b: Workers): number => (a.topologyName < b.topologyName ? -1 : 1);

/** In a form in which answers of both can be compared. */
export const comparable = (judged: Judged): JsonValue => {
  if ('error' in judged) return { error: true };
  const kept = Object.entries(judged).map(([name, value]) => [
    name,
    Array.isArray(value) ? (value as Workers[]).map(shownWorkers).toSorted(byTopologyName) : value,
  ]);
  const named = roles(judged).toSorted(([, a], [, b]) => b.metadata.name.length - a.metadata.name.length);
  const text = named.reduce(
    (all, [role, { metadata }]) => all.replaceAll(new RegExp(`\\b${metadata.name}(?![-a-z0-9])`, 'g'), `<${role}>`),
    JSON.stringify(Object.fromEntries(kept)),
  );
  return bare(JSON.parse(text) as JsonValue);
};
