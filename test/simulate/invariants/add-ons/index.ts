import { labelMatcher } from '../../../../machinery/api/labels.ts';
import type { KubeObject, LabelSelector } from '../../../../machinery/api/object.ts';
import { eventually } from '../eventually.ts';
import { conditionIn, isGoing, isWorkedOn } from '../relations.ts';
import type { Rule, Rules } from '../rule.ts';

type Resource = { kind: string; name: string };
type Binding = KubeObject<{ bindings?: { clusterResourceSetName: string; resources?: Resource[] }[] }>;
type ResourceSet = KubeObject<{ clusterSelector?: LabelSelector; resources?: Resource[] }>;

const isIn = (all: readonly Resource[] = [], { kind, name }: Resource) =>
  all.some((one) => one.kind === kind && one.name === name);

const bindingsAreKept: Rule = ({ world: { mirror } }, broken) => {
  const expectKept = ({ metadata, spec }: Binding, before: Binding) => {
    for (const { clusterResourceSetName: name, resources: noted = [] } of before.spec?.bindings ?? []) {
      const set = mirror.get<ResourceSet>('ClusterResourceSet', metadata.namespace!, name);
      const now = spec?.bindings?.find((one) => one.clusterResourceSetName === name);
      // When a set is gone or no longer selects the cluster, its whole entry is removed.
      if (!set || !now) continue;
      const lost = noted.find((one) => isIn(set.spec?.resources, one) && !isIn(now.resources, one));
      if (lost) throw broken(`${lost.kind} ${lost.name} of ${name} is missing from binding ${metadata.name}`);
    }
  };
  const expectOwned = ({ metadata, spec }: Binding) => {
    const owners = (metadata.ownerReferences ?? []).filter(({ kind }) => kind === 'ClusterResourceSet');
    const [is, should] = [
      owners.map(({ name }) => name),
      (spec?.bindings ?? []).map(({ clusterResourceSetName: name }) => name),
    ].map((names) => names.sort().join());
    if (is !== should) throw broken(`binding ${metadata.name} lists sets ${should}, but its owners are ${is}`);
  };
  return {
    onCommit: ({ object, before, writer }) => {
      if (writer !== 'cluster-resource-set' || object?.kind !== 'ClusterResourceSetBinding') return;
      expectOwned(object as Binding);
      if (object.metadata.uid === before?.metadata.uid) expectKept(object as Binding, before as Binding);
    },
  };
};

const namesIn = (object: KubeObject | undefined): string[] =>
  ((object as Binding | undefined)?.spec?.bindings ?? []).map((one) => one.clusterResourceSetName);

const setsStayBound: Rule = ({ world: { mirror } }, broken) => ({
  onCommit: ({ object, before, writer }) => {
    if (object?.kind !== 'ClusterResourceSetBinding' || !before || writer !== 'cluster-resource-set') return;
    const { name, namespace = '' } = object.metadata;
    const cluster = mirror.get<KubeObject>('Cluster', namespace, name);
    if (!cluster || !isWorkedOn(mirror, cluster)) return;
    const kept = new Set(namesIn(object));
    for (const lost of namesIn(before).filter((one) => !kept.has(one))) {
      const set = mirror.get<ResourceSet>('ClusterResourceSet', namespace, lost);
      if (set && !isGoing(set) && labelMatcher(set.spec?.clusterSelector)(cluster.metadata.labels))
        throw broken(`the entry of ${lost} is missing from binding ${name}`);
    }
  },
});

const missingResources: Rule = (setting, broken) => {
  const { mirror } = setting.world;
  return eventually(setting, broken, function* () {
    for (const set of mirror.all<ResourceSet>('ClusterResourceSet')) {
      const { name, namespace = '', deletionTimestamp, annotations = {} } = set.metadata;
      if (deletionTimestamp || 'cluster.x-k8s.io/paused' in annotations) continue;
      const lost = set.spec?.resources?.find((one) => !mirror.get(one.kind, namespace, one.name));
      if (!lost) continue;
      const is = conditionIn(set, 'ResourcesApplied')?.status;
      yield {
        what: `ResourcesApplied of ${name}, whose ${lost.kind} ${lost.name} is missing,`,
        is,
        should: 'False',
      };
    }
  });
};

export const addOnsRules: Rules = {
  'a binding keeps what its sets have applied': bindingsAreKept,
  'a set that selects a cluster stays in its binding': setsStayBound,
  'a set reports resources that are missing': missingResources,
};
