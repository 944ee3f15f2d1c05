/** Plans the check of a cluster. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { type Action, type Context, type EventDraft, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { type KubernetesVersion, parseVersion } from '../../common/kubernetes-version.ts';
import { labels } from '../../common/labels.ts';
import { deletionOf, hasReference, ownerReference, ownersOf, ownPatch, patchAsObserved } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { Machine } from '../../core/machine/index.ts';
import { isPaused } from '../shared/scope.ts';
import { checkAddOnRollout, kubeProxyPodsLeft } from './checks/add-on-rollout.ts';
import { type CategorizedFinding, findingsOf } from './checks/categories.ts';
import { allChecks } from './checks/checks.ts';
import { isUnreadable, nameOf, type UpgradeFacts } from './checks/facts.ts';
import { checkReachable } from './checks/health.ts';
import { isReplaced } from './checks/replaced.ts';
import { checkUnserved } from './checks/unserved.ts';
import { runningVersion, textOf, versionOf } from './checks/versions.ts';
import { summaryOf } from './findings.ts';
import type { Need } from './need.ts';
import { dueAt } from './need.ts';
import type { Objects, Observed } from './observe.ts';
import type { UpgradeCheck, UpgradeCheckStatus } from './schema.ts';

/** Seconds; the longest timer that a controller sets. */
const longestTimer = 24 * 3600;

/** The version that an upgrade is about: of the operation's control plane, the requested, else the next minor. */
const targetOf = (need: Need, { controlPlane, machines }: Objects): KubernetesVersion | undefined => {
  if (need.for === 'request') return need.target;
  if (need.for === 'operation') return controlPlane && versionOf(controlPlane.spec);
  const current = runningVersion(controlPlane, machines);
  return current && { ...current, minor: current.minor + 1, patch: 0, prerelease: '' };
};

/** What the control plane ran before the operation. */
const runsBefore = (need: Need, { controlPlane, machines }: Objects): KubernetesVersion | undefined => {
  const upgraded = need.for === 'operation' ? need.operation.spec?.objects : undefined;
  const from = upgraded?.find(({ kind }) => kind === controlPlane?.kind)?.from;
  return (from && parseVersion(from)) || runningVersion(controlPlane, machines);
};

type Replaced = Pick<UpgradeFacts, 'objects'>;

const replacedBy = (need: Need): Replaced =>
  need.for === 'operation' ? { objects: need.operation.spec?.objects ?? [] } : {};

/** Nodes of workers that the operation has still to replace. */
const nodesReplacedBy = (replaced: Replaced, machines: readonly Machine[]): ReadonlySet<string> => {
  const outdated = machines.filter(
    (machine) =>
      machine.metadata.labels?.[labels.controlPlane] === undefined &&
      isReplaced(replaced, machine) &&
      conditionOf(machine.status?.conditions, 'UpToDate')?.status === 'False',
  );
  return new Set(outdated.flatMap(({ status }) => status?.nodeRef?.name ?? []));
};

type Check = { findings: CategorizedFinding[]; podsLeft?: number };

const checkOf = (observed: Observed, need: Need, target: KubernetesVersion, now: number): Check | undefined => {
  const { cluster, objects, workload, addOns, infrastructure } = observed;
  if (!objects) return undefined;
  const facts: UpgradeFacts = {
    target,
    current: runsBefore(need, objects),
    isRequested: need.for === 'operation',
    cluster,
    ...objects,
    ...(workload && { workload }),
    ...(infrastructure && { infrastructure }),
    now,
  };
  if (addOns && isUnreadable(addOns))
    return {
      findings: checkReachable({ ...facts, workload: addOns }).map((one) => ({ ...one, category: 'Workload' })),
    };
  if (addOns) {
    const rollout = { ...addOns, replaced: nodesReplacedBy(replacedBy(need), objects.machines) };
    const findings = checkAddOnRollout(rollout).map((one) => ({ ...one, category: 'AddOns' as const }));
    return { findings, podsLeft: kubeProxyPodsLeft(rollout).length };
  }
  if (observed.unserved) {
    const named = objects.controlPlane ? nameOf(objects.controlPlane) : nameOf(cluster);
    return { findings: checkUnserved(named, observed.unserved).map((one) => ({ ...one, category: 'Rollback' })) };
  }
  return { findings: findingsOf({ ...facts, ...replacedBy(need) }, allChecks) };
};

