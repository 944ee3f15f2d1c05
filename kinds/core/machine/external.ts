/** Makes a Machine or MachinePool the controller of its bootstrap config and infrastructure. Pure. */
import { groupOf } from '../../../machinery/api/kind.ts';
import type { KubeObject, OwnerReference } from '../../../machinery/api/object.ts';
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
import { controlPlaneGroup } from '../contract/control-plane.ts';
import { isDeleting } from '../contract/machines.ts';
import type { Machine } from './schema.ts';

// A MachineSet or control plane that clones the object owns it until the Machine takes over, so
// that nothing leaks.
const isCloner = ({ kind, apiVersion }: OwnerReference): boolean =>
  kind === 'MachineSet' || groupOf(apiVersion) === controlPlaneGroup;

const ownership = (machine: Machine, object: KubeObject): Action[] => {
  const controller = controllerOf(object);
  if (controller && !isControlledBy(object, machine)) return [];
  const reference = controllerReference(machine);
  const clusterName = machine.spec?.clusterName ?? '';
  const hasCloner = ownersOf(object).some(isCloner);
  const isOwned = hasReference(object, reference) && !hasCloner;
  const isLabelled = object.metadata.labels?.[labels.cluster] === clusterName;
  const flow = flowOn(machine);
  const flowed = flow && !isDeleting(object) ? flowInto(object, flow) : undefined;
  if (isOwned && isLabelled && !flowed) return [];
  const others = ownersOf(object).filter((owner) => !isCloner(owner) && owner.uid !== machine.metadata.uid);
  const metadata = {
    ...flowed,
    ...(!isOwned && { ownerReferences: [...others, reference] }),
    labels: { ...flowed?.labels, [labels.cluster]: clusterName },
  };
  return [{ ...patchAsObserved(object, { metadata }), group: `own ${object.kind}` }];
};

export const ownParts = (machine: Machine, parts: (Read<KubeObject> | undefined)[]): Action[] =>
  parts.flatMap((part) => {
    const object = part && found(part);
    return object ? ownership(machine, object) : [];
  });
