/** What the ClusterClass of a Cluster refuses of it, and what Clusters refuse of their class. Messages are Cluster API's. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import { forbiddenField, invalidValue } from '../../common/validate.ts';
import type { Cluster } from '../cluster/schema.ts';
import { validateVersionStep } from '../cluster/validate-topology.ts';
import type { ClusterClass, ClusterClassSpec } from '../cluster-class/schema.ts';
import { pendingHooks } from '../contract/lifecycle-hooks.ts';
import { topologyAnnotations } from '../contract/topology.ts';
import type { Topology } from './variables.ts';

const at = 'spec.topology';

const validateClasses = (
  field: 'machineDeployments' | 'machinePools',
  kind: string,
  topology: Topology,
  { metadata, spec }: ClusterClass,
): FieldError[] =>
  (topology.workers?.[field] ?? []).flatMap((one, i) => {
    const classes: readonly { class: string }[] = spec?.workers?.[field] ?? [];
    return classes.some((other) => other.class === one.class)
      ? []
      : [
          invalidValue(
            `${at}.workers.${field}[${i}].class`,
            one.class,
            `${kind}Class with name "${one.class}" does not exist in ClusterClass "${metadata.name}"`,
          ),
        ];
  });

interface HealthCheck {
  enabled?: boolean;
  checks?: unknown;
  remediation?: unknown;
}
const isDefined = (check: HealthCheck | undefined): boolean =>
  check?.checks !== undefined || check?.remediation !== undefined;
const needsClass = (check: HealthCheck | undefined): boolean => check?.enabled === true && !isDefined(check);

const undefinedCheck =
  'cannot be set to true as healthCheck definition is not available in the Cluster topology or the ClusterClass';

const validateHealthChecks = (topology: Topology, spec: ClusterClassSpec): FieldError[] => {
  const { controlPlane, workers } = topology;
  const field = `${at}.controlPlane.healthCheck`;
  return [
    ...(isDefined(controlPlane?.healthCheck) && !spec.controlPlane.machineInfrastructure
      ? [forbiddenField(field, 'can be only set if spec.controlPlane.machineInfrastructure is set in ClusterClass')]
      : []),
    ...(needsClass(controlPlane?.healthCheck) && !isDefined(spec.controlPlane.healthCheck)
      ? [forbiddenField(`${field}.enabled`, undefinedCheck)]
      : []),
    ...(workers?.machineDeployments ?? []).flatMap((one, i) => {
      const of = spec.workers?.machineDeployments?.find((other) => other.class === one.class);
      return of && needsClass(one.healthCheck) && !isDefined(of.healthCheck)
        ? [forbiddenField(`${at}.workers.machineDeployments[${i}].healthCheck.enabled`, undefinedCheck)]
        : [];
    }),
  ];
};

/** Faults of a topology by its class. */
export const validateByClass = (topology: Topology, clusterClass: ClusterClass): FieldError[] => {
  const { spec } = clusterClass;
  if (!spec) return [];
  const isListed = !spec.kubernetesVersions || spec.kubernetesVersions.includes(topology.version);
  const unlisted = 'version must match one of the versions defined in the ClusterClass';
  return [
    ...(isListed ? [] : [invalidValue(`${at}.version`, topology.version, unlisted)]),
    ...validateClasses('machineDeployments', 'MachineDeployment', topology, clusterClass),
    ...validateClasses('machinePools', 'MachinePool', topology, clusterClass),
    ...validateHealthChecks(topology, spec),
  ];
};

const blockedVersion = 'version cannot be changed when the "AfterClusterUpgrade" hook is still blocking';

