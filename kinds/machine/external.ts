/** What stands behind a Machine is the Machine's: its bootstrap config and its infrastructure object. Pure. */
import type { JsonValue, KubeObject } from '../../machinery/api/object.ts';
import { type Action, found, type Read } from '../../machinery/api/reconcile.ts';
import { labels } from '../common/labels.ts';
import { controllerOf, controllerReference, isControlledBy, ownersOf, patchAsObserved } from '../common/owners.ts';
import type { Machine } from './schema.ts';

// Whoever cloned the object put itself there, so that nothing leaks before the Machine takes over.
const cloners = ['MachineSet', 'KubeadmControlPlane'];

const ownership = (machine: Machine, object: KubeObject): Action[] => {
  const controller = controllerOf(object);
  if (controller && !isControlledBy(object, machine)) return [];
  const hasCloner = ownersOf(object).some(({ kind }) => cloners.includes(kind));
  const clusterName = machine.spec?.clusterName ?? '';
  if (controller && !hasCloner && object.metadata.labels?.[labels.cluster] === clusterName) return [];
  const others = ownersOf(object).filter(({ kind, uid }) => !cloners.includes(kind) && uid !== machine.metadata.uid);
  const ownerReferences = [...others, controllerReference(machine)] as unknown as JsonValue;
  const patch = { metadata: { ownerReferences, labels: { [labels.cluster]: clusterName } } };
  return [{ ...patchAsObserved(object, patch), group: `own ${object.kind}` }];
};

export const ownParts = (machine: Machine, parts: (Read<KubeObject> | undefined)[]): Action[] =>
  parts.flatMap((part) => {
    const object = part && found(part);
    return object ? ownership(machine, object) : [];
  });
