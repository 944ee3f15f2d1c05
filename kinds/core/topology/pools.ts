/** MachinePools of a topology. Their bootstrap config and infrastructure are objects, which change in place. Pure. */
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { ownerReference } from '../../common/owners.ts';
import { coreGroup } from '../../common/versions.ts';
import type { Cluster } from '../cluster/schema.ts';
import { defaultNaming } from '../cluster-class/names.ts';
import type { PoolClass, WorkerClass } from './blueprint.ts';
import { variablesOf, workerBuiltins } from './builtins.ts';
import { given, referenceTo, unlessEmpty, workerMetadata } from './deployments.ts';
import type { Facts } from './desired.ts';
import { firstTemplateName, nameOfPart } from './names.ts';
import type { Item } from './patches.ts';
import { innerOf, metadataOfPart, partOf, patchedMetadata, templateOfPart, type Worker } from './templates.ts';
import type { Topology } from './variables.ts';
import type { Stage } from './versions.ts';

export type PoolTopology = NonNullable<NonNullable<Topology['workers']>['machinePools']>[number];

export interface DesiredPool {
  topologyName: string;
  stage: Stage;
  object: KubeObject;
  bootstrap: KubeObject;
  infrastructure: KubeObject;
}

/** One MachinePool with the names of its objects. */
export interface NamedPool extends WorkerClass<PoolClass> {
  one: PoolTopology;
  names: { object: string; bootstrap: string; infrastructure: string };
}

const workerOf = ({ one }: NamedPool): Worker => ({ pool: one.name });

export const namedPools = ({ cluster, topology, blueprint, state }: Facts): NamedPool[] =>
  (topology.workers?.machinePools ?? []).map((one) => {
    const entry = blueprint.pools.get(one.class)!;
    const current = state.pools.get(one.name)?.object;
    const machine = current?.spec?.template.spec;
    const naming = entry.of.naming?.template ?? defaultNaming.machinePool;
    return {
      one,
      ...entry,
      names: {
        object: current?.metadata.name ?? nameOfPart(cluster, naming, `pool/${one.name}`, { machinePool: one.name }),
        bootstrap: machine?.bootstrap.configRef?.name ?? firstTemplateName(cluster, one.name, 'pool bootstrap'),
        infrastructure: machine?.infrastructureRef.name ?? firstTemplateName(cluster, one.name, 'pool infrastructure'),
      },
    };
  });

const versionOf = ({ decisions }: Facts, { one }: NamedPool) => decisions.pools.get(one.name)!;

/** The templates of a MachinePool with the variables that their patches see. */
export const poolItems = (facts: Facts, builtins: JsonObject, pool: NamedPool): Item[] => {
  const { cluster, topology } = facts;
  const { one, of, names, bootstrap, infrastructure } = pool;
  const variables = variablesOf(
    topology.variables ?? [],
    one.variables?.overrides ?? [],
    builtins,
    workerBuiltins('machinePool', {
      name: names.object,
      topologyName: one.name,
      className: one.class,
      version: versionOf(facts, pool).version,
      replicas: one.replicas,
      metadata: workerMetadata(cluster, workerOf(pool), one, of),
      bootstrap: names.bootstrap,
      infrastructure: names.infrastructure,
    }),
  );
  const item = ({ object }: { object: KubeObject }, field: string): Item => ({
    object: templateOfPart(object, metadataOfPart(cluster, object, {}, workerOf(pool))),
    use: { part: 'machinePool', className: one.class },
    holder: {
      apiVersion: `${coreGroup}/v1beta2`,
      kind: 'MachinePool',
      namespace: cluster.metadata.namespace ?? '',
      name: names.object,
      fieldPath: `spec.template.spec.${field}`,
    },
    variables,
  });
  return [item(bootstrap, 'bootstrap.configRef'), item(infrastructure, 'infrastructureRef')];
};

/** Values of the topology win over those of the class. */
const desiredPool = (
  cluster: Cluster,
  pool: NamedPool,
  version: string,
  parts: { bootstrap: KubeObject; infrastructure: KubeObject },
): KubeObject => {
  const { one, of, names } = pool;
  const { labels, annotations } = workerMetadata(cluster, workerOf(pool), one, of);
  const metadata = given({ labels, annotations: unlessEmpty(annotations) });
  const machine = given({
    clusterName: cluster.metadata.name,
    version,
    bootstrap: { configRef: referenceTo(parts.bootstrap) },
    infrastructureRef: referenceTo(parts.infrastructure),
    deletion: unlessEmpty(given({ ...of.deletion, ...one.deletion })),
    taints: one.taints ?? of.taints,
    minReadySeconds: one.minReadySeconds ?? of.minReadySeconds,
  });
  return {
    apiVersion: `${coreGroup}/v1beta2`,
    kind: 'MachinePool',
    metadata: {
      namespace: cluster.metadata.namespace ?? '',
      name: names.object,
      ...metadata,
      ownerReferences: [ownerReference(cluster)],
    },
    spec: given({
      clusterName: cluster.metadata.name,
      replicas: one.replicas,
      failureDomains: one.failureDomains ?? of.failureDomains,
      template: { metadata, spec: machine },
    }),
  };
};

export const poolFrom = (
  facts: Facts,
  pool: NamedPool,
  [patchedBootstrap, patchedInfrastructure]: readonly KubeObject[],
): DesiredPool => {
  const { cluster } = facts;
  const { version, stage } = versionOf(facts, pool);
  const made = ({ object }: { object: KubeObject }, patched: KubeObject, name: string): KubeObject => {
    const inner = innerOf(patched);
    const metadata = patchedMetadata(inner.metadata, metadataOfPart(cluster, object, {}, workerOf(pool)));
    const part = partOf(cluster, patched, name, metadata, inner.spec ?? {});
    return { ...part, metadata: { ...part.metadata, ownerReferences: [ownerReference(cluster)] } };
  };
  const parts = {
    bootstrap: made(pool.bootstrap, patchedBootstrap!, pool.names.bootstrap),
    infrastructure: made(pool.infrastructure, patchedInfrastructure!, pool.names.infrastructure),
  };
  return { topologyName: pool.one.name, stage, object: desiredPool(cluster, pool, version, parts), ...parts };
};
