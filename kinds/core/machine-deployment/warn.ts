import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { boundsOf } from '../../common/autoscale/annotations.ts';
import { declaredBy, planIn } from '../../common/autoscale/plan-entry.ts';
import { annotations } from '../../common/labels.ts';
import type { MachineDeployment } from './schema.ts';

/** A manifest with replicas that is applied again takes back what the autoscaler decided. */
export const warnOfReplicas = (object: KubeObject, { old, byController, related }: Admission): string[] => {
  const [before, after] = [old, object] as (MachineDeployment | undefined)[];
  if (byController || !before || !after) return [];
  const plan = planIn(related);
  if (!boundsOf(declaredBy(plan, after)) || !boundsOf(declaredBy(plan, before))) return [];
  const isOwn = before.metadata.annotations?.[annotations.replicasSetBy] === undefined;
  const [from, to] = [before.spec?.replicas, after.spec?.replicas];
  if (!isOwn || from === undefined || to === undefined || to >= from) return [];
  return [
    `spec.replicas: the autoscaler sets the replicas of this MachineDeployment, ${from} before this change: ` +
      'leave replicas out of a manifest that is applied again and again',
  ];
};
