import { equal, mergePatch } from '../../../machinery/api/merge.ts';
import type { JsonObject } from '../../../machinery/api/object.ts';
import {
  type Action,
  type Context,
  type EventDraft,
  found,
  type MergePatch,
  type Plan,
} from '../../../machinery/api/reconcile.ts';
import { filledAnnotation, filledNote } from '../../common/filled.ts';
import { labels } from '../../common/labels.ts';
import { hasReference, ownerReference, patchAsObserved, withOwner } from '../../common/owners.ts';
import { callWorkload } from '../../ports/index.ts';
import { dataSecretNameOf, isDataSecretCreated, isProvisioned } from '../contract/machine.ts';
import { isDeleting } from '../contract/machines.ts';
import { asMachine } from '../contract/pool-as-machine.ts';
import { hasPools, poolsAnnotation } from '../contract/pools.ts';
import { ownParts } from '../machine/external.ts';
import { nodePatch, viewOf } from '../machine/node-patch.ts';
import { decideDeletion } from './delete.ts';
import { machineKindOf, providerIdsOf } from './infrastructure.ts';
import { missingMachines, remediations } from './machines.ts';
import { atOnce, nodeOwners, type Observed } from './observe.ts';
import type { MachinePoolStatus } from './schema.ts';
import { type Progress, statusOf } from './status.ts';

/** Seconds until a missing reference is read again: no event announces an object without an owner. */
const missingReferenceInterval = 30;
/** Seconds until the objects of hosts are listed again: their pool announces them, and they come later. */
const machinesInterval = 15;

/** The name of the bootstrap data as its config reports it now; what is known stays if it reports none. */
const dataSecretOf = ({ pool, bootstrapConfig }: Observed): string | undefined => {
  const config = bootstrapConfig && found(bootstrapConfig);
  const reported = config && !isDeleting(config) && isDataSecretCreated(config) ? dataSecretNameOf(config) : undefined;
  return reported ?? pool.spec?.template.spec.bootstrap.dataSecretName;
};

const invalidConfiguration = 'InvalidConfiguration';

const progressOf = (observed: Observed): Progress => {
  const { pool, infrastructure, isAnothers } = observed;
  const there = found(infrastructure);
  const before = pool.status;
  const was =
    before?.initialization?.infrastructureProvisioned === true ||
    // Set as soon as the infrastructure is there, and kept while it is deleted.
    before?.deprecated?.v1beta1?.conditions?.some(({ type }) => type === 'InfrastructureReady') ||
    before?.deprecated?.v1beta1?.failureReason === invalidConfiguration;
  return {
    isBootstrapped: dataSecretOf(observed) !== undefined,
    isProvisioned: there !== undefined && !isDeleting(there) && isProvisioned(there),
    isLost: infrastructure.state === 'absent' && !isAnothers && was && !isDeleting(pool),
  };
};

/** What changes in the spec: the name of the bootstrap data, and the hosts that exist. */
const filledIn = (observed: Observed): JsonObject => {
  const { pool, infrastructure, isAnothers } = observed;
  const there = found(infrastructure);
  const secret = dataSecretOf(observed);
  const known = pool.spec?.providerIDList ?? [];
  const hosts = there ? providerIdsOf(there) : isAnothers ? [] : known;
  return {
    ...(secret !== pool.spec?.template.spec.bootstrap.dataSecretName && {
      template: { spec: { bootstrap: { dataSecretName: secret ?? null } } },
    }),
    ...(!equal([...known].toSorted(), hosts) && { providerIDList: hosts }),
  };
};

const intentOf = (observed: Observed): MergePatch => {
  const { pool, cluster, withheld } = observed;
  const owner = found(cluster);
  const reference = owner && ownerReference(owner);
  const metadata = {
    labels: { [labels.cluster]: pool.spec?.clusterName ?? '' },
    ...(reference && !hasReference(pool, reference) && { ownerReferences: withOwner(pool, reference) }),
  };
  const spec = filledIn(observed);
  if (isDeleting(pool) || withheld?.releases || Object.keys(spec).length === 0) return { metadata };
  const note = filledNote(pool, mergePatch((pool.spec ?? {}) as JsonObject, spec));
  return { metadata: { ...metadata, annotations: { [filledAnnotation]: note } }, spec };
};

