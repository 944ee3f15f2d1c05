/** What Preflight checked of how the control plane builds Machines. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { digestOf } from '../../common/digest.ts';
import { givenSpec } from '../../common/filled.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { cancelCommand } from '../shared/messages.ts';
import type { OperationScope } from '../shared/scope.ts';
import { controlPlaneIn } from './parts.ts';

/** Fields of which no new Machine is made another. The version is noted and built. */
const passing = ['replicas', 'version', 'rollout', 'remediation', 'machineNaming'];

const digestOfBuild = (controlPlane: KubeObject): string =>
  digestOf(Object.fromEntries(Object.entries(givenSpec(controlPlane)).filter(([field]) => !passing.includes(field))));

export const noteCheckedSpec = (scope: OperationScope, status: OperationStatus): OperationStatus => {
  const controlPlane = controlPlaneIn(scope);
  return controlPlane ? { ...status, checkedSpec: digestOfBuild(controlPlane) } : status;
};

/** Says that the spec is another one since; undefined if it is the same. */
export const changedSpec = (scope: OperationScope, { checkedSpec }: OperationStatus): string | undefined => {
  const controlPlane = controlPlaneIn(scope);
  if (!controlPlane || checkedSpec === undefined || checkedSpec === digestOfBuild(controlPlane)) return undefined;
  const { kind, metadata } = controlPlane;
  return `${kind} ${metadata.name} has changed since Preflight, which did not check what its Machines would be now: set spec.kubeadmConfigSpec and spec.machineTemplate back; or, to have the change checked, run: ${cancelCommand(scope.operation)}, and restore again`;
};
