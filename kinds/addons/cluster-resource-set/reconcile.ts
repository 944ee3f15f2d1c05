import { type LegacyDraft, legacyFalse, legacyTrue } from '../../../machinery/api/conditions.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  type Action,
  type ConditionDraft,
  type Context,
  type Failure,
  found,
  type MergePatch,
  type Plan,
} from '../../../machinery/api/reconcile.ts';
import { awaitingApiOf, ofCluster } from '../../common/clusters-in-messages.ts';
import { labels } from '../../common/labels.ts';
import {
  deletionOf,
  hasReference,
  ownerReference,
  ownersOf,
  ownPatch,
  patchAsObserved,
  withOwner,
} from '../../common/owners.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { callWorkload } from '../../ports/index.ts';
import type { ClusterResourceSetBinding } from '../cluster-resource-set-binding/schema.ts';
import { type AppliedResource, entryOf, same } from './objects.ts';
import type { Observed, Target } from './observe.ts';
import { dueOf, type Faulty, isDue, prepare, type Ready } from './resources.ts';
import type { ClusterResourceSet, ClusterResourceSetStatus } from './schema.ts';

const apiVersion = 'addons.cluster.x-k8s.io/v1beta2';

/** The binding's list with this set's entry set to `resources`. */
const withEntry = (
  binding: ClusterResourceSetBinding | undefined,
  set: ClusterResourceSet,
  resources: AppliedResource[],
) => {
  const others = (binding?.spec?.bindings ?? []).filter((entry) => entry.clusterResourceSetName !== set.metadata.name);
  return [...others, { clusterResourceSetName: set.metadata.name, resources }];
};

/**
 * Each set with an entry is an owner of the binding; the label makes the binding part of its
 * cluster.
 */
const isClaimed = (binding: ClusterResourceSetBinding, set: ClusterResourceSet): boolean =>
  hasReference(binding, ownerReference(set)) && binding.metadata.labels?.[labels.cluster] === binding.metadata.name;
const claimOf = (binding: ClusterResourceSetBinding, set: ClusterResourceSet): MergePatch['metadata'] => ({
  labels: { [labels.cluster]: binding.metadata.name },
  ownerReferences: withOwner(binding, ownerReference(set)),
});

/**
 * Records what is about to be applied: after a crash, an entry with `applied: false` is applied
 * again.
 */
const announce = (set: ClusterResourceSet, target: Target, due: Ready[]): Action | undefined => {
  const { namespace = '', name } = target.cluster.metadata;
  const binding = found(target.binding);
  const resources = entryOf(binding, set)?.resources ?? [];
  const announced = due.every(({ ref }) => resources.find(same(ref))?.applied === false);
  if (announced && binding && isClaimed(binding, set)) return undefined;
  const pending = due.map(({ ref }) => ({ ...ref, applied: false }));
  const kept = resources.filter((resource) => !due.some(({ ref }) => same(ref)(resource)));
  const bindings = withEntry(binding, set, [...kept, ...pending]);
  if (!binding) {
    return {
      do: 'create',
      object: {
        apiVersion,
        kind: 'ClusterResourceSetBinding',
        metadata: {
          namespace,
          name,
          labels: { [labels.cluster]: name },
          ownerReferences: [ownerReference(set)],
        },
        spec: { clusterName: name, bindings },
      },
    };
  }
  return patchAsObserved(binding, { metadata: claimOf(binding, set), spec: { bindings } });
};

/**
 * The API answered and refused an object. If it does not answer, further calls to it would fail
 * too.
 */
const isRefusal = (failure: Failure | undefined): boolean =>
  failure?.port === 'workload' && !['Unreachable', 'Timeout'].includes(failure.code);

/**
 * With `each`, a failing object does not keep other objects from being applied, nor other resources
 * from being recorded.
 */
const apply = (
  set: ClusterResourceSet,
  target: Target,
  due: Ready[],
  { now, each }: { now: number; each: boolean },
): Action[] => {
  const binding = found(target.binding)!;
  const kubeconfig = target.kubeconfig!;
  const operation = set.spec?.strategy === 'Reconcile' ? 'apply' : 'create';
  const resources = entryOf(binding, set)?.resources ?? [];
  return (each ? due.map((one) => [one]) : [due]).flatMap((batch, at): Action[] => {
    const within = `${target.cluster.metadata.name} ${at}`;
    const groupOf = (object: number) => ({ group: each ? `${within}.${object}` : within, within });
    const kept = resources.filter((resource) => !batch.some(({ ref }) => same(ref)(resource)));
    const done = batch.map(({ ref, hash }) => ({ ...ref, hash, applied: true, lastAppliedTime: timestamp(now) }));
    const bindings = withEntry(binding, set, [...kept, ...done]);
    return [
      ...batch
        .flatMap(({ objects }) => objects)
        .map((object, index) => ({ ...callWorkload(operation, { kubeconfig, object }), ...groupOf(index) })),
      // The next patch of the same binding conflicts, and the next pass records its resource.
      { ...patchAsObserved(binding, { spec: { bindings } }), group: within },
    ];
  });
};

