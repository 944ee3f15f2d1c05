/** One pass of a Machine's deletion: what to do now, and what it waits for. Pure. */
import { conditionOf, type LegacyDraft, legacyFalse, legacyTrue } from '../../../machinery/api/conditions.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, type Context, type EventDraft, found, type Read } from '../../../machinery/api/reconcile.ts';
import { deletionOf } from '../../common/owners.ts';
import { callWorkload } from '../../ports/index.ts';
import { holdOf } from '../contract/hold.ts';
import { etcdCleanupHook } from '../contract/hooks.ts';
import { isDeleting } from '../contract/machines.ts';
import { preserveAnnotation } from '../shared/preservation.ts';
import {
  afterNode,
  isDrainDue,
  isNodeDeletionOver,
  isVolumeWaitDue,
  nodeNameOf,
  type Step,
  startedAt,
  stepOf,
} from './deletion.ts';
import { claimsOf, type Drain, drainMessage, isDrained } from './drain.ts';
import { ownParts } from './external.ts';
import { hostTimeLeft } from './interruption.ts';
import { isUnreachable, nodesOf } from './node.ts';
import { viewOf } from './node-patch.ts';
import type { Observed } from './observe.ts';
import type { Machine, MachineStatus } from './schema.ts';
import { attachedVolumes, isDetached, volumesMessage } from './volumes.ts';

/** Seconds. */
const retryInterval = 20;
/** A host that ends within minutes leaves no time to lose. */
const urgentInterval = 5;
const untilRetry = (observed: Observed): number => {
  const left = hostTimeLeft(observed);
  return left === undefined ? retryInterval : Math.max(1, Math.min(urgentInterval, Math.ceil(left / 1000)));
};

export interface Deletion {
  /** Reason of the Deleting condition. */
  reason: string;
  message: string;
  times: MachineStatus['deletion'];
  actions: Action[];
  events: EventDraft[];
  legacy: LegacyDraft[];
  requeueAfter?: number;
  finished?: boolean;
}

const base = ({ machine }: Observed, reason: string, message: string): Deletion => ({
  reason,
  message,
  times: machine.status?.deletion,
  actions: [],
  events: [],
  legacy: [],
});
/** The control plane gives its reason as the value of its hook. */
const heldBy = ({ metadata }: Machine, hooks: string[]): string => {
  const reason = hooks.includes(etcdCleanupHook) ? metadata.annotations?.[etcdCleanupHook] : undefined;
  return reason ? `: ${reason}` : '';
};

const waitForHooks = (
  observed: Observed,
  hooks: string[],
  step: {
    when: 'pre-drain' | 'pre-terminate';
    time: keyof NonNullable<MachineStatus['deletion']>;
    reason: string;
    legacy: string;
  },
): Deletion => ({
  ...base(
    observed,
    step.reason,
    `Waiting for ${step.when} hooks to succeed (hooks: ${hooks.join(',')})${heldBy(observed.machine, hooks)}`,
  ),
  times: startedAt(observed.machine, step.time, observed.now).note,
  legacy: [legacyFalse(step.legacy, 'WaitingExternalHook', 'Info')],
});

/**
 * Only an owner receives the part's deletion event. A Machine deleted right after its creation does
 * not own its parts yet, so it takes ownership first.
 */
const deletePart = (observed: Observed, part: Read<KubeObject> | undefined, kind: string, reason: string): Deletion => {
  const object = part && found(part);
  const hold = object && holdOf(object);
  return {
    ...base(observed, reason, `Waiting for ${kind} to be deleted${hold ? `: it ${hold}` : ''}`),
    actions: [...ownParts(observed.machine, [part]), ...(object && !isDeleting(object) ? [deletionOf(object)] : [])],
  };
};

export const reconcileDeletion = (observed: Observed, context: Context): Deletion => {
  const step = stepOf(observed);
  if (!step) return base(observed, 'Deleting', 'Deletion started');
  return takeStep(step, observed, context);
};

const takeStep = (step: Step, observed: Observed, context: Context): Deletion => {
  const { machine } = observed;
  switch (step.at) {
    case 'pre-drain':
      return waitForHooks(observed, step.hooks, {
        when: 'pre-drain',
        time: 'waitForPreDrainHookStartTime',
        reason: 'WaitingForPreDrainHook',
        legacy: 'PreDrainDeleteHookSucceeded',
      });
    case 'node':
      return emptyNode(step.node, observed, context);
    case 'pre-terminate':
      return waitForHooks(observed, step.hooks, {
        when: 'pre-terminate',
        time: 'waitForPreTerminateHookStartTime',
        reason: 'WaitingForPreTerminateHook',
        legacy: 'PreTerminateDeleteHookSucceeded',
      });
    case 'preserved':
      return preserve(step.until, observed);
    case 'infrastructure': {
      const { kind = '' } = machine.spec?.infrastructureRef ?? {};
      return deletePart(observed, observed.infraMachine, kind, 'WaitingForInfrastructureDeletion');
    }
    case 'bootstrap': {
      const { kind = '' } = machine.spec?.bootstrap.configRef ?? {};
      return deletePart(observed, observed.bootstrapConfig, kind, 'WaitingForBootstrapDeletion');
    }
    case 'end':
      return deleteNode(observed, context, step.node);
    default:
      throw new Error(`unknown step ${step satisfies never}`);
  }
};

