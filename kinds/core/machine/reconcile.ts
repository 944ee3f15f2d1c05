import { withConditions } from '../../../machinery/api/conditions.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import {
  type Action,
  type ConditionDraft,
  type Context,
  type EventDraft,
  found,
  type MergePatch,
  type Plan,
} from '../../../machinery/api/reconcile.ts';
import { filledAnnotation, filledNote } from '../../common/filled.ts';
import { labels } from '../../common/labels.ts';
import { controllerOf, hasReference, isOwnedBy, ownerReference, ownersOf, withOwner } from '../../common/owners.ts';
import { callWorkload } from '../../ports/index.ts';
import type { WorkloadNode } from '../../ports/workload.ts';
import type { ControlPlaneProvider, ControlPlaneQueries } from '../contract/control-plane.ts';
import {
  addressesOf,
  dataSecretNameOf,
  failureDomainOf,
  isDataSecretCreated,
  isGiven,
  isProvisioned,
  providerIdOf,
} from '../contract/machine.ts';
import { isDeleting, untilStale } from '../contract/machines.ts';
import { controlPlaneQueries } from '../contract/plain-control-plane.ts';
import { asRestored } from '../contract/restore.ts';
import {
  available,
  bootstrapReady,
  graceLeft,
  infrastructureReady,
  nodeConditions,
  ready,
  upToDate,
} from './conditions.ts';
import { nodeNameOf } from './deletion.ts';
import { ownParts } from './external.ts';
import { evacuation, interruptionCondition } from './interruption.ts';
import { legacyConditions } from './legacy.ts';
import { fallbackCondition } from './market.ts';
import { nodeInfoOf, nodesOf } from './node.ts';
import { nodePatch, viewOf } from './node-patch.ts';
import type { Observed } from './observe.ts';
import { type Deletion, reconcileDeletion } from './reconcile-delete.ts';
import { withoutHost } from './release.ts';
import type { Machine, MachineStatus } from './schema.ts';

/**
 * Seconds until a missing reference is read again: no event announces an object without an owner,
 * so poll for it.
 */
const missingReferenceInterval = 30;
/** The same for the bootstrap config, which is not needed any more once the host is a Node. */
const servedReferenceInterval = 600;
const certificatesExpiry = 'machine.cluster.x-k8s.io/certificates-expiry';

/**
 * Makes the Cluster the owner of a Machine without an owner, unless a label says that its owner
 * will adopt it.
 */
const adoption = ({ machine, cluster }: Observed): MergePatch['metadata'] => {
  const owner = found(cluster);
  const isOwned = [labels.set, labels.pool, labels.controlPlaneName].some(
    (label) => machine.metadata.labels?.[label] !== undefined,
  );
  if (!owner) return {};
  const reference = ownerReference(owner);
  const isAnothers = isOwned || controllerOf(machine) || ownersOf(machine).some(({ kind }) => kind === 'Cluster');
  if (isOwnedBy(machine, owner) ? hasReference(machine, reference) : isAnothers) return {};
  return { ownerReferences: withOwner(machine, reference) };
};

/** Progress reached now or earlier: a part that vanishes later is an error, not a fresh start. */
interface Progress {
  dataSecretName: string | undefined;
  isBootstrapped: boolean;
  providerID: string | undefined;
  isProvisioned: boolean;
}
const progressOf = ({ machine, bootstrapConfig, infraMachine, isTornDown }: Observed): Progress => {
  const { spec, status } = machine;
  const config = bootstrapConfig && found(bootstrapConfig);
  const infra = found(infraMachine);
  const dataSecretName =
    spec?.bootstrap.dataSecretName ??
    (!isTornDown && config && !isDeleting(config) && isDataSecretCreated(config)
      ? dataSecretNameOf(config)
      : undefined);
  const wasProvisioned = status?.initialization?.infrastructureProvisioned === true;
  const isThere = infra !== undefined && !isDeleting(infra) && (isProvisioned(infra) || wasProvisioned);
  const providerID = spec?.providerID ?? (!isTornDown && isThere ? providerIdOf(infra) : undefined);
  return {
    dataSecretName,
    isBootstrapped: status?.initialization?.bootstrapDataSecretCreated === true || dataSecretName !== undefined,
    providerID,
    isProvisioned: wasProvisioned || (isThere && providerIdOf(infra) !== undefined),
  };
};

