/** The objects that a topology asks for. Pure. */
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { coreGroup } from '../../common/versions.ts';
import type { Cluster } from '../cluster/schema.ts';
import { defaultNaming } from '../cluster-class/names.ts';
import type { Blueprint } from './blueprint.ts';
import { clusterBuiltins, controlPlaneBuiltins, variablesOf, workerBuiltins } from './builtins.ts';
import { machineMetadataIn, withMachineSettings } from './contract-paths.ts';
import { type DeploymentTopology, deploymentMetadata, desiredDeployment } from './deployments.ts';
import { desiredHealthCheck, healthCheckOf, selectors } from './health-checks.ts';
import { firstTemplateName, nameOfPart } from './names.ts';
import { type Holder, type Item, type PatchTemplates, patchedTemplates } from './patches.ts';
import { type DesiredPool, type NamedPool, namedPools, poolFrom, poolItems } from './pools.ts';
import type { State } from './state.ts';
import {
  copyOf,
  innerOf,
  mergedLabels,
  metadataOfCopy,
  metadataOfPart,
  partOf,
  patchedMetadata,
  templateOfCopy,
  templateOfPart,
  type Worker,
} from './templates.ts';
import type { Topology } from './variables.ts';
import type { Decisions, Stage } from './versions.ts';

export interface DesiredDeployment {
  topologyName: string;
  stage: Stage;
  object: KubeObject;
  bootstrap: KubeObject;
  infrastructure: KubeObject;
  healthCheck: KubeObject | undefined;
}

export interface Desired {
  infrastructure: KubeObject;
  controlPlane: KubeObject;
  /** The template of the machines of the control plane. */
  controlPlaneTemplate: KubeObject | undefined;
  controlPlaneHealthCheck: KubeObject | undefined;
  deployments: DesiredDeployment[];
  pools: DesiredPool[];
  /** Refers the control plane to another template of its machines. */
  withTemplate: (controlPlane: KubeObject, name: string) => KubeObject;
}

export interface Facts {
  cluster: Cluster;
  /** With defaults. */
  topology: Topology;
  blueprint: Blueprint;
  state: State;
  decisions: Decisions;
}

const namesOf = ({ cluster, blueprint, state }: Facts) => {
  const { infrastructureRef, controlPlaneRef } = cluster.spec ?? {};
  const { infrastructure, controlPlane } = blueprint.clusterClass.spec;
  return {
    infrastructure:
      infrastructureRef?.name ??
      nameOfPart(cluster, infrastructure.naming?.template ?? defaultNaming.part, 'infrastructure'),
    controlPlane:
      controlPlaneRef?.name ??
      nameOfPart(cluster, controlPlane.naming?.template ?? defaultNaming.part, 'control-plane'),
    controlPlaneTemplate: state.controlPlane?.template ?? firstTemplateName(cluster, '', 'machines'),
  };
};

const controlPlaneFacts = (facts: Facts) => {
  const { cluster, topology, blueprint, decisions } = facts;
  const names = namesOf(facts);
  const own = mergedLabels(topology.controlPlane?.metadata, blueprint.clusterClass.spec.controlPlane.metadata);
  return { names, own, version: decisions.controlPlane.version, replicas: topology.controlPlane?.replicas, cluster };
};

/** One MachineDeployment with the names of its objects. */
const namedDeployment = ({ cluster, blueprint, state }: Facts, one: DeploymentTopology) => {
  const entry = blueprint.deployments.get(one.class)!;
  const current = state.deployments.get(one.name)?.object;
  const machine = current?.spec?.template.spec;
  const naming = entry.of.naming?.template ?? defaultNaming.machineDeployment;
  return {
    one,
    ...entry,
    names: {
      object:
        current?.metadata.name ??
        nameOfPart(cluster, naming, `deployment/${one.name}`, { machineDeployment: one.name }),
      bootstrap: machine?.bootstrap.configRef?.name ?? firstTemplateName(cluster, one.name, 'bootstrap'),
      infrastructure: machine?.infrastructureRef.name ?? firstTemplateName(cluster, one.name, 'infrastructure'),
    },
  };
};
type NamedDeployment = ReturnType<typeof namedDeployment>;