/** Load balancers of Services do not send traffic to a Node with this label. */
const excludedFromLoadBalancers = 'node.kubernetes.io/exclude-from-external-load-balancers';
const outOfService = ({ snapshot, machine, access }: Observed): Action[] =>
  nodesOf(snapshot, machine.spec?.providerID)
    .filter(({ labels }) => access && labels[excludedFromLoadBalancers] === undefined)
    .map(({ name }) =>
      callWorkload('patch', {
        kubeconfig: access?.kubeconfig ?? '',
        apiVersion: 'v1',
        kind: 'Node',
        name,
        patch: { metadata: { labels: { [excludedFromLoadBalancers]: '' } } },
        ifPresent: true,
      }),
    )
    .map((action) => ({ ...action, group: 'node' }));

/** Seconds; the longest timer that a controller sets. */
const day = 24 * 60 * 60;
const preserved = 'Preserved';

const preserve = (until: number, observed: Observed): Deletion => {
  const { machine, now } = observed;
  const message = `Kept out of service until ${timestamp(until)}, as annotation ${preserveAnnotation} says; remove the annotation to delete it now`;
  const isKnown = conditionOf(machine.status?.conditions, 'Deleting')?.reason === preserved;
  return {
    ...base(observed, preserved, message),
    actions: outOfService(observed),
    events: isKnown ? [] : [{ type: 'Normal', reason: 'MachinePreserved', message }],
    requeueAfter: Math.min(day, Math.max(1, Math.ceil((until - now) / 1000))),
  };
};

const emptyNode = (name: string, observed: Observed, context: Context): Deletion => {
  const { node } = observed.emptying ?? { node: { state: 'unread' } as const };
  const next = () => takeStep(afterNode(observed, name), observed, context);
  if (node.state === 'absent') return next();
  if (isDrainDue(observed)) {
    const drain = drainNode(name, observed, context);
    if (drain) return drain;
  }
  const drained = isDrainDue(observed)
    ? [{ type: 'Normal' as const, reason: 'SuccessfulDrainNode', message: `success draining Machine's node "${name}"` }]
    : [];
  const volumes = isVolumeWaitDue(observed) ? waitForVolumes(name, observed) : undefined;
  const after = volumes ?? next();
  return {
    ...after,
    events: [...drained, ...after.events],
    legacy: [...(drained.length > 0 ? [legacyTrue('DrainingSucceeded')] : []), ...after.legacy],
  };
};

/** Undefined once the drain is complete. */
const drainNode = (name: string, observed: Observed, { lastFailure }: Context): Deletion | undefined => {
  const { machine, access, emptying, now } = observed;
  const { time, note } = startedAt(machine, 'nodeDrainStartTime', now);
  const node = emptying && found(emptying.node);
  const drain = emptying && found(emptying.drain);
  const waiting = { ...base(observed, 'DrainingNode', ''), times: note, requeueAfter: untilRetry(observed) };
  if (!node || !drain || !access) {
    const why = [emptying?.node, emptying?.drain].find((read) => read?.state === 'unreadable');
    const message = `error draining Machine's node "${name}": ${why?.state === 'unreadable' ? why.reason : ''}`;
    return {
      ...waiting,
      message: why
        ? 'Error draining Node, please check controller logs for errors'
        : `Drain not completed yet (started at ${time})`,
      events: why ? [{ type: 'Warning', reason: 'FailedDrainNode', message }] : [],
    };
  }
  const cordon = cordonOf(node, access);
  if (isDrained(drain)) return cordon.length > 0 ? cordonFirst(cordon, waiting, time) : undefined;
  const message = drainMessage(drain, time, lastFailure);
  return {
    ...waiting,
    message,
    actions: [...cordon, ...evictions(drain, access, isUnreachable(viewOf(node)))],
    legacy: [legacyFalse('DrainingSucceeded', 'Draining', 'Info', message)],
  };
};

const isCordoned = (node: KubeObject): boolean =>
  (node.spec as { unschedulable?: boolean } | undefined)?.unschedulable === true;
const cordonOf = (node: KubeObject, access: { kubeconfig: string }): Action[] =>
  isCordoned(node)
    ? []
    : [
        callWorkload('patch', {
          ...access,
          apiVersion: 'v1',
          kind: 'Node',
          name: node.metadata.name,
          patch: { spec: { unschedulable: true } },
          ifPresent: true,
        }),
      ];
