import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { type KubernetesVersion, parseVersion } from '../../common/kubernetes-version.ts';
import {
  howToOverride,
  overriddenFor,
  overriddenMessage,
  refusalOf,
  withOverrides,
} from '../../core/contract/override.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { MachineDeployment } from '../../core/machine-deployment/index.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { elapsedSince } from '../shared/clock.ts';
import { done, type Judgement, pending, skipped, toBeMended } from '../shared/cluster-state.ts';
import { wantedVersionOf } from '../shared/rollouts.ts';
import type { OperationScope } from '../shared/scope.ts';
import { findingsOf } from '../upgrade-check/checks/categories.ts';
import type { Finding, UpgradeFacts } from '../upgrade-check/checks/facts.ts';
import { objectChecks } from '../upgrade-check/checks/object-checks.ts';
import { runningVersion } from '../upgrade-check/checks/versions.ts';
import { checkedFindings } from './checked.ts';
import { upgrading } from './objects.ts';

/** Seconds for which findings that pass by themselves only count as pending. */
const settling = 300;
const passing = [
  'ControlPlaneUnhealthy',
  'ControlPlaneChanging',
  // A user may set the version of the control plane a moment later.
  'WorkersAhead',
  'ClusterUnreachable',
  'WebhookUnavailable',
  'EtcdMemberWithoutVote',
  'EtcdMemberUnknown',
  'EtcdMemberMissing',
];
const factsOf = (scope: OperationScope, target: KubernetesVersion): UpgradeFacts => {
  const { cluster, clusterState, now } = scope;
  const controlPlane = clusterState.controlPlane && found(clusterState.controlPlane);
  const machines = clusterState.machines as Machine[];
  return {
    target,
    current: runningVersion(controlPlane, machines),
    isRequested: true,
    cluster,
    controlPlane,
    machineDeployments: clusterState.machineDeployments as MachineDeployment[],
    machines,
    kubeadmTemplates: clusterState.kubeadmTemplates,
    objects: upgrading(scope).map(({ object: { kind, metadata } }) => ({ kind, name: metadata.name })),
    now,
  };
};

/** Findings in a message. */
const most = 8;

const listOf = (findings: readonly Finding[]): string => {
  const texts = findings
    .slice(0, most)
    .map(({ code, object, message, remedy }) => `${code}: ${object}: ${message}. ${remedy}`);
  const omitted = findings.length - texts.length;
  return [...texts, ...(omitted > 0 ? [`and ${omitted} more`] : [])].join('; ');
};

/** Milliseconds for which what is absent only counts as pending: a user may apply it a moment later. */
const shownWithin = 30_000;

/** Images, instance types and quotas of the new Machines. */
const judgeInfrastructure = (
  { cluster, preflight, now }: OperationScope,
  began: number,
  codes: readonly string[],
): Judgement => {
  if (!preflight) return done;
  const { preflight: left, overridden } = withOverrides(preflight, codes);
  const { verdict, message } = left;
  if (verdict === 'passed') return overridden.length > 0 ? skipped(overriddenMessage(overridden)) : done;
  const isYoung = now - began < shownWithin;
  return verdict === 'refused' || (verdict === 'absent' && !isYoung)
    ? { verdict: 'refused', message: refusalOf(cluster, left) }
    : pending(message, verdict === 'absent' ? toBeMended : undefined);
};

const shownAs = ({ code, object, message }: Finding): string => `${code}: ${object}: ${message}`;

const notChecked = ({ cluster }: OperationScope): Finding => ({
  code: 'ClusterNotChecked',
  level: 'Refuse',
  object: `Cluster ${cluster.metadata.name}`,
  message: 'The checks inside the cluster have not ended',
  remedy: 'Look at its UpgradeCheck, and at the workers of Capstan',
});

/** Of the objects, and of what only the cluster itself can tell, if that was checked. */
export const findingsOfPreflight = (
  scope: OperationScope,
  target: KubernetesVersion,
  inCluster: readonly Finding[] = [],
): Finding[] => [...findingsOf(factsOf(scope, target), objectChecks), ...inCluster];

/** `began` in milliseconds. */
export const judgePreflight = (scope: OperationScope, { clock }: OperationStatus, began: number): Judgement => {
  const controlPlane = scope.clusterState.rollouts.find(({ isControlPlane }) => isControlPlane);
  const target = parseVersion((controlPlane && wantedVersionOf(controlPlane)) ?? '');
  if (!target) return skipped('The version of the control plane is not known');
  const inCluster = checkedFindings(scope, 'Preflight', began);
  const isOverdue = elapsedSince(timestamp(began), clock, scope.now) >= settling;
  const findings = findingsOfPreflight(scope, target, inCluster ?? (isOverdue ? [notChecked(scope)] : []));
  const codes = overriddenFor(scope.cluster, scope.operation.metadata.name);
  const isOverridden = ({ level, code }: Finding) => level === 'Refuse' && codes.includes(code);
  const refused = findings.filter((one) => one.level === 'Refuse' && !isOverridden(one));
  const isPassing = refused.every(({ code }) => passing.includes(code));
  if (refused.length > 0 && isPassing && !isOverdue) return pending(listOf(refused));
  if (refused.length > 0) {
    const how = howToOverride(
      scope.cluster,
      refused.map(({ code }) => code),
    );
    return { verdict: 'refused', message: [listOf(refused), ...(how ? [how] : [])].join('. ') };
  }
  const infrastructure = judgeInfrastructure(scope, began, codes);
  if (infrastructure.verdict !== 'done') return infrastructure;
  if (!inCluster) return pending('waiting for the checks inside the cluster');
  const overridden = findings.filter(isOverridden).map(shownAs);
  const messages = [
    ...(overridden.length > 0 ? [overriddenMessage(overridden)] : []),
    ...(infrastructure.message ? [infrastructure.message] : []),
    ...(findings.length > overridden.length ? [listOf(findings.filter((one) => !isOverridden(one)))] : []),
  ];
  return messages.length > 0 ? skipped(messages.join('; ')) : done;
};