const settingsOf = (facts: Facts, template: string) => {
  const { topology, blueprint, cluster } = facts;
  const { controlPlane } = blueprint.clusterClass.spec;
  const { own } = controlPlaneFacts(facts);
  const machines = blueprint.controlPlaneMachines?.object;
  const inner = innerOf(blueprint.controlPlane.object).spec ?? {};
  const labels = metadataOfPart(cluster, blueprint.controlPlane.object, own).labels;
  const { labels: given, annotations } = machineMetadataIn(inner);
  const clusterLabels = Object.fromEntries(
    Object.entries(labels).filter(
      ([name]) => !(name in (innerOf(blueprint.controlPlane.object).metadata?.labels ?? {})),
    ),
  );
  return {
    infrastructure: machines && {
      apiVersion: machines.apiVersion,
      kind: machines.kind,
      name: template,
      namespace: cluster.metadata.namespace ?? '',
    },
    deletion: { ...controlPlane.deletion, ...topology.controlPlane?.deletion },
    readinessGates: (topology.controlPlane?.readinessGates ?? controlPlane.readinessGates) as never,
    taints: (topology.controlPlane?.taints ?? controlPlane.taints) as never,
    metadata: machines && {
      labels: { ...given, ...own.labels, ...clusterLabels },
      annotations: { ...annotations, ...own.annotations },
    },
  };
};

const rolloutOf = (spec: JsonObject, { topology }: Facts): JsonObject => {
  const after = topology.controlPlane?.rollout?.after;
  if (after === undefined) return spec;
  return { ...spec, rollout: { ...(spec.rollout as JsonObject | undefined), after } };
};

const controlPlaneSpec = (facts: Facts, patched: JsonObject, template: string): JsonObject => {
  const { blueprint } = facts;
  const { version, replicas } = controlPlaneFacts(facts);
  // Patches do not decide the labels of the machines: the topology does.
  const original = innerOf(blueprint.controlPlane.object).spec ?? {};
  const machineTemplate = {
    ...(patched.machineTemplate as JsonObject | undefined),
    metadata: (original.machineTemplate as JsonObject | undefined)?.metadata ?? {},
  };
  const spec = withMachineSettings(
    { ...patched, machineTemplate },
    blueprint.controlPlane.contract,
    settingsOf(facts, template),
  );
  const isOlder = blueprint.controlPlane.contract === 'v1beta1';
  return {
    ...(isOlder ? spec : rolloutOf(spec, facts)),
    version,
    ...(replicas !== undefined && { replicas }),
  };
};

/** Where a control plane refers to the template of its machines. */
const machineField = ({ blueprint }: Facts): string =>
  blueprint.controlPlane.contract === 'v1beta1'
    ? 'spec.machineTemplate.infrastructureRef'
    : 'spec.machineTemplate.spec.infrastructureRef';

/** All templates with the variables that their patches see. */
const itemsOf = (facts: Facts, deployments: readonly NamedDeployment[], pools: readonly NamedPool[]): Item[] => {
  const { cluster, topology, blueprint } = facts;
  const values = topology.variables ?? [];
  const { names, own, version, replicas } = controlPlaneFacts(facts);
  const builtins = clusterBuiltins(cluster);
  const controlPlaneMetadata = metadataOfPart(cluster, blueprint.controlPlane.object, own);
  const machines = blueprint.controlPlaneMachines?.object;
  const ofControlPlane = variablesOf(
    values,
    topology.controlPlane?.variables?.overrides ?? [],
    builtins,
    controlPlaneBuiltins({
      name: names.controlPlane,
      version,
      replicas,
      metadata: controlPlaneMetadata,
      machineTemplate: machines && names.controlPlaneTemplate,
    }),
  );
  const infrastructure = blueprint.infrastructure.object;
  const { namespace = '' } = cluster.metadata;
  const holder = (kind: string, name: string, fieldPath: string): Holder => ({
    apiVersion: `${coreGroup}/v1beta2`,
    kind,
    namespace,
    name,
    fieldPath,
  });
  const all: Item[] = [
    {
      object: templateOfPart(infrastructure, metadataOfPart(cluster, infrastructure)),
      use: { part: 'infrastructure' },
      holder: holder('Cluster', cluster.metadata.name, 'spec.infrastructureRef'),
      variables: variablesOf(values, [], builtins),
    },
    {
      object: templateOfPart(blueprint.controlPlane.object, controlPlaneMetadata),
      use: { part: 'controlPlane' },
      holder: holder('Cluster', cluster.metadata.name, 'spec.controlPlaneRef'),
      variables: ofControlPlane,
    },
  ];
  if (machines)
    all.push({
      object: templateOfCopy(machines, metadataOfCopy(cluster, machines)),
      use: { part: 'controlPlane' },
      holder: {
        ...holder(blueprint.controlPlane.object.kind.replace(/Template$/, ''), names.controlPlane, machineField(facts)),
        apiVersion: blueprint.controlPlane.object.apiVersion,
      },
      variables: ofControlPlane,
    });
  for (const { one, of, bootstrap, infrastructure: template, names: own } of deployments) {
    const variables = variablesOf(
      values,
      one.variables?.overrides ?? [],
      builtins,
      workerBuiltins('machineDeployment', {
        name: own.object,
        topologyName: one.name,
        className: one.class,
        version: facts.decisions.deployments.get(one.name)!.version,
        replicas: one.replicas,
        metadata: deploymentMetadata(cluster, one, of),
        bootstrap: own.bootstrap,
        infrastructure: own.infrastructure,
      }),
    );
    for (const [field, { object }] of [
      ['bootstrap.configRef', bootstrap],
      ['infrastructureRef', template],
    ] as const)
      all.push({
        object: templateOfCopy(object, metadataOfCopy(cluster, object, { deployment: one.name })),
        use: { part: 'machineDeployment', className: one.class },
        holder: holder('MachineDeployment', own.object, `spec.template.spec.${field}`),
        variables,
      });
  }
  return [...all, ...pools.flatMap((pool) => poolItems(facts, builtins, pool))];
};

