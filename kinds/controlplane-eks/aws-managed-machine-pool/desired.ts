/** An AWSManagedMachinePool in EKS' terms, and the next update that makes a node group so. Pure. */
import { equal } from '../../../machinery/api/merge.ts';
import { isAheadOf } from '../../common/kubernetes-version.ts';
import type { CloudInput, EksNodegroup, EksScaling, EksTaint } from '../../ports/cloud/index.ts';
import { minorNumber, minorOf } from '../version.ts';
import type { AWSManagedMachinePoolSpec } from './schema.ts';

const effects = {
  'no-schedule': 'NO_SCHEDULE',
  'no-execute': 'NO_EXECUTE',
  'prefer-no-schedule': 'PREFER_NO_SCHEDULE',
} as const;
const capacities = { onDemand: 'ON_DEMAND', spot: 'SPOT' } as const;

/** What its MachinePool asks for. */
export interface Wanted {
  spec: AWSManagedMachinePoolSpec;
  /** Machines of the MachinePool; undefined while another program decides. */
  replicas: number | undefined;
  /** Of the MachinePool, such as v1.35.0. */
  version: string | undefined;
  /** That the control plane runs, such as v1.35. */
  controlPlaneVersion: string | undefined;
}

/**
 * The limits without a choice of the user are those that the size needs. `has`: the size that another
 * program chose; new limits move it between them.
 */
export const scalingOf = ({ spec, replicas }: Wanted, has?: EksScaling): EksScaling => {
  const { minSize, maxSize } = spec.scaling ?? {};
  if (replicas !== undefined)
    return {
      minSize: minSize ?? Math.min(replicas, 1),
      maxSize: maxSize ?? Math.max(replicas, 1),
      desiredSize: replicas,
    };
  const [low, high] = [minSize ?? has?.minSize ?? 1, maxSize ?? has?.maxSize ?? Math.max(minSize ?? 1, 1)];
  return { minSize: low, maxSize: high, desiredSize: Math.min(Math.max(has?.desiredSize ?? low, low), high) };
};

/** Why EKS would not take the size. */
export const sizeFault = ({ spec, replicas }: Wanted): string | undefined => {
  const { minSize, maxSize } = spec.scaling ?? {};
  if (replicas === undefined) return undefined;
  if (minSize !== undefined && replicas < minSize)
    return `The MachinePool asks for ${replicas} replicas, and spec.scaling.minSize is ${minSize}: change one of them`;
  if (maxSize !== undefined && replicas > maxSize)
    return `The MachinePool asks for ${replicas} replicas, and spec.scaling.maxSize is ${maxSize}: change one of them`;
  return undefined;
};

const taintsOf = ({ taints = [] }: AWSManagedMachinePoolSpec): EksTaint[] =>
  taints.map(({ key, value, effect }) => ({ key, value, effect: effects[effect] }));

export interface Given {
  eksCluster: string;
  subnets: string[];
  roleArn: string;
  /** Absent while SSH is open to anybody, or closed. */
  clusterSecurityGroup: string | undefined;
  /** The key pair of the control plane. */
  sshKeyName: string | undefined;
  tags: Record<string, string>;
  token: string;
}

const remoteAccessOf = ({ remoteAccess }: AWSManagedMachinePoolSpec, given: Given) => {
  if (!remoteAccess) return undefined;
  const ec2SshKey = remoteAccess.sshKeyName ?? given.sshKeyName;
  const groups = [
    ...(remoteAccess.sourceSecurityGroups ?? []),
    ...(given.clusterSecurityGroup ? [given.clusterSecurityGroup] : []),
  ];
  return {
    ...(ec2SshKey && { ec2SshKey }),
    // Without any, EKS opens SSH to anybody.
    ...(!remoteAccess.public && { sourceSecurityGroups: groups }),
  };
};

/** No newer than its control plane, which goes first. */
const firstVersion = ({ version, controlPlaneVersion }: Wanted): string | undefined =>
  isAheadOf(version, controlPlaneVersion) ? controlPlaneVersion : version;

export const creationOf = (wanted: Wanted, given: Given): CloudInput<'CreateNodegroup'> => {
  const { spec } = wanted;
  const version = firstVersion(wanted);
  const { updateConfig, nodeRepairConfig, instanceType, amiType, amiVersion, diskSize, capacityType } = spec;
  const remoteAccess = remoteAccessOf(spec, given);
  const taints = taintsOf(spec);
  return {
    clusterName: given.eksCluster,
    nodegroupName: spec.eksNodegroupName ?? '',
    scalingConfig: scalingOf(wanted),
    subnets: given.subnets,
    nodeRole: given.roleArn,
    ...(version && { version: minorOf(version) }),
    ...(amiVersion && { releaseVersion: amiVersion }),
    ...(instanceType && { instanceTypes: [instanceType] }),
    ...(diskSize && { diskSize }),
    ...(amiType && { amiType }),
    capacityType: capacities[capacityType ?? 'onDemand'],
    ...(spec.labels && { labels: spec.labels }),
    ...(taints.length > 0 && { taints }),
    ...(remoteAccess && { remoteAccess }),
    ...(updateConfig && { updateConfig }),
    ...(nodeRepairConfig?.enabled && { nodeRepairConfig: { enabled: true } }),
    tags: given.tags,
    clientRequestToken: given.token,
  };
};