/** Whether the version may change that way; a class that plans upgrades admits more than one minor. */
export const validateVersionByClass = (cluster: Cluster, old: Cluster, { spec }: ClusterClass): FieldError[] => {
  const [before, after] = [old.spec?.topology?.version, cluster.spec?.topology?.version];
  if (before !== after && pendingHooks(cluster).includes('AfterClusterUpgrade'))
    return [invalidValue(`${at}.version`, after, blockedVersion)];
  const isUnsafe = topologyAnnotations.unsafeVersionChange in (cluster.metadata.annotations ?? {});
  if (before === undefined || after === undefined || isUnsafe) return [];
  const { kubernetesVersions, upgrade } = spec ?? {};
  const isChained = kubernetesVersions !== undefined || upgrade?.external?.generateUpgradePlanExtension !== undefined;
  return validateVersionStep(`${at}.version`, before, after, { isChained });
};

const removedClasses = (
  field: 'machineDeployments' | 'machinePools',
  before: ClusterClassSpec,
  after: ClusterClassSpec,
) => {
  const left: readonly { class: string }[] = after.workers?.[field] ?? [];
  const had: readonly { class: string }[] = before.workers?.[field] ?? [];
  return had.map((one) => one.class).filter((name) => !left.some((one) => one.class === name));
};

const usesOfRemoved = (clusters: readonly Cluster[], before: ClusterClassSpec, after: ClusterClassSpec): FieldError[] =>
  (['machineDeployments', 'machinePools'] as const).flatMap((field) => {
    const removed = removedClasses(field, before, after);
    const kind = field === 'machineDeployments' ? 'MachineDeployment' : 'MachinePool';
    return clusters.flatMap(({ metadata, spec }) =>
      (spec?.topology?.workers?.[field] ?? [])
        .filter((one) => removed.includes(one.class))
        .map((one) =>
          forbiddenField(
            `spec.workers.${field}`,
            `${kind}Class "${one.class}" cannot be deleted because it is used by Cluster "${metadata.name}"`,
          ),
        ),
    );
  });

const unlistedVersions = (clusters: readonly Cluster[], { kubernetesVersions }: ClusterClassSpec): FieldError[] =>
  clusters.flatMap(({ metadata, spec }) => {
    const version = spec?.topology?.version;
    if (!kubernetesVersions || version === undefined || kubernetesVersions.includes(version)) return [];
    const detail = `Kubernetes Version ${version} is used by Cluster "${metadata.name}" but not set in ClusterClass`;
    return [forbiddenField('spec.kubernetesVersions', detail)];
  });

const usesOfChecks = (
  clusters: readonly Cluster[],
  before: ClusterClassSpec,
  after: ClusterClassSpec,
): FieldError[] => {
  const users = (needs: (topology: Topology) => boolean) =>
    clusters.filter(({ spec }) => spec?.topology && needs(spec.topology)).map(({ metadata }) => metadata.name);
  const fault = (field: string, names: string[]): FieldError[] =>
    names.length > 0
      ? [forbiddenField(field, `healthCheck cannot be deleted because it is used by Cluster(s) "${names.join(',')}"`)]
      : [];
  const isDropped = isDefined(before.controlPlane.healthCheck) && !isDefined(after.controlPlane.healthCheck);
  return [
    ...(isDropped
      ? fault(
          'spec.controlPlane.healthCheck',
          users(({ controlPlane }) => needsClass(controlPlane?.healthCheck)),
        )
      : []),
    ...(after.workers?.machineDeployments ?? []).flatMap((of, i) => {
      const was = before.workers?.machineDeployments?.find((one) => one.class === of.class);
      if (!isDefined(was?.healthCheck) || isDefined(of.healthCheck)) return [];
      const needs = ({ workers }: Topology) =>
        (workers?.machineDeployments ?? []).some((one) => one.class === of.class && needsClass(one.healthCheck));
      return fault(`spec.workers.machineDeployments[${i}].healthCheck`, users(needs));
    }),
  ];
};

/** What the Clusters of a class refuse of its change, besides values of variables. */
export const validateForClusters = (
  clusters: readonly Cluster[],
  before: ClusterClassSpec,
  after: ClusterClassSpec,
): FieldError[] => [
  ...usesOfRemoved(clusters, before, after),
  ...unlistedVersions(clusters, after),
  ...usesOfChecks(clusters, before, after),
];