const intentOf = (observed: Observed, progress: Progress): MergePatch => {
  const { machine, infraMachine } = observed;
  const { spec } = machine;
  const infra = found(infraMachine);
  // The v1beta1 contract has the failure domain in the infrastructure machine's spec.
  const placed =
    infra && progress.isProvisioned ? (infra.spec as { failureDomain?: string } | undefined)?.failureDomain : undefined;
  const changed = {
    ...(progress.dataSecretName !== undefined &&
      spec?.bootstrap.dataSecretName === undefined && { bootstrap: { dataSecretName: progress.dataSecretName } }),
    ...(progress.providerID !== undefined && spec?.providerID === undefined && { providerID: progress.providerID }),
    ...(placed && placed !== spec?.failureDomain && { failureDomain: placed }),
  };
  const metadata = { labels: { [labels.cluster]: spec?.clusterName ?? '' }, ...adoption(observed) };
  if (isDeleting(machine) || Object.keys(changed).length === 0) return { metadata };
  if (!isGiven(machine)) return { metadata, spec: changed };
  const note = filledNote(machine, mergePatch((spec ?? {}) as JsonObject, changed));
  return {
    metadata: { ...metadata, ...(note !== null && { annotations: { [filledAnnotation]: note } }) },
    spec: changed,
  };
};

/** The Node of this Machine in the last snapshot; none if two Nodes match. */
const nodeOf = ({ snapshot }: Observed, providerID: string | undefined): WorkloadNode | undefined => {
  const nodes = nodesOf(snapshot, providerID);
  return nodes.length === 1 ? nodes[0] : undefined;
};

const patchNode = (observed: Observed): Action[] => {
  const { node, access, infraMachine } = observed;
  if (!access || node?.state !== 'found') return [];
  const patch = nodePatch(viewOf(node.value), { ...observed, infraMachine: found(infraMachine) });
  const { name, resourceVersion } = node.value.metadata;
  if (!patch) return [];
  const target = { ...access, apiVersion: 'v1', kind: 'Node', name, ifPresent: true };
  return [
    { ...callWorkload('patch', { ...target, patch, ...(resourceVersion && { resourceVersion }) }), group: 'node' },
  ];
};

const certificatesExpiryOf = ({ machine, bootstrapConfig }: Observed): string | undefined => {
  if (machine.metadata.labels?.[labels.controlPlane] === undefined) return undefined;
  const config = bootstrapConfig && found(bootstrapConfig);
  const text = machine.metadata.annotations?.[certificatesExpiry] ?? config?.metadata.annotations?.[certificatesExpiry];
  return text !== undefined && Number.isFinite(Date.parse(text)) ? timestamp(Date.parse(text)) : undefined;
};

const phaseOf = (observed: Observed, progress: Progress, nodeName: string | undefined): MachineStatus['phase'] => {
  if (isDeleting(observed.machine)) return 'Deleting';
  if (nodeName !== undefined && progress.isProvisioned) return 'Running';
  if (progress.providerID !== undefined) return 'Provisioned';
  return progress.isBootstrapped && !progress.isProvisioned ? 'Provisioning' : 'Pending';
};

/** The control plane of a Machine, and what evaluates it. */
interface Judged {
  queries: ControlPlaneQueries;
  controlPlane: KubeObject;
}
const judgeOf = (
  { controlPlane: read, machine, cluster: clusterRead }: Observed,
  providers: readonly ControlPlaneProvider[],
): Judged | undefined => {
  const [wanted, cluster] = [read && found(read), found(clusterRead)];
  const controlPlane = wanted && cluster ? asRestored(cluster, wanted) : wanted;
  const isControlPlane = machine.metadata.labels?.[labels.controlPlane] !== undefined;
  return isControlPlane && controlPlane
    ? { queries: controlPlaneQueries(controlPlane, providers), controlPlane }
    : undefined;
};

/** Seconds. A later time is found by the daily resync. */
const day = 24 * 60 * 60;
/** Seconds until the passage of time alone makes the Machine outdated. */
const untilOutOfDate = ({ machine, now }: Observed, judge: Judged | undefined): number[] => {
  const times =
    judge && !isDeleting(machine) ? judge.queries.outOfDateTimes({ machine, controlPlane: judge.controlPlane }) : [];
  return times.map((at) => Math.ceil((at - now) / 1000)).filter((seconds) => seconds > 0 && seconds <= day);
};

