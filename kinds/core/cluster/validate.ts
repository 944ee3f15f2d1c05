import { isCidr } from '../../../machinery/api/cidr.ts';
import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  forbiddenField,
  invalidValue,
  requiredField,
  validateDurations,
  validateNameAsLabel,
  validateReferences,
} from '../../common/validate.ts';
import { validatePolicy } from './policy.ts';
import type { Cluster, ClusterSpec } from './schema.ts';
import { validateTopology } from './validate-topology.ts';

const validateRanges = (field: string, ranges: { cidrBlocks: string[] } | undefined): FieldError[] =>
  (ranges?.cidrBlocks ?? []).flatMap((cidr, i) =>
    isCidr(cidr) ? [] : [invalidValue(`${field}.cidrBlocks[${i}]`, cidr, `invalid CIDR address: ${cidr}`)],
  );

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
    ...(topology ? validateTopology(object as Cluster, topology, old) : []),
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
/** Errors that only v1beta1 can have. */
export const validateClusterV1beta1 = (object: KubeObject): FieldError[] => [
  ...validateReferences([
    'spec.controlPlaneRef',
    'spec.infrastructureRef',
    ...groups.map((group) => `${group}.machineHealthCheck.remediationTemplate`),
  ])(object),
  ...validateDurations(groups.flatMap((group) => timeouts.map((field) => `${group}.${field}`)))(object),
];
