/**
 * What a set has put into a cluster stays noted as long as the set has it: whoever forgets that puts it there once more. Notes
 * are of the sets that they are about.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

type Resource = { kind: string; name: string };
type Binding = KubeObject<{ bindings?: { clusterResourceSetName: string; resources?: Resource[] }[] }>;
type ResourceSet = KubeObject<{ resources?: Resource[] }>;

const isIn = (all: readonly Resource[] = [], { kind, name }: Resource) =>
  all.some((one) => one.kind === kind && one.name === name);

export const applied = ({ world: { mirror } }: Setting): Invariant => {
  const expectKept = ({ metadata, spec }: Binding, before: Binding) => {
    for (const { clusterResourceSetName: name, resources: noted = [] } of before.spec?.bindings ?? []) {
      const set = mirror.get<ResourceSet>('ClusterResourceSet', metadata.namespace!, name);
      const now = spec?.bindings?.find((one) => one.clusterResourceSetName === name);
      // What belongs to a set that is gone, or does not select the cluster any more, goes as a whole.
      if (!set || !now) continue;
      const lost = noted.find((one) => isIn(set.spec?.resources, one) && !isIn(now.resources, one));
      if (lost)
        throw new Violation('applied', `${lost.kind} ${lost.name} of ${name} is noted for ${metadata.name} no more`);
    }
  };
  const expectOwned = ({ metadata, spec }: Binding) => {
    const owners = (metadata.ownerReferences ?? []).filter(({ kind }) => kind === 'ClusterResourceSet');
    const [is, should] = [
      owners.map(({ name }) => name),
      (spec?.bindings ?? []).map(({ clusterResourceSetName: name }) => name),
    ].map((names) => names.sort().join());
    if (is !== should) throw new Violation('applied', `notes of ${should} for ${metadata.name} are of ${is}`);
  };
  return {
    onCommit: ({ object, before, writer }) => {
      if (writer !== 'cluster-resource-set' || object?.kind !== 'ClusterResourceSetBinding') return;
      expectOwned(object as Binding);
      if (object.metadata.uid === before?.metadata.uid) expectKept(object as Binding, before as Binding);
    },
  };
};
