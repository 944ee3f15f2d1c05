/**
 * The role of a kind that declares none: a label of its CustomResourceDefinition says that it follows
 * Cluster API's contract, and the contract's convention for names says as what. Pure.
 */
import type { Kind } from '../../../machinery/api/kind.ts';

/** Its own kinds carry the label, too, and play no provider's part. */
const coreGroups = ['cluster.x-k8s.io', 'runtime.cluster.x-k8s.io'];

const contractLabel = /^cluster\.x-k8s\.io\/v1beta[12]$/;

/** By how the name of a kind ends; the longer ending comes first. */
const endings = [
  ['MachinePool', 'InfrastructureMachinePool'],
  ['MachineTemplate', 'InfrastructureMachineTemplate'],
  ['Machine', 'InfrastructureMachine'],
  ['ConfigTemplate', 'BootstrapConfigTemplate'],
  ['Config', 'BootstrapConfig'],
  ['ControlPlane', 'ControlPlane'],
  ['Cluster', 'InfrastructureCluster'],
] as const;

/** Those of providers that may be served, whether or not one is. */
export const contractRoles: readonly string[] = endings.map(([, role]) => role);

export const withContractRole = <K extends Kind>(kind: K): K => {
  const labels = 'crdLabels' in kind ? Object.keys(kind.crdLabels ?? {}) : [];
  if (kind.role !== undefined || coreGroups.includes(kind.group)) return kind;
  if (!labels.some((label) => contractLabel.test(label))) return kind;
  const [, role] = endings.find(([ending]) => kind.kind.endsWith(ending)) ?? [];
  return role ? { ...kind, role } : kind;
};
