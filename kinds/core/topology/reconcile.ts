/** Turns the changes of a topology into actions. Pure. */
import { groupOf } from '../../../machinery/api/kind.ts';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, EventDraft, MergePatch, Plan } from '../../../machinery/api/reconcile.ts';
import { deletionOf } from '../../common/owners.ts';
import { callApi } from '../../ports/index.ts';
import type { Cluster } from '../cluster/schema.ts';
import { answersOf, hookAnnotations } from '../contract/lifecycle-hooks.ts';
import { labelsOfCluster, topologyController, topologyManager } from '../contract/topology.ts';
import type { Change } from './changes.ts';
import type { Gate } from './gate.ts';
import { blockedText, hookCalls, hookRecords } from './lifecycle.ts';
import type { Observed } from './observe.ts';
import { type Progress, topologyAnnotation, upgradeProgress } from './progress.ts';

/** Seconds until what was missing is read again: no event announces a template. */
const retryInterval = 60;

const actionOf = ({ effect, object, group }: Change): Action =>
  effect === 'delete'
    ? { ...deletionOf(object), group }
    : { ...callApi('Apply', { object, manager: topologyManager, writer: topologyController }), group };

const verbs = { create: 'Created', rotate: 'Created', update: 'Updated', delete: 'Deleted' } as const;
const reasons = {
  create: 'TopologyCreate',
  rotate: 'TopologyCreate',
  update: 'TopologyUpdate',
  delete: 'TopologyDelete',
} as const;
const eventOf = ({ effect, object, before }: Change): EventDraft => {
  const replaced = effect === 'rotate' ? ` as a replacement for ${before?.metadata.name}` : '';
  const text = `${verbs[effect]} ${object.kind} ${object.metadata.name}${replaced}`;
  return { type: 'Normal', reason: reasons[effect], message: text };
};

const referenceTo = ({ apiVersion, kind, metadata }: KubeObject): JsonObject => ({
  apiGroup: groupOf(apiVersion),
  kind,
  name: metadata.name,
});

/** Undefined where the Cluster reports it already. */
const reporting = ({ metadata }: Cluster, progress: Progress): MergePatch | undefined => {
  const text = JSON.stringify(progress);
  return metadata.annotations?.[topologyAnnotation] === text
    ? undefined
    : { metadata: { annotations: { [topologyAnnotation]: text } } };
};

const withReferences = (cluster: Cluster, observed: Extract<Observed, { is: 'planned' }>): MergePatch => {
  const { infrastructure, controlPlane } = observed.desired;
  const { infrastructureRef, controlPlaneRef } = cluster.spec ?? {};
  const spec = {
    ...(!infrastructureRef && { infrastructureRef: referenceTo(infrastructure) }),
    ...(!controlPlaneRef && { controlPlaneRef: referenceTo(controlPlane) }),
  };
  const wanted = labelsOfCluster(cluster);
  const isLabelled = Object.entries(wanted).every(([key, value]) => cluster.metadata.labels?.[key] === value);
  return {
    ...(Object.keys(spec).length > 0 && { spec }),
    ...(!isLabelled && { metadata: { labels: wanted } }),
  };
};

const failureText = ({ lastFailure }: Context): string[] => (lastFailure ? [lastFailure.message] : []);

/** Both plans, of which the earlier time counts. */
const withCalls = (plan: Plan, cluster: Cluster, gate: Gate | undefined, now: number): Plan => {
  if (!gate) return plan;
  const calls = hookCalls(cluster, gate, now);
  const times = [plan.requeueAfter, calls.requeueAfter].filter((one) => one !== undefined);
  const { requeueAfter: _, ...rest } = { ...plan, ...calls };
  return {
    ...rest,
    actions: [...(plan.actions ?? []), ...(calls.actions ?? [])],
    ...(times.length > 0 && { requeueAfter: Math.min(...times) }),
  };
};

/** Once the hook has passed, the Cluster controller goes on. */
const reconcileDeletion = (cluster: Cluster, gate: Gate, context: Context): Plan => {
  const isHeld = gate.asking.length > 0 || gate.blocked.length > 0;
  if (!isHeld) return { intent: { metadata: { annotations: { [hookAnnotations.okToDelete]: '' } } } };
  const [failed] = failureText(context);
  const answers = answersOf(cluster);
  if (failed === undefined || failed === answers.failed) return {};
  const text = JSON.stringify({ ...answers, failed });
  return { intent: { metadata: { annotations: { [hookAnnotations.answers]: text } } } };
};

const reconcileBlocked = (observed: Extract<Observed, { is: 'blocked' }>, context: Context): Plan => {
  const { cluster, progress, gate } = observed;
  const [failure] = gate ? failureText(context) : [];
  // Another pass follows the call, and its report would wait as a changed message does.
  if (gate && gate.blocked.length === 0 && failure === undefined) return {};
  const intent = reporting(cluster, failure === undefined ? progress : { reason: 'ReconcileFailed', message: failure });
  return { ...(intent && { intent }), ...(!gate && { requeueAfter: retryInterval }) };
};

const reconcilePlanned = (observed: Extract<Observed, { is: 'planned' }>, context: Context): Plan => {
  const { cluster, facts, changes, unused, gate } = observed;
  const faults = [...changes.refused, ...failureText(context)];
  const progress: Progress =
    faults.length > 0
      ? { reason: 'ReconcileFailed', message: faults.join('; ') }
      : upgradeProgress(facts.topology, facts.state, facts.decisions, blockedText(gate, 'upgrade'));
  const references = changes.refused.length > 0 ? {} : withReferences(cluster, observed);
  const report = reporting(cluster, progress);
  const records = hookRecords(cluster, gate, progress.reason === 'ReconcileSucceeded');
  const intent: MergePatch = {
    ...references,
    metadata: {
      ...references.metadata,
      ...((report || records) && { annotations: { ...report?.metadata?.annotations, ...records } }),
    },
  };
  const all = [...changes.all, ...unused];
  return {
    intent,
    actions: all.map(actionOf),
    events: all.map(eventOf),
    ...(faults.length > 0 && { requeueAfter: retryInterval }),
  };
};

export const reconcile = (observed: Observed, context: Context): Plan => {
  const { cluster } = observed;
  switch (observed.is) {
    case 'idle':
      return {};
    case 'blocked':
      return withCalls(reconcileBlocked(observed, context), cluster, observed.gate, context.now);
    case 'deleting':
      return withCalls(reconcileDeletion(cluster, observed.gate, context), cluster, observed.gate, context.now);
    default:
      return withCalls(reconcilePlanned(observed, context), cluster, observed.gate, context.now);
  }
};