/** Fields that EKS takes at the creation alone, and that the node group has otherwise. */
export const unlike = (spec: AWSManagedMachinePoolSpec, group: EksNodegroup): string[] =>
  [
    ['instanceType', spec.instanceType, group.instanceTypes[0]],
    ['amiType', spec.amiType, group.amiType],
    ['capacityType', capacities[spec.capacityType ?? 'onDemand'], group.capacityType || 'ON_DEMAND'],
    ['roleName', spec.roleName, group.nodeRole.split('/').at(-1)],
    ['subnetIDs', spec.subnetIDs?.toSorted().join(), group.subnets.toSorted().join()],
  ].flatMap(([field, wanted, has]) => (wanted && wanted !== has ? [`spec.${field}`] : []));

/** `what`: for people. */
export type Update = { what: string } & (
  | { action: 'UpdateNodegroupConfig'; input: CloudInput<'UpdateNodegroupConfig'> }
  | { action: 'UpdateNodegroupVersion'; input: CloudInput<'UpdateNodegroupVersion'> }
);

const labelsFor = ({ labels = {} }: AWSManagedMachinePoolSpec, { labels: has }: EksNodegroup) => {
  const added = Object.entries(labels).filter(([key, value]) => has[key] !== value);
  const removed = Object.keys(has).filter((key) => labels[key] === undefined);
  if (added.length + removed.length === 0) return undefined;
  return {
    ...(added.length > 0 && { addOrUpdateLabels: Object.fromEntries(added) }),
    ...(removed.length > 0 && { removeLabels: removed }),
  };
};

const keyOf = ({ key, effect }: EksTaint): string => `${key}:${effect}`;

const taintsFor = (spec: AWSManagedMachinePoolSpec, { taints: has }: EksNodegroup) => {
  const wanted = taintsOf(spec);
  const added = wanted.filter((one) => !has.some((other) => keyOf(other) === keyOf(one) && other.value === one.value));
  const removed = has.filter((one) => !wanted.some((other) => keyOf(other) === keyOf(one)));
  if (added.length + removed.length === 0) return undefined;
  return {
    ...(added.length > 0 && { addOrUpdateTaints: added }),
    ...(removed.length > 0 && { removeTaints: removed }),
  };
};

const configFor = (wanted: Wanted, group: EksNodegroup): Update | undefined => {
  const { spec } = wanted;
  const { clusterName, nodegroupName } = group;
  const scaling = scalingOf(wanted, group.scalingConfig);
  const labels = labelsFor(spec, group);
  const taints = taintsFor(spec, group);
  const isRepairing = spec.nodeRepairConfig?.enabled === true;
  const change = {
    ...(labels && { labels }),
    ...(taints && { taints }),
    ...(!equal(scaling, group.scalingConfig) && { scalingConfig: scaling }),
    ...(spec.updateConfig && !equal(spec.updateConfig, group.updateConfig) && { updateConfig: spec.updateConfig }),
    ...(isRepairing !== group.nodeRepairConfig.enabled && { nodeRepairConfig: { enabled: isRepairing } }),
  };
  const names = Object.keys(change);
  if (names.length === 0) return undefined;
  return {
    what: names.join(', '),
    action: 'UpdateNodegroupConfig',
    input: { clusterName, nodegroupName, ...change },
  };
};

const versionFor = ({ spec, version, controlPlaneVersion }: Wanted, group: EksNodegroup): Update | undefined => {
  const { clusterName, nodegroupName } = group;
  const of = { clusterName, nodegroupName };
  const has = minorNumber(group.version);
  const wanted = version === undefined ? has : minorNumber(version);
  const next = has + 1;
  if (wanted > has)
    return controlPlaneVersion !== undefined && !isAheadOf(`1.${next}`, controlPlaneVersion)
      ? { what: `version 1.${next}`, action: 'UpdateNodegroupVersion', input: { ...of, version: `1.${next}` } }
      : undefined;
  const releaseVersion = spec.amiVersion;
  return releaseVersion && releaseVersion !== group.releaseVersion
    ? { what: `image ${releaseVersion}`, action: 'UpdateNodegroupVersion', input: { ...of, releaseVersion } }
    : undefined;
};

/**
 * The next update of a node group that takes one; undefined if it is as the spec says. EKS takes one at a
 * time. Settings go first: they do not wait for nodes to be replaced.
 */
export const nextUpdate = (wanted: Wanted, group: EksNodegroup): Update | undefined =>
  configFor(wanted, group) ?? versionFor(wanted, group);