const controlPlaneConditions = (
  { snapshot, infraMachine, bootstrapConfig, now }: Observed,
  machine: Machine,
  judge: Judged | undefined,
): ConditionDraft[] =>
  judge
    ? judge.queries.machineConditions({
        machine,
        controlPlane: judge.controlPlane,
        snapshot,
        infraMachine: found(infraMachine),
        bootstrapConfig: bootstrapConfig && found(bootstrapConfig),
        now,
      })
    : [];

interface Reached {
  progress: Progress;
  node: WorkloadNode | undefined;
  nodeName: string | undefined;
  deletion: Deletion | undefined;
  judge: Judged | undefined;
}

const statusOf = (
  observed: Observed,
  { progress, node, nodeName, deletion, judge }: Reached,
): { status: MachineStatus; wait: number[] } => {
  const { machine, infraMachine, bootstrapConfig, now } = observed;
  const before = machine.status;
  const infra = found(infraMachine);
  const nodeInfo = node ? nodeInfoOf(node) : before?.nodeInfo;
  const withNode: Machine = {
    ...machine,
    status: {
      ...before,
      ...(nodeName !== undefined && { nodeRef: { name: nodeName } }),
      ...(nodeInfo && { nodeInfo }),
    },
  };
  const isCurrent = upToDate(machine, observed.machineSet, observed.machineDeployment, nodeInfo?.kubeletVersion, now);
  const facts = {
    machine,
    cluster: found(observed.cluster),
    snapshot: observed.snapshot,
    node,
    nodeName,
    providerID: progress.providerID,
    infraMachine: infra,
    now,
  };
  const interruption = interruptionCondition(observed);
  const fallback = fallbackCondition(observed);
  const drafts = withConditions(
    before?.conditions,
    bootstrapReady(machine, bootstrapConfig, progress.isBootstrapped),
    withoutHost(observed) ?? infrastructureReady(machine, infraMachine, progress.isProvisioned),
    ...nodeConditions(facts),
    { type: 'Updating', status: 'False', reason: 'NotUpdating', message: '' },
    deletion
      ? { type: 'Deleting', status: 'True', reason: deletion.reason, message: deletion.message }
      : { type: 'Deleting', status: 'False', reason: 'NotDeleting', message: '' },
    ...(isCurrent ? [isCurrent] : []),
    ...(interruption ? [interruption] : []),
    ...(fallback ? [fallback] : []),
    ...controlPlaneConditions(observed, withNode, judge),
  );
  const isReady = ready(machine, drafts, now);
  const { condition: isAvailable, wait } = available(machine, isReady, now);
  const left = graceLeft(observed.snapshot, now);
  const stale = untilStale(machine, now);
  const phase = phaseOf(observed, progress, nodeName);
  const expiry = certificatesExpiryOf(observed);
  const isKnown = progress.isProvisioned || isDeleting(machine);
  const addresses = (infra && isKnown ? addressesOf(infra) : undefined) ?? before?.addresses;
  const failureDomain = (infra && progress.isProvisioned ? failureDomainOf(infra) : undefined) ?? before?.failureDomain;
  return {
    wait: [
      ...(wait === undefined ? [] : [wait]),
      ...(left !== undefined && left > 0 ? [Math.ceil(left / 1000)] : []),
      ...(stale ? [stale] : []),
      ...untilOutOfDate(observed, judge),
    ],
    status: {
      ...(nodeName !== undefined && { nodeRef: { name: nodeName } }),
      ...(nodeInfo && { nodeInfo }),
      ...(addresses && { addresses }),
      ...(failureDomain && { failureDomain }),
      ...(expiry && { certificatesExpiryDate: expiry }),
      ...(deletion?.times && { deletion: deletion.times }),
      ...((progress.isBootstrapped || progress.isProvisioned) && {
        initialization: {
          ...(progress.isBootstrapped && { bootstrapDataSecretCreated: true }),
          ...(progress.isProvisioned && { infrastructureProvisioned: true }),
        },
      }),
      phase,
      lastUpdated: (before?.phase === phase ? before?.lastUpdated : undefined) ?? timestamp(now),
      conditions: withConditions(drafts, isReady, isAvailable),
      deprecated: {
        v1beta1: {
          ...failureOf(observed, progress),
          conditions: legacyConditions({
            machine,
            conditions: drafts,
            bootstrapConfig,
            infraMachine,
            isBootstrapped: progress.isBootstrapped,
            isProvisioned: progress.isProvisioned,
            deletion: deletion?.legacy ?? [],
          }),
        },
      },
    },
  };
};