/** Clusters with pools read them; others do not. */
const announce = ({ cluster }: Observed): Action[] => {
  const of = found(cluster);
  if (!of || isDeleting(of) || hasPools(of)) return [];
  return [{ ...patchAsObserved(of, { metadata: { annotations: { [poolsAnnotation]: 'true' } } }), group: 'announce' }];
};

const patchNodes = ({ pool, stale, access }: Observed): Action[] =>
  stale.flatMap((read) => {
    const node = found(read);
    const patch = node && nodePatch(viewOf(node), nodeOwners(pool));
    if (!access || !node || !patch) return [];
    const { name, resourceVersion } = node.metadata;
    const target = { ...access, apiVersion: 'v1', kind: 'Node', name, ifPresent: true, patch };
    const call = callWorkload('patch', { ...target, ...(resourceVersion && { resourceVersion }) });
    return [{ ...call, group: `Node ${name}` }];
  });

const isRead = ({ cluster, infrastructure, bootstrapConfig }: Observed): boolean =>
  [cluster, infrastructure, bootstrapConfig].every((read: { state: string } | undefined) => read?.state !== 'unread');

/** Seconds until something is there that no event announces. */
const interval = ({ infrastructure, bootstrapConfig, infraMachines }: Observed): number | undefined => {
  if ([infrastructure, bootstrapConfig].some((read) => read?.state === 'absent')) return missingReferenceInterval;
  const there = found(infrastructure);
  if (!there || machineKindOf(there) === undefined) return undefined;
  return (found(infraMachines) ?? []).length < providerIdsOf(there).length ? machinesInterval : undefined;
};

const nodeEvents = ({ pool }: Observed, { nodeRefs = [] }: MachinePoolStatus): EventDraft[] => {
  const before = new Set((pool.status?.nodeRefs ?? []).map(({ name }) => name));
  const added = nodeRefs.filter(({ name }) => !before.has(name)).map(({ name }) => name);
  return added.length > 0
    ? [{ type: 'Normal', reason: 'SuccessfulSetNodeRefs', message: added.join(', '), isOfStatus: true }]
    : [];
};

const soonest = (...seconds: (number | undefined)[]): { requeueAfter?: number } => {
  const known = seconds.filter((one) => one !== undefined);
  return known.length > 0 ? { requeueAfter: Math.min(...known) } : {};
};

export const reconcile = (observed: Observed, context: Context): Plan<MachinePoolStatus> => {
  const { pool, bootstrapConfig, infrastructure, stale } = observed;
  if (!pool.spec || !isRead(observed)) return {};
  const progress = progressOf(observed);
  const intent = intentOf(observed);
  if (isDeleting(pool)) {
    const { actions, deleting, finished, requeueAfter } = decideDeletion(observed, context);
    const { status } = statusOf(observed, progress, deleting);
    return { intent, actions, status, finished, ...soonest(requeueAfter) };
  }
  const { status, wait } = statusOf(observed, progress, undefined);
  return {
    intent,
    actions: [
      ...announce(observed),
      ...ownParts(asMachine(pool), [bootstrapConfig, infrastructure]),
      ...missingMachines(observed),
      ...remediations(observed),
      ...patchNodes(observed),
    ],
    events: nodeEvents(observed, status),
    status,
    ...soonest(wait, interval(observed)),
    // The next ones are read after these are written.
    ...(stale.length === atOnce && { again: true }),
  };
};

const isGone = ({ infrastructure }: Observed): boolean => {
  const there = found(infrastructure);
  if (!there) return infrastructure.state === 'absent';
  return !isProvisioned(there) && providerIdsOf(there).length === 0;
};

/** The objects of the pool are its user's, and stay; they start over when the cluster is created again. */
export const release = (observed: Observed, context: Context): Plan<MachinePoolStatus> => {
  if (!isGone(observed)) return reconcile(observed, context);
  return { ...reconcile({ ...observed, nodes: [], stale: [] }, context), released: { notes: [] } };
};
