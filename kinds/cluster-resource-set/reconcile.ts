import { timestamp } from '../../machinery/api/lifecycle.ts';
import type { JsonObject, JsonValue, KubeObject, OwnerReference } from '../../machinery/api/object.ts';
import {
  type Action,
  type ConditionDraft,
  type Context,
  type Failure,
  found,
  type Plan,
} from '../../machinery/api/reconcile.ts';
import { callWorkload } from '../ports/index.ts';
import { type AppliedResource, type BindingObject, type ClusterResourceSetObject, entryOf, same } from './objects.ts';
import type { Observed, Target } from './observe.ts';
import { dueOf, type Faulty, isDue, prepare, type Ready } from './resources.ts';

const apiVersion = 'addons.cluster.x-k8s.io/v1beta2';

const ownerOf = (set: ClusterResourceSetObject): OwnerReference => ({
  apiVersion,
  kind: 'ClusterResourceSet',
  name: set.metadata.name,
  uid: set.metadata.uid ?? '',
});

const owns = (set: ClusterResourceSetObject, object: KubeObject): boolean =>
  object.metadata.ownerReferences?.some((owner) => owner.uid === set.metadata.uid) ?? false;

const patchOf = (object: KubeObject, patch: JsonObject): Action => ({
  do: 'patch',
  kind: object.kind,
  namespace: object.metadata.namespace ?? '',
  name: object.metadata.name,
  uid: object.metadata.uid ?? '',
  // Owner references and bindings are lists that other sets write, too: replaced whole, so only as they were observed.
  ...(object.metadata.resourceVersion && { resourceVersion: object.metadata.resourceVersion }),
  patch,
});

const adopt = (set: ClusterResourceSetObject, object: KubeObject): JsonObject => ({
  ownerReferences: [...(object.metadata.ownerReferences ?? []), ownerOf(set)] as unknown as JsonValue,
});

/** The binding's list with this set's entry holding `resources`. */
const withEntry = (binding: BindingObject | undefined, set: ClusterResourceSetObject, resources: AppliedResource[]) => {
  const others = (binding?.spec?.bindings ?? []).filter((entry) => entry.clusterResourceSetName !== set.metadata.name);
  return [...others, { clusterResourceSetName: set.metadata.name, resources }];
};

/** Says first what is about to be applied: an entry that stays `applied: false` after a crash is applied again. */
const announce = (set: ClusterResourceSetObject, target: Target, due: Ready[]): Action | undefined => {
  const { namespace = '', name } = target.cluster.metadata;
  const binding = found(target.binding);
  const resources = entryOf(binding, set)?.resources ?? [];
  const announced = due.every(({ ref }) => resources.find(same(ref))?.applied === false);
  if (announced && binding && owns(set, binding)) return undefined;
  const pending = due.map(({ ref }) => ({ ...ref, applied: false, hash: '' }));
  const kept = resources.filter((resource) => !due.some(({ ref }) => same(ref)(resource)));
  const bindings = withEntry(binding, set, [...kept, ...pending.map(({ hash: _, ...rest }) => rest)]);
  if (!binding) {
    return {
      do: 'create',
      object: {
        apiVersion,
        kind: 'ClusterResourceSetBinding',
        metadata: {
          namespace,
          name,
          labels: { 'cluster.x-k8s.io/cluster-name': name },
          ownerReferences: [ownerOf(set)],
        },
        spec: { clusterName: name, bindings },
      },
    };
  }
  const metadata = owns(set, binding) ? {} : { metadata: adopt(set, binding) };
  return patchOf(binding, { ...metadata, spec: { bindings } as unknown as JsonObject });
};

const apply = (set: ClusterResourceSetObject, target: Target, due: Ready[], now: number): Action[] => {
  const binding = found(target.binding)!;
  const kubeconfig = target.kubeconfig!;
  const operation = set.spec?.strategy === 'Reconcile' ? 'apply' : 'create';
  const group = target.cluster.metadata.name;
  const resources = entryOf(binding, set)?.resources ?? [];
  const kept = resources.filter((resource) => !due.some(({ ref }) => same(ref)(resource)));
  const done = due.map(({ ref, hash }) => ({ ...ref, hash, applied: true, lastAppliedTime: timestamp(now) }));
  return [
    ...due.flatMap(({ objects }) =>
      objects.map((object) => ({ ...callWorkload(operation, { kubeconfig, object }), group })),
    ),
    {
      ...patchOf(binding, { spec: { bindings: withEntry(binding, set, [...kept, ...done]) } as unknown as JsonObject }),
      group,
    },
  ];
};