// An empty Node is cordoned before it counts as drained: a pod could still be scheduled.
const cordonFirst = (cordon: Action[], waiting: Deletion, started: string): Deletion => ({
  ...waiting,
  message: `Drain not completed yet (started at ${started})`,
  actions: cordon,
  requeueAfter: 1,
});

const evictions = ({ toEvict }: Drain, access: { kubeconfig: string }, unreachable: boolean): Action[] =>
  toEvict.map(({ metadata }) => ({
    ...callWorkload('evict', {
      ...access,
      namespace: metadata.namespace ?? '',
      pod: metadata.name,
      ...(unreachable && { gracePeriodSeconds: 1 }),
    }),
    group: `evict ${metadata.namespace}/${metadata.name}`,
  }));

/** Undefined once no volume is attached. */
const waitForVolumes = (name: string, observed: Observed): Deletion | undefined => {
  const { machine, emptying, now } = observed;
  const node = emptying && found(emptying.node);
  if (!node)
    return waitingForVolumes(
      observed,
      'Error waiting for volumes to be detached from Node, please check controller logs for errors',
    );
  if (isUnreachable(viewOf(node))) return undefined;
  const [attachments, persistentVolumes] = [found(emptying.attachments), found(emptying.persistentVolumes)];
  const drain = found(emptying.drain);
  const { time } = startedAt(machine, 'waitForNodeVolumeDetachStartTime', now);
  if (!attachments || !persistentVolumes)
    return waitingForVolumes(observed, `Waiting for Node volumes to be detached (started at ${time})`);
  const status = node.status as { volumesAttached?: { name: string }[] } | undefined;
  const attached = attachedVolumes({
    node: name,
    attachedNames: (status?.volumesAttached ?? []).map((volume) => volume.name),
    attachments,
    persistentVolumes,
    ignoredClaims: claimsOf(drain?.skipped ?? []),
  });
  return isDetached(attached) ? undefined : waitingForVolumes(observed, volumesMessage(attached, time));
};
const waitingForVolumes = (observed: Observed, message: string): Deletion => ({
  ...base(observed, 'WaitingForVolumeDetach', message),
  times: startedAt(observed.machine, 'waitForNodeVolumeDetachStartTime', observed.now).note,
  legacy: [
    legacyFalse('VolumeDetachSucceeded', 'WaitingForVolumeDetach', 'Info', 'Waiting for node volumes to be detached'),
  ],
  requeueAfter: untilRetry(observed),
});

/**
 * Consecutive failures after which an expired Node deletion gives up: a single one may be
 * transient.
 */
const enough = 2;

/** The Node joined while the Machine's own host still ran: no other host had its name then. */
const joinedBefore = ({ metadata: { deletionTimestamp = '' } }: Machine, { metadata }: KubeObject): boolean =>
  Date.parse(metadata.creationTimestamp ?? '') < Date.parse(deletionTimestamp);

const deleteNode = (observed: Observed, context: Context, name: string | undefined): Deletion => {
  const { lastFailure, attempts } = context;
  const done: Deletion = { ...base(observed, 'DeletionCompleted', 'Deletion completed'), finished: true };
  const { node, machine, access } = observed;
  if (name === undefined || !node || node.state === 'absent') return done;
  // If the Node is only assumed to exist, the deletion must not wait for it forever.
  const isSure = nodeNameOf(observed) !== undefined;
  const isEndless = machine.spec?.deletion?.nodeDeletionTimeoutSeconds === 0;
  if (!isSure && node.state !== 'found' && (isEndless || !access)) return done;
  const failed = (why: string): EventDraft[] => [
    { type: 'Warning', reason: 'FailedDeleteNode', message: `error deleting Machine's Node: ${why}` },
  ];
  const waiting = base(observed, 'DeletingNode', 'Deleting Node');
  if (node.state !== 'found' || !access) {
    const why = node.state === 'unreadable' ? node.reason : 'the Node could not be read';
    const hasTried = conditionOf(machine.status?.conditions, 'Deleting')?.reason === waiting.reason;
    if (hasTried && isNodeDeletionOver(observed)) return { ...done, events: failed(why) };
    return {
      ...waiting,
      message: 'Error deleting Node, please check controller logs for errors',
      events: node.state === 'unreadable' ? failed(why) : [],
      requeueAfter: retryInterval,
    };
  }
  // A later Machine may have reused the name: only the Node of this Machine's host may be deleted.
  const { providerID } = (node.value.spec ?? {}) as { providerID?: string };
  const isOther = machine.spec?.providerID !== undefined && providerID !== machine.spec.providerID;
  if (isOther && (providerID || !(isSure || joinedBefore(machine, node.value)))) return done;
  const wasRefused = lastFailure?.port === 'workload' && lastFailure.operation === 'delete';
  if (wasRefused && attempts >= enough && isNodeDeletionOver(observed))
    return { ...done, events: failed(lastFailure.message) };
  return {
    ...waiting,
    actions: [callWorkload('delete', { ...access, apiVersion: 'v1', kind: 'Node', name })],
    requeueAfter: 2,
  };
};
