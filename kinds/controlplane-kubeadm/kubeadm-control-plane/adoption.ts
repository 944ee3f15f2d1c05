/**
 * Adopts control plane Machines without a controller, if this control plane could have created
 * them. Pure.
 */
import type { Action } from '../../../machinery/api/reconcile.ts';
import { parseVersion } from '../../common/kubernetes-version.ts';
import { controllerReference, hasReference, patchAsObserved, withOwner } from '../../common/owners.ts';
import type { Machine } from '../../core/machine/schema.ts';
import type { ControlPlane } from './control-plane.ts';
import type { StepPlan } from './step.ts';

/** Seconds. */
const retry = 30;

const faultOf = (machine: Machine, version: string): string | undefined => {
  const { name } = machine.metadata;
  if (machine.spec?.bootstrap.configRef?.kind !== 'KubeadmConfig') return `Machine ${name} was not made by kubeadm`;
  const [own, wanted] = [parseVersion(machine.spec.version ?? ''), parseVersion(version)];
  if (!own || !wanted || own.major !== wanted.major || Math.abs(own.minor - wanted.minor) > 1)
    return `Machine ${name} has version ${machine.spec.version}, which is more than one minor version away from ${version}`;
  return undefined;
};

const failed = (message: string): StepPlan => ({
  waitsFor: [message],
  events: [{ type: 'Warning', reason: 'AdoptionFailed', message }],
  requeueAfter: retry,
});

/** Updates owner references that have an older apiVersion. */
export const renewReferences = ({ kcp, members }: ControlPlane): Action[] => {
  const reference = controllerReference(kcp);
  return members
    .filter(({ machine }) => !hasReference(machine, reference))
    .map(({ machine }) =>
      patchAsObserved(machine, {
        metadata: { ownerReferences: withOwner(machine, reference) },
      }),
    );
};

/**
 * Blocks all further steps while a Machine cannot be adopted; undefined if all belong to this
 * control plane.
 */
export const adopt = ({ kcp, foreign, orphans }: ControlPlane): StepPlan | undefined => {
  if (foreign.length > 0) {
    const names = foreign.map(({ metadata }) => metadata.name).sort();
    return failed(`Control plane Machines are controlled by something else: ${names.join(', ')}`);
  }
  if (orphans.length === 0) return undefined;
  const faults = orphans.flatMap((machine) => faultOf(machine, kcp.spec?.version ?? '') ?? []);
  if (faults.length > 0) return failed(faults.join('; '));
  const actions = orphans.map((machine) =>
    patchAsObserved(machine, {
      metadata: { ownerReferences: withOwner(machine, controllerReference(kcp)) },
    }),
  );
  return { actions, again: true };
};
