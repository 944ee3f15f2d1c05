import ipaddr from 'ipaddr.js';
import type { Admission, FieldError } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import {
  forbiddenField,
  invalidValue,
  requiredField,
  validateDurations,
  validateNameAsLabel,
  validateReferences,
  validateTaints,
  validateTemplateMetadata,
} from '../common/validate.ts';
import { parseVersion } from '../kubeadm-config/kubernetes-version.ts';
import { validatePolicy } from './policy.ts';
import type { Cluster, ClusterSpec } from './schema.ts';

// Octets with a leading zero are refused: other programs read them as octal.
const isCidr = (text: string): boolean => ipaddr.isValidCIDR(text) && !/(^|\.)0\d/.test(text.split('/')[0]!);
const validateRanges = (field: string, ranges: { cidrBlocks: string[] } | undefined): FieldError[] =>
  (ranges?.cidrBlocks ?? []).flatMap((cidr, i) =>
    isCidr(cidr) ? [] : [invalidValue(`${field}.cidrBlocks[${i}]`, cidr, `invalid CIDR address: ${cidr}`)],
  );

type Topology = NonNullable<ClusterSpec['topology']>;
const validateTopology = (at: string, topology: Topology, old: Cluster | undefined): FieldError[] => {
  const { version, controlPlane, workers } = topology;
  const groups = [
    ...(workers?.machineDeployments ?? []).map((one, i) => ({ at: `${at}.workers.machineDeployments[${i}]`, one })),
    ...(workers?.machinePools ?? []).map((one, i) => ({ at: `${at}.workers.machinePools[${i}]`, one })),
  ];
  const before = old?.spec?.topology;
  return [
    ...(parseVersion(version)
      ? []
      : [invalidValue(`${at}.version`, version, 'version must be a valid semantic version')]),
    ...validateTemplateMetadata(`${at}.controlPlane.metadata`, controlPlane?.metadata),
    ...validateTaints(`${at}.controlPlane.taints`, controlPlane?.taints, { worker: false }),
    ...groups.flatMap(({ at: place, one }) => [
      ...validateTemplateMetadata(`${place}.metadata`, one.metadata),
      ...validateTaints(`${place}.taints`, one.taints, { worker: true }),
    ]),
    ...(old && !before ? [forbiddenField(`${at}.class`, 'classRef cannot be set on an existing Cluster')] : []),
  ];
};

const removed = (old: Cluster | undefined, spec: ClusterSpec, field: 'infrastructureRef' | 'controlPlaneRef') =>
  old?.spec?.[field] && !spec[field] ? [forbiddenField(`spec.${field}`, 'cannot be removed')] : [];

export const validateCluster = (object: KubeObject, admission: Admission): FieldError[] => {
  const { spec, metadata } = object as Cluster;
  const old = admission.old as Cluster | undefined;
  if (!spec) return [requiredField('spec', '')];
  const { controlPlaneRef, infrastructureRef, topology, clusterNetwork } = spec;
  return [
    ...validateNameAsLabel(metadata.name, ' '),
    ...validatePolicy(object, old),
    ...removed(old, spec, 'infrastructureRef'),
    ...(controlPlaneRef || infrastructureRef || topology
      ? []
      : [forbiddenField('spec', 'one of spec.controlPlaneRef, spec.infrastructureRef or spec.topology must be set')]),
    ...removed(old, spec, 'controlPlaneRef'),
    ...validateRanges('spec.clusterNetwork.pods', clusterNetwork?.pods),
    ...validateRanges('spec.clusterNetwork.services', clusterNetwork?.services),
    ...(topology ? validateTopology('spec.topology', topology, old) : []),
    ...(old?.spec?.topology && !topology
      ? [forbiddenField('spec.topology', 'cannot be removed from an existing Cluster')]
      : []),
  ];
};

const groups = [
  'spec.topology.controlPlane',
  'spec.topology.workers.machineDeployments[]',
  'spec.topology.workers.machinePools[]',
];
const timeouts = [
  'nodeDrainTimeout',
  'nodeVolumeDetachTimeout',
  'nodeDeletionTimeout',
  'machineHealthCheck.nodeStartupTimeout',
  'machineHealthCheck.unhealthyConditions[].timeout',
  'machineHealthCheck.unhealthyMachineConditions[].timeout',
];
/** What only v1beta1 can get wrong. */
export const validateClusterV1beta1 = (object: KubeObject): FieldError[] => [
  ...validateReferences([
    'spec.controlPlaneRef',
    'spec.infrastructureRef',
    ...groups.map((group) => `${group}.machineHealthCheck.remediationTemplate`),
  ])(object),
  ...validateDurations(groups.flatMap((group) => timeouts.map((field) => `${group}.${field}`)))(object),
];