const resourcesApplied = (
  set: ClusterResourceSet,
  { targets, orphans, formers }: Observed,
  prepared: (Ready | Faulty)[],
  lastFailure: Failure | undefined,
): ConditionDraft => {
  const faulty = prepared.filter((resource) => 'reason' in resource);
  const wrongType = faulty.find(({ reason }) => reason === 'WrongSecretType');
  const type = 'ResourcesApplied';
  if (wrongType) return { type, status: 'False', reason: 'WrongSecretType', message: wrongType.message };
  const waiting = targets.filter(({ cluster, binding }) => {
    // A binding that is about to be released does not count.
    const dropped = [...orphans, ...formers].some(({ metadata: { name } }) => name === cluster.metadata.name);
    const entry = dropped ? undefined : entryOf(found(binding), set);
    return prepared.some((resource) => {
      const applied = entry?.resources?.find(same(resource.ref));
      return 'reason' in resource ? !applied?.applied : isDue(set, applied, resource);
    });
  });
  if (waiting.length === 0 && faulty.length === 0) return { type, status: 'True', reason: 'Applied', message: '' };
  const failureOf = ({ metadata: { name } }: KubeObject) =>
    lastFailure?.group === undefined || lastFailure.group.split(' ')[0] === name ? lastFailure?.message : undefined;
  const messages = [
    ...faulty.map(({ message }) => message),
    ...waiting.map(({ cluster, binding, kubeconfig, withheld }) => {
      const { name } = cluster.metadata;
      if (withheld !== undefined) return ofCluster(name, withheld);
      const isAsked = dueOf(set, found(binding), prepared).length > 0;
      if (kubeconfig === undefined && isAsked) return awaitingApiOf(name);
      return ofCluster(name, failureOf(cluster) ?? 'not applied yet');
    }),
  ];
  return { type, status: 'False', reason: 'NotApplied', message: messages.join('\n') };
};

const legacyOf = ({ type, status, reason, message }: ConditionDraft): LegacyDraft =>
  status === 'True'
    ? legacyTrue(type)
    : legacyFalse(type, reason === 'NotApplied' ? 'ApplyFailed' : reason, 'Warning', message);

/** Removes this set's entry from a binding, and deletes the binding with its last entry. */
const release = (set: ClusterResourceSet, binding: ClusterResourceSetBinding): Action[] => {
  const rest = (binding.spec?.bindings ?? []).filter((entry) => entry.clusterResourceSetName !== set.metadata.name);
  if (rest.length === 0) return [deletionOf(binding)];
  const owners = ownersOf(binding).filter((owner) => owner.uid !== set.metadata.uid);
  const metadata = { ownerReferences: owners };
  return [patchAsObserved(binding, { metadata, spec: { bindings: rest } })];
};

const remove = ({ set, bindings }: Observed): Plan => {
  const all = found(bindings);
  if (!all) return {};
  return { actions: all.flatMap((binding) => release(set, binding)), finished: true };
};

export const reconcile = (observed: Observed, { now, lastFailure }: Context): Plan<ClusterResourceSetStatus> => {
  const { set, resources, targets, formers, orphans } = observed;
  if (set.metadata.deletionTimestamp) return remove(observed);
  const prepared = prepare(resources);
  const adoptions = resources
    .flatMap(({ object }) => found(object) ?? [])
    .filter((object) => !hasReference(object, ownerReference(set)))
    .map((object) => ownPatch(object, ownerReference(set)));
  const steps = targets.flatMap((target): { of: string; actions: Action[] }[] => {
    if (target.kubeconfig === undefined || target.binding.state === 'unreadable') return [];
    if (formers.includes(found(target.binding)!)) return [];
    const due = dueOf(set, found(target.binding), prepared);
    if (due.length === 0) return [];
    const first = announce(set, target, due);
    const how = { now, each: isRefusal(lastFailure) };
    const of = target.cluster.metadata.name;
    return [{ of, actions: first ? [{ ...first, group: of }] : apply(set, target, due, how) }];
  });
  const others = (found(observed.bindings) ?? []).filter(
    (binding) => ![...orphans, ...formers].includes(binding) && !steps.some(({ of }) => of === binding.metadata.name),
  );
  const claims = others
    .filter((binding) => !isDeleting(binding) && !isClaimed(binding, set))
    .map((binding) => ({
      ...patchAsObserved(binding, { metadata: claimOf(binding, set) }),
      group: `claim ${binding.metadata.name}`,
    }));
  const condition = resourcesApplied(set, observed, prepared, lastFailure);
  return {
    actions: [
      ...adoptions,
      ...orphans.flatMap((binding) => release(set, binding)),
      ...formers.map(deletionOf),
      ...claims,
      ...steps.flatMap(({ actions }) => actions),
    ],
    status: {
      conditions: [condition],
      deprecated: { v1beta1: { conditions: [legacyOf(condition)] } },
    },
    // No event announces what this controller writes into a binding.
    ...((formers.length > 0 || steps.length > 0) && { again: true }),
    // No event announces a kubeconfig Secret that this set does not own, so poll for it.
    ...(targets.some(({ lacksKubeconfig }) => lacksKubeconfig) && { requeueAfter: 60 }),
  };
};
