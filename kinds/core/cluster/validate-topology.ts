/** Checks of a managed topology that its schema cannot express and that need no ClusterClass. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import { sizeAnnotations } from '../../common/autoscale/annotations.ts';
import { compareVersions, parseVersion } from '../../common/kubernetes-version.ts';
import { annotations } from '../../common/labels.ts';
import {
  forbiddenField,
  invalidValue,
  type TemplateMetadata,
  validateRollingUpdate,
  validateTaints,
  validateTemplateMetadata,
} from '../../common/validate.ts';
import type { Cluster, ClusterSpec } from './schema.ts';

type Topology = NonNullable<ClusterSpec['topology']>;
type Deployment = NonNullable<NonNullable<Topology['workers']>['machineDeployments']>[number];

const upgradeConcurrency = 'topology.cluster.x-k8s.io/upgrade-concurrency';

const validateConcurrency = ({ metadata }: Cluster): FieldError[] => {
  const value = metadata.annotations?.[upgradeConcurrency];
  const field = `metadata.annotations.${upgradeConcurrency}`;
  if (value === undefined) return [];
  if (!/^[+-]?\d+$/.test(value))
    return [invalidValue(field, value, 'could not parse the value of the annotation: must be an integer')];
  return Number(value) < 1 ? [invalidValue(field, value, 'value cannot be less than 1')] : [];
};

/** The autoscaler and the topology would overwrite each other's replicas. */
const validateScaling = (at: string, { metadata, replicas }: Deployment): FieldError[] => {
  const { annotations: given = {} } = (metadata ?? {}) as TemplateMetadata;
  const isScaled =
    annotations.autoscalerMin in given ||
    annotations.autoscalerMax in given ||
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

const validateVersionChange = (field: string, from: string, to: string): FieldError[] => {
  const [before, after] = [parseVersion(from), parseVersion(to)];
  if (!before || !after) return [];
  if (compareVersions(after, before) < 0)
    return [invalidValue(field, to, `version cannot be decreased from "${from}" to "${to}"`)];
  return after.major > before.major || after.minor > before.minor + 1
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
    ]),
  ];
};

export const validateTopology = (cluster: Cluster, topology: Topology, old: Cluster | undefined): FieldError[] => {
  const at = 'spec.topology';
  const { version, controlPlane } = topology;
  const before = old?.spec?.topology;
  return [
    ...(parseVersion(version)
      ? []
      : [invalidValue(`${at}.version`, version, 'version must be a valid semantic version')]),
    ...validateTemplateMetadata(`${at}.controlPlane.metadata`, controlPlane?.metadata),
    ...validateTaints(`${at}.controlPlane.taints`, controlPlane?.taints, { worker: false }),
    ...validateWorkers(at, topology),
    ...validateConcurrency(cluster),
    ...(before ? validateVersionChange(`${at}.version`, before.version, version) : []),
    ...(old && !before ? [forbiddenField(`${at}.class`, 'classRef cannot be set on an existing Cluster')] : []),
  ];
};
