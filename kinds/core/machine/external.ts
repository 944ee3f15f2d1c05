/** What stands behind a Machine is the Machine's: its bootstrap config and its infrastructure object. Pure. */
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { type Action, found, type Read } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import {
  controllerOf,
  controllerReference,
  hasReference,
  isControlledBy,
  ownersOf,
  patchAsObserved,
} from '../../common/owners.ts';
import { flowInto, flowOn } from '../../common/propagation.ts';
import { isDeleting } from '../contract/machines.ts';
import type { Machine } from './schema.ts';

// Whoever cloned the object put itself there, so that nothing leaks before the Machine takes over.
const cloners = ['MachineSet', 'KubeadmControlPlane'];

const ownership = (machine: Machine, object: KubeObject): Action[] => {
  const controller = controllerOf(object);
  if (controller && !isControlledBy(object, machine)) return [];
  const reference = controllerReference(machine);
  const clusterName = machine.spec?.clusterName ?? '';
  const hasCloner = ownersOf(object).some(({ kind }) => cloners.includes(kind));
  const isOwned = hasReference(object, reference) && !hasCloner;
  const isLabelled = object.metadata.labels?.[labels.cluster] === clusterName;
  const flow = flowOn(machine);
  const flowed = flow && !isDeleting(object) ? flowInto(object, flow) : undefined;
  if (isOwned && isLabelled && !flowed) return [];
  const others = ownersOf(object).filter(({ kind, uid }) => !cloners.includes(kind) && uid !== machine.metadata.uid);
  const metadata = {
    ...flowed,
    ...(!isOwned && { ownerReferences: [...others, reference] as unknown as JsonValue }),
    labels: { ...flowed?.labels, [labels.cluster]: clusterName },
  };
  return [{ ...patchAsObserved(object, { metadata }), group: `own ${object.kind}` }];
};

export const ownParts = (machine: Machine, parts: (Read<KubeObject> | undefined)[]): Action[] =>
  parts.flatMap((part) => {
    const object = part && found(part);
    return object ? ownership(machine, object) : [];
  });