/** The failure fields, in both contract versions. */
type Failed = { failureReason?: string; failureMessage?: string };
/**
 * v1beta1 clients read here that a Machine has lost its host for good, or has a terminal error. The
 * fields are never cleared.
 */
const failureOf = ({ machine, infraMachine }: Observed, progress: Progress): Failed => {
  const infra = found(infraMachine);
  const { kind = '', name = '' } = machine.spec?.infrastructureRef ?? {};
  if (infraMachine.state === 'absent' && progress.isProvisioned && !isDeleting(machine)) {
    const object = `${kind} ${machine.metadata.namespace}/${name}`;
    return {
      failureReason: 'InvalidConfiguration',
      failureMessage: `Machine infrastructure resource ${object} has been deleted after provisioning was completed`,
    };
  }
  const before = machine.status?.deprecated?.v1beta1;
  const { failureReason = before?.failureReason, failureMessage: why } = (infra?.status ?? {}) as Failed;
  const failureMessage = why
    ? `Failure detected from referenced resource ${infra?.apiVersion}, Kind=${kind} with name "${name}": ${why}`
    : before?.failureMessage;
  return { ...(failureReason && { failureReason }), ...(failureMessage && { failureMessage }) };
};

const missingInterval = ({ machine, infraMachine, bootstrapConfig }: Observed): number | undefined => {
  if (infraMachine.state === 'absent') return infraMachine.because ? undefined : missingReferenceInterval;
  if (bootstrapConfig?.state !== 'absent' || bootstrapConfig.because) return undefined;
  return machine.status?.nodeRef ? servedReferenceInterval : missingReferenceInterval;
};

const nodeEvents = (machine: Machine, nodeName: string | undefined): EventDraft[] =>
  nodeName !== undefined && !machine.status?.nodeRef
    ? [{ type: 'Normal', reason: 'SuccessfulSetNodeRef', message: nodeName, isOfStatus: true }]
    : [];

/** False while any of the objects was not read at all. */
const isRead = ({ cluster, infraMachine, bootstrapConfig }: Observed): boolean =>
  [cluster, infraMachine, bootstrapConfig].every((read: { state: string } | undefined) => read?.state !== 'unread');

const smallest = (seconds: (number | undefined)[]): { requeueAfter?: number } => {
  const waits = seconds.filter((one) => one !== undefined);
  return waits.length > 0 ? { requeueAfter: Math.min(...waits) } : {};
};

export const reconcile = (
  observed: Observed,
  context: Context,
  controlPlanes: readonly ControlPlaneProvider[],
): Plan<MachineStatus> => {
  if (!observed.machine.spec || !isRead(observed)) return {};
  const { machine, infraMachine, bootstrapConfig } = observed;
  const progress = progressOf(observed);
  const node = nodeOf(observed, progress.providerID);
  const nodeName = isDeleting(machine) ? nodeNameOf(observed) : (machine.status?.nodeRef?.name ?? node?.name);
  const deletion = isDeleting(machine) ? reconcileDeletion(observed, context) : undefined;
  const { status, wait } = statusOf(observed, {
    progress,
    node,
    nodeName,
    deletion,
    judge: judgeOf(observed, controlPlanes),
  });
  const leaving = evacuation(observed);
  return {
    intent: intentOf(observed, progress),
    actions: deletion
      ? deletion.actions
      : [...ownParts(machine, [bootstrapConfig, infraMachine]), ...patchNode(observed), ...leaving.actions],
    events: [...nodeEvents(machine, nodeName), ...leaving.events, ...(deletion?.events ?? [])],
    ...(leaving.again && { again: true }),
    status,
    ...smallest([...wait, deletion?.requeueAfter, deletion ? undefined : missingInterval(observed)]),
    ...(deletion?.finished && { finished: true }),
  };
};
