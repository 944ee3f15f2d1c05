/** Control planes whose Machines are up to date, for tests of the remaining steps. */
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Plan } from '../../../machinery/api/reconcile.ts';
import { context } from './control-plane.fixture.ts';
import type { ControlPlane } from './control-plane.ts';
import { reconcile } from './reconcile.ts';
import type { KubeadmControlPlaneStatus } from './schema.ts';

/** Applies the patches of a plan, as the reconcile loop would. */
export const patched = (
  controlPlane: ControlPlane,
  { actions = [] }: Plan<KubeadmControlPlaneStatus>,
): ControlPlane => {
  const apply = <T extends KubeObject | undefined>(object: T): T =>
    actions.reduce<T>(
      (result, action) =>
        result && action.do === 'patch' && action.kind === result.kind && action.name === result.metadata.name
          ? mergePatch(result, action.patch)
          : result,
      object,
    );
  const template = found(controlPlane.template)!;
  return {
    ...controlPlane,
    template: { state: 'found', value: apply(template) },
    members: controlPlane.members.map((member) => ({
      ...member,
      machine: apply(member.machine),
      infraMachine: apply(member.infraMachine),
      config: apply(member.config),
    })),
  };
};
/** The control plane after the first passes have set owners, labels and gates. */
export const settled = (before: ControlPlane): ControlPlane => {
  let controlPlane = before;
  for (let pass = 0; pass < 3; pass++) controlPlane = patched(controlPlane, reconcile({ controlPlane }, context()));
  return controlPlane;
};
