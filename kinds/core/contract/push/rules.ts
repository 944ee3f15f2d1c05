/**
 * The requests that a workload cluster's API server reports to Capstan through its audit webhook:
 * one table for the policy that the API server filters by and for the receiver of its events. An
 * event only wakes a controller, which reads the cluster itself. Pure.
 */
import type { JsonObject } from '../../../../machinery/api/object.ts';

/** Why a cluster reports; a rule without a reason holds for each. */
export type PushReason = 'health-check' | 'autoscaling';

/** The prober of the Cluster, or the autoscaler of the ScalingPlan of the same name. */
export type WokenController = 'workload-prober' | 'autoscaler';

export interface PushRule {
  rule: string;
  /** Reported only for this reason. */
  for?: PushReason;
  /** Any user if absent. */
  users?: readonly string[];
  /** Groups of which the user has one. */
  groups?: readonly string[];
  verbs: readonly string[];
  /** Resources of the core group, such as `nodes/status`. */
  resources?: readonly string[];
  /** Paths that name no resource. */
  paths?: readonly string[];
  /** The controller that reads what changed. */
  wakes?: WokenController;
  /** Seconds within which it does; several changes share a wake-up. At once if absent. */
  within?: number;
}

/** The fields of an event of audit.k8s.io/v1 that are read. */
export interface PushedEvent {
  stage?: string;
  verb?: string;
  requestURI?: string;
  user?: { username?: string; groups?: string[] };
  objectRef?: { apiGroup?: string; resource?: string; subresource?: string };
  responseStatus?: { code?: number };
}

// Kubelets write each condition first, but also a heartbeat every five minutes, which no policy can
// tell from a change. The node controller writes only changes: `Unknown` when a kubelet stops, and
// otherwise the taint of a condition at once.
const nodeController = ['system:serviceaccount:kube-system:node-controller', 'system:kube-controller-manager'];

/** Seconds: a node is unneeded for minutes before its removal. */
const podEndsWithin = 15;

export const pushRules: readonly PushRule[] = [
  {
    rule: 'the node controller writes a condition of a Node or the taint that follows from it',
    users: nodeController,
    verbs: ['update', 'patch'],
    resources: ['nodes', 'nodes/status'],
    wakes: 'workload-prober',
  },
  {
    rule: 'a Node is deleted',
    verbs: ['delete'],
    resources: ['nodes'],
    wakes: 'workload-prober',
  },
  {
    // The prober's own request proves that events arrive, so no API server needs a heartbeat.
    rule: 'the prober reads the version',
    users: ['kubernetes-admin'],
    verbs: ['get'],
    paths: ['/version'],
  },
  {
    rule: 'the scheduler marks a Pod as unschedulable',
    for: 'autoscaling',
    users: ['system:kube-scheduler'],
    verbs: ['patch'],
    resources: ['pods/status'],
    wakes: 'autoscaler',
  },
  // A node that becomes emptier may be removed, minutes later. Bindings are not reported: they are as
  // many, and a removal reads the cluster again.
  {
    rule: 'a kubelet deletes a Pod that ended',
    for: 'autoscaling',
    groups: ['system:nodes'],
    verbs: ['delete'],
    resources: ['pods'],
    wakes: 'autoscaler',
    within: podEndsWithin,
  },
  {
    // A Pod that ran to completion stays, and no policy can tell its last status from others. The Job
    // controller removes its finalizer.
    rule: 'the Job controller counts a Pod that ended',
    for: 'autoscaling',
    users: ['system:serviceaccount:kube-system:job-controller', 'system:kube-controller-manager'],
    verbs: ['patch'],
    resources: ['pods'],
    wakes: 'autoscaler',
    within: podEndsWithin,
  },
];

/** Of types of conditions, those whose changes the node controller writes on the Node. */
const reportedConditions = new Set(['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable']);
export const isReported = (conditionType: string): boolean => reportedConditions.has(conditionType);

/** The Policy of audit.k8s.io/v1: metadata only, so that no object leaves the cluster. */
export const auditPolicy = (reasons: readonly PushReason[]): JsonObject => ({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
  rules: [
    ...pushRules
      .filter((rule) => rule.for === undefined || reasons.includes(rule.for))
      .map(({ users, groups, verbs, resources, paths }) => ({
        level: 'Metadata',
        ...(users && { users: [...users] }),
        ...(groups && { userGroups: [...groups] }),
        verbs: [...verbs],
        ...(resources && { resources: [{ group: '', resources: [...resources] }] }),
        ...(paths && { nonResourceURLs: [...paths] }),
      })),
    { level: 'None' },
  ],
});

const pathOf = ({ requestURI = '' }: PushedEvent): string => requestURI.split('?', 1)[0]!;

const resourceOf = ({ objectRef }: PushedEvent): string | undefined => {
  if (!objectRef?.resource || objectRef.apiGroup) return undefined;
  return objectRef.subresource ? `${objectRef.resource}/${objectRef.subresource}` : objectRef.resource;
};

const isBy = ({ users, groups }: PushRule, { user }: PushedEvent): boolean =>
  (!users || users.includes(user?.username ?? '')) &&
  (!groups || (Array.isArray(user?.groups) && user.groups.some((group) => groups.includes(group))));

const isFor = ({ verbs, resources, paths }: PushRule, event: PushedEvent): boolean =>
  verbs.includes(event.verb ?? '') &&
  (resources?.includes(resourceOf(event) ?? '') ?? paths?.includes(pathOf(event)) ?? false);

const concerns = (rule: PushRule, event: PushedEvent): boolean => isBy(rule, event) && isFor(rule, event);

/** The rule of a request that succeeded; undefined for any other event. */
export const pushRuleOf = (event: PushedEvent): PushRule | undefined => {
  const code = event.responseStatus?.code ?? 0;
  if (event.stage !== 'ResponseComplete' || code < 200 || code > 299) return undefined;
  return pushRules.find((rule) => concerns(rule, event));
};
