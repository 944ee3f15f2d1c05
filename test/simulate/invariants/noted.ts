/** What a set has put into a cluster stays noted, whatever others put there: what is not noted is put there again. */
import { labelMatcher } from '../../../machinery/api/labels.ts';
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { isGoing, isWorkedOn } from './whose.ts';

type Binding = KubeObject<{ bindings?: { clusterResourceSetName: string }[] }>;
type ResourceSet = KubeObject<{ clusterSelector: LabelSelector }>;
const namesIn = (object: KubeObject | undefined): string[] =>
  ((object as Binding | undefined)?.spec?.bindings ?? []).map((one) => one.clusterResourceSetName);

export const noted = ({ world: { mirror } }: Setting): Invariant => ({
  onCommit: ({ object, before, writer }) => {
    if (object?.kind !== 'ClusterResourceSetBinding' || !before || writer !== 'cluster-resource-set') return;
    const { name, namespace = '' } = object.metadata;
    const cluster = mirror.get<KubeObject>('Cluster', namespace, name);
    if (!cluster || !isWorkedOn(mirror, cluster)) return;
    const kept = new Set(namesIn(object));
    for (const lost of namesIn(before).filter((one) => !kept.has(one))) {
      const set = mirror.get<ResourceSet>('ClusterResourceSet', namespace, lost);
      if (set && !isGoing(set) && labelMatcher(set.spec?.clusterSelector)(cluster.metadata.labels))
        throw new Violation('noted', `what ${lost} has put into ${name} is noted no more`);
    }
  },
});