const statusOf = (
  before: UpgradeCheckStatus | undefined,
  need: Need,
  target: KubernetesVersion,
  { findings, podsLeft }: Check,
  now: number,
): UpgradeCheckStatus => {
  const summary = summaryOf(findings);
  const request = need.for === 'request' ? need.request : before?.request;
  const isSame = isDeepStrictEqual(summary.findings, before?.findings) && summary.omitted === before?.omitted;
  return {
    target: textOf(target),
    ...(request !== undefined && { request }),
    ...(need.for === 'operation' && { operation: need.operation.metadata.name, step: need.step }),
    ...summary,
    ...(podsLeft !== undefined && { podsLeft }),
    lastTransition: (isSame && before?.lastTransition) || timestamp(now),
    lastRefresh: timestamp(now),
  };
};

const save = ({ cluster, check }: Observed, status: UpgradeCheckStatus): Action => {
  const before = found(check);
  if (before) {
    const dropped = Object.keys(before.status ?? {}).filter((field) => !(field in status));
    return patchAsObserved(before, {
      status: { ...status, ...Object.fromEntries(dropped.map((field) => [field, null])) },
    });
  }
  const { namespace = '', name } = cluster.metadata;
  const object: UpgradeCheck = {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'UpgradeCheck',
    metadata: { namespace, name, ownerReferences: [ownerReference(cluster)] },
    spec: { clusterName: name },
    status,
  };
  return { do: 'create', object };
};

/** Of the daily check: an upgrade reports its own findings. */
const eventsOf = (need: Need, before: UpgradeCheckStatus | undefined, after: UpgradeCheckStatus): EventDraft[] => {
  const isNew = after.result !== before?.result && (after.result === 'Error' || after.result === 'Warning');
  if (need.for !== 'day' || !isNew) return [];
  const codes = [...new Set(after.findings?.map(({ code }) => code))].join(', ');
  const message = `An upgrade to ${after.target} would meet: ${codes}. See UpgradeCheck`;
  return [{ type: after.result === 'Error' ? 'Warning' : 'Normal', reason: 'UpgradeCheck', message }];
};

/** Of a deleted Cluster with the same name. */
const isOfFormer = (check: UpgradeCheck, { metadata }: Cluster): boolean =>
  ownersOf(check).some(({ kind, uid }) => kind === 'Cluster' && uid !== metadata.uid);

export const reconcile = (observed: Observed, { now, config }: Context): Plan => {
  const { cluster, check, need, due, objects } = observed;
  const before = found(check);
  if (before && isOfFormer(before, cluster)) return { actions: [deletionOf(before)], again: true };
  if (check.state === 'unreadable' || isDeleting(cluster) || isPaused(cluster)) return {};
  if (before && !hasReference(before, ownerReference(cluster)))
    return { actions: [ownPatch(before, ownerReference(cluster))], again: true };
  if (!need || due === undefined) return {};
  const speed = speedOf(config);
  const until = (time: number): Plan => ({
    requeueAfter: Math.min(longestTimer, Math.max(1, Math.ceil((time - now) / 1000))) / speed,
  });
  const target = objects && targetOf(need, objects);
  if (due > now) return until(due);
  const result = target && checkOf(observed, need, target, now);
  if (!target || !result) return {};
  const status = statusOf(before?.status, need, target, result, now);
  const next = dueAt(need.for === 'request' ? { for: 'day' } : need, cluster, { status }, now);
  return {
    actions: [save(observed, status)],
    events: eventsOf(need, before?.status, status),
    ...(next !== undefined && until(next)),
  };
};