const copied = (cluster: Cluster, template: KubeObject, patched: KubeObject, name: string, worker?: Worker) =>
  copyOf(cluster, patched, name, patchedMetadata(patched.metadata, metadataOfCopy(cluster, template, worker)));

const deploymentFrom = (
  facts: Facts,
  { one, of, bootstrap, infrastructure, names }: NamedDeployment,
  [patchedBootstrap, patchedInfrastructure]: readonly KubeObject[],
): DesiredDeployment => {
  const { cluster, decisions } = facts;
  const { version, stage } = decisions.deployments.get(one.name)!;
  const worker = { deployment: one.name };
  const templates = {
    bootstrap: copied(cluster, bootstrap.object, patchedBootstrap!, names.bootstrap, worker),
    infrastructure: copied(cluster, infrastructure.object, patchedInfrastructure!, names.infrastructure, worker),
  };
  const check = healthCheckOf(one.healthCheck, of.healthCheck);
  return {
    topologyName: one.name,
    stage,
    object: desiredDeployment(cluster, one, of, { name: names.object, version, ...templates }),
    ...templates,
    healthCheck: check && desiredHealthCheck(cluster, names.object, selectors.deployment(one.name), check),
  };
};

/** Throws PatchError and TemplateError. */
export const desiredState = (facts: Facts, patched: PatchTemplates = patchedTemplates): Desired => {
  const { cluster, topology, blueprint } = facts;
  const { clusterClass, controlPlaneMachines } = blueprint;
  const deployments = (topology.workers?.machineDeployments ?? []).map((one) => namedDeployment(facts, one));
  const pools = namedPools(facts);
  const items = itemsOf(facts, deployments, pools);
  const [infrastructure, controlPlane, ...rest] = patched(items, clusterClass.spec.patches ?? []);
  const [machines, workers] = controlPlaneMachines ? [rest[0], rest.slice(1)] : [undefined, rest];
  const ofPools = workers.slice(2 * deployments.length);
  const { names, own } = controlPlaneFacts(facts);
  const metadataOf = (template: KubeObject, patched: KubeObject, labelled = {}) =>
    patchedMetadata(innerOf(patched).metadata, metadataOfPart(cluster, template, labelled));
  const patchedSpec = innerOf(controlPlane!).spec ?? {};
  const controlPlaneWith = (template: string): KubeObject =>
    partOf(
      cluster,
      controlPlane!,
      names.controlPlane,
      metadataOf(blueprint.controlPlane.object, controlPlane!, own),
      controlPlaneSpec(facts, patchedSpec, template),
    );
  const check = controlPlaneMachines
    ? healthCheckOf(topology.controlPlane?.healthCheck, clusterClass.spec.controlPlane.healthCheck)
    : undefined;
  return {
    infrastructure: partOf(
      cluster,
      infrastructure!,
      names.infrastructure,
      metadataOf(blueprint.infrastructure.object, infrastructure!),
      innerOf(infrastructure!).spec ?? {},
    ),
    controlPlane: controlPlaneWith(names.controlPlaneTemplate),
    controlPlaneTemplate:
      machines && copied(cluster, controlPlaneMachines!.object, machines, names.controlPlaneTemplate),
    controlPlaneHealthCheck: check && desiredHealthCheck(cluster, names.controlPlane, selectors.controlPlane, check),
    deployments: deployments.map((one, i) => deploymentFrom(facts, one, workers.slice(2 * i, 2 * i + 2))),
    pools: pools.map((one, i) => poolFrom(facts, one, ofPools.slice(2 * i, 2 * i + 2))),
    withTemplate: (_, name) => controlPlaneWith(name),
  };
};
