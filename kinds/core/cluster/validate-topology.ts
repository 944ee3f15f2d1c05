/** Checks of a managed topology that its schema cannot express and that need no ClusterClass. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import { sizeAnnotations } from '../../common/autoscale/annotations.ts';
import { compareVersions, parseVersion } from '../../common/kubernetes-version.ts';
import { annotations as known } from '../../common/labels.ts';
import {
  forbiddenField,
  invalidValue,
  type TemplateMetadata,
  validateRollingUpdate,
  validateTaints,
  validateTemplateMetadata,
} from '../../common/validate.ts';
import { topologyAnnotations } from '../contract/topology.ts';
import { validateChecks } from '../machine-health-check/validate.ts';
import type { Cluster, ClusterSpec } from './schema.ts';

type Topology = NonNullable<ClusterSpec['topology']>;
type Deployment = NonNullable<NonNullable<Topology['workers']>['machineDeployments']>[number];

const validateConcurrency = ({ metadata }: Cluster): FieldError[] => {
  const value = metadata.annotations?.[topologyAnnotations.upgradeConcurrency];
  const field = `metadata.annotations.${topologyAnnotations.upgradeConcurrency}`;
  if (value === undefined) return [];
  if (!/^[+-]?\d+$/.test(value))
    return [invalidValue(field, value, 'could not parse the value of the annotation: must be an integer')];
  return Number(value) < 1 ? [invalidValue(field, value, 'value cannot be less than 1')] : [];
};

/** The autoscaler and the topology would overwrite each other's replicas. */
const validateScaling = (at: string, { metadata, replicas }: Deployment): FieldError[] => {
  const { annotations: given = {} } = (metadata ?? {}) as TemplateMetadata;
  const isScaled =
    known.autoscalerMin in given ||
    known.autoscalerMax in given ||
    sizeAnnotations({ metadata: { annotations: given } }) !== undefined;
  return isScaled && replicas !== undefined
    ? [
        invalidValue(
          `${at}.replicas`,
          replicas,
          'cannot be set if the same MachineDeploymentTopology has autoscaler annotations',
        ),
      ]
    : [];
};

/** `isChained`: an upgrade may go over more than one minor version. */
export const validateVersionStep = (
  field: string,
  from: string,
  to: string,
  { isChained }: { isChained: boolean },
): FieldError[] => {
  const [before, after] = [parseVersion(from), parseVersion(to)];
  if (!before || !after) return [];
  if (compareVersions(after, before) < 0)
    return [invalidValue(field, to, `version cannot be decreased from "${from}" to "${to}"`)];
  return !isChained && (after.major > before.major || after.minor > before.minor + 1)
    ? [invalidValue(field, to, `version cannot be increased from "${from}" to "${to}"`)]
    : [];
};

const validateWorkers = (at: string, { workers }: Topology): FieldError[] => {
  const deployments = (workers?.machineDeployments ?? []).map((one, i) => ({
    at: `${at}.workers.machineDeployments[${i}]`,
    one,
  }));
  const pools = (workers?.machinePools ?? []).map((one, i) => ({ at: `${at}.workers.machinePools[${i}]`, one }));
  return [
    ...[...deployments, ...pools].flatMap(({ at: place, one }) => [
      ...validateTemplateMetadata(`${place}.metadata`, one.metadata),
      ...validateTaints(`${place}.taints`, one.taints, { worker: true }),
    ]),
    ...deployments.flatMap(({ at: place, one }) => [
      ...validateRollingUpdate(`${place}.rollout.strategy.rollingUpdate`, one.rollout?.strategy?.rollingUpdate),
      ...validateScaling(place, one),
      ...validateChecks(`${place}.healthCheck`, one.healthCheck ?? {}),
    ]),
  ];
};

export const validateTopology = (cluster: Cluster, topology: Topology, old: Cluster | undefined): FieldError[] => {
  const at = 'spec.topology';
  const { version, controlPlane } = topology;
  const before = old?.spec?.topology;
  const { annotations = {} } = cluster.metadata;
  return [
    ...(parseVersion(version)
      ? []
      : [invalidValue(`${at}.version`, version, 'version must be a valid semantic version')]),
    ...validateTemplateMetadata(`${at}.controlPlane.metadata`, controlPlane?.metadata),
    ...validateTaints(`${at}.controlPlane.taints`, controlPlane?.taints, { worker: false }),
    ...validateChecks(`${at}.controlPlane.healthCheck`, controlPlane?.healthCheck ?? {}),
    ...validateWorkers(at, topology),
    ...validateConcurrency(cluster),
    // The ClusterClass decides how far the version may go.
    ...(before && !(topologyAnnotations.unsafeVersionChange in annotations)
      ? validateVersionStep(`${at}.version`, before.version, version, { isChained: true })
      : []),
    ...(old && !before && !(topologyAnnotations.unsafeClassChange in annotations)
      ? [forbiddenField(`${at}.class`, 'classRef cannot be set on an existing Cluster')]
      : []),
  ];
};