const resourcesApplied = (
  set: ClusterResourceSetObject,
  { targets, orphans, formers }: Observed,
  prepared: (Ready | Faulty)[],
  lastFailure: Failure | undefined,
): ConditionDraft => {
  const faulty = prepared.filter((resource) => 'reason' in resource);
  const wrongType = faulty.find(({ reason }) => reason === 'WrongSecretType');
  const type = 'ResourcesApplied';
  if (wrongType) return { type, status: 'False', reason: 'WrongSecretType', message: wrongType.message };
  const waiting = targets.filter(({ cluster, binding }) => {
    // What is about to be dropped counts as applied no more.
    const dropped = [...orphans, ...formers].some(({ metadata: { name } }) => name === cluster.metadata.name);
    const entry = dropped ? undefined : entryOf(found(binding), set);
    return prepared.some((resource) => {
      const applied = entry?.resources?.find(same(resource.ref));
      return 'reason' in resource ? !applied?.applied : isDue(set, applied, resource);
    });
  });
  if (waiting.length === 0 && faulty.length === 0) return { type, status: 'True', reason: 'Applied', message: '' };
  const failureOf = ({ metadata: { name } }: KubeObject) =>
    lastFailure?.group === undefined || lastFailure.group === name ? lastFailure?.message : undefined;
  const messages = [
    ...faulty.map(({ message }) => message),
    ...waiting.map(({ cluster, binding, kubeconfig, withheld }) => {
      const { name } = cluster.metadata;
      if (withheld !== undefined) return `Cluster ${name}: ${withheld}`;
      const isAsked = dueOf(set, found(binding), prepared).length > 0;
      if (kubeconfig === undefined && isAsked) return `Waiting for the API of Cluster ${name}`;
      return `Cluster ${name}: ${failureOf(cluster) ?? 'not applied yet'}`;
    }),
  ];
  return { type, status: 'False', reason: 'NotApplied', message: messages.join('\n') };
};

const drop = ({ metadata: { namespace = '', name, uid = '' } }: BindingObject): Action => ({
  do: 'delete',
  kind: 'ClusterResourceSetBinding',
  namespace,
  name,
  uid,
});

/** Takes this set's entry off a binding, and the binding with its last one. */
const release = (set: ClusterResourceSetObject, binding: BindingObject): Action[] => {
  const { ownerReferences = [] } = binding.metadata;
  const rest = (binding.spec?.bindings ?? []).filter((entry) => entry.clusterResourceSetName !== set.metadata.name);
  if (rest.length === 0) return [drop(binding)];
  const owners = ownerReferences.filter((owner) => owner.uid !== set.metadata.uid);
  const metadata = { ownerReferences: owners as unknown as JsonValue };
  return [patchOf(binding, { metadata, spec: { bindings: rest } as unknown as JsonObject })];
};

const remove = ({ set, bindings }: Observed): Plan => {
  const all = found(bindings);
  if (!all) return {};
  return { actions: all.flatMap((binding) => release(set, binding)), finished: true };
};

export const reconcile = (observed: Observed, { now, lastFailure }: Context): Plan => {
  const { set, resources, targets, formers } = observed;
  if (set.metadata.deletionTimestamp) return remove(observed);
  const prepared = prepare(resources);
  const adoptions = resources
    .map(({ object }) => found(object))
    .filter((object) => object !== undefined && !owns(set, object))
    .map((object) => patchOf(object!, { metadata: adopt(set, object!) }));
  const steps = targets.flatMap((target): { announces: boolean; actions: Action[] }[] => {
    if (target.kubeconfig === undefined || target.binding.state === 'unreadable') return [];
    if (formers.includes(found(target.binding)!)) return [];
    const due = dueOf(set, found(target.binding), prepared);
    if (due.length === 0) return [];
    const first = announce(set, target, due);
    if (!first) return [{ announces: false, actions: apply(set, target, due, now) }];
    return [{ announces: true, actions: [{ ...first, group: target.cluster.metadata.name }] }];
  });
  const condition = resourcesApplied(set, observed, prepared, lastFailure);
  return {
    actions: [
      ...adoptions,
      ...observed.orphans.flatMap((binding) => release(set, binding)),
      ...formers.map(drop),
      ...steps.flatMap(({ actions }) => actions),
    ],
    status: { conditions: [condition] as unknown as JsonValue },
    ...((formers.length > 0 || steps.some(({ announces }) => announces)) && { again: true }),
    // Nobody tells of a Secret that is another one's.
    ...(targets.some(({ lacksKubeconfig }) => lacksKubeconfig) && { requeueAfter: 60 }),
  };
};
