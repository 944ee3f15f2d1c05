/** The first step: the checks of `capstan plan upgrade`, for what the spec asks for. Pure. */
import { isTrue } from '../../../machinery/api/conditions.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { type KubernetesVersion, parseVersion } from '../../common/kubernetes-version.ts';
import { isDeleting } from '../../core/contract/machines.ts';
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
import { conditionsOf } from '../shared/cause.ts';
import { elapsedSince } from '../shared/clock.ts';
import { done, type Judgement, pending, skipped } from '../shared/cluster-state.ts';
import { runningVersionOf, wantedVersionOf } from '../shared/rollouts.ts';
import type { OperationScope } from '../shared/scope.ts';
import { findingsOf } from '../upgrade-check/checks/categories.ts';
import { type Finding, nameOf, type UpgradeFacts } from '../upgrade-check/checks/facts.ts';
import { objectChecks } from '../upgrade-check/checks/object-checks.ts';
import { textOf } from '../upgrade-check/checks/versions.ts';
import { checkedFindings } from './checked.ts';
import { retry } from './messages.ts';
import { controlPlaneOf, workersOf } from './objects.ts';

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
/** Findings about the control plane, which is not touched if only workers are replaced. */
const ofControlPlane = [
  'ControlPlaneUnhealthy',
  'ControlPlaneChanging',
  'EtcdMemberWithoutVote',
  'EtcdMemberUnknown',
  'EtcdMemberMissing',
];

const factsOf = (scope: OperationScope, target: KubernetesVersion): UpgradeFacts => {
  const { cluster, clusterState, now } = scope;
  const controlPlane = clusterState.rollouts.find(({ isControlPlane }) => isControlPlane);
  return {
    target,
    current: parseVersion((controlPlane && runningVersionOf(controlPlane)) ?? ''),
    isRequested: true,
    cluster,
    controlPlane: clusterState.controlPlane && found(clusterState.controlPlane),
    machineDeployments: clusterState.machineDeployments as MachineDeployment[],
    machines: clusterState.machines as Machine[],
    now,
  };
};

/** An outdated Machine of the control plane does not serve: its replacement is the repair. */
const isRepair = (scope: OperationScope): boolean =>
  controlPlaneOf(scope)?.outdated.some(
    (machine) => !isDeleting(machine) && !isTrue(conditionsOf(machine), 'Available'),
  ) ?? false;

const isMinorAbove = (one: KubernetesVersion, other: KubernetesVersion): boolean =>
  one.major > other.major || (one.major === other.major && one.minor > other.minor);

/**
 * Workers of a minor version that the control plane's spec has, too, but that this operation does not
 * give it, for example after a rollback.
 */
const workersAhead = (scope: OperationScope, { target, current }: UpgradeFacts): Finding[] => {
  if (!current || controlPlaneOf(scope)) return [];
  return workersOf(scope).flatMap((rollout): Finding[] => {
    const wanted = parseVersion(wantedVersionOf(rollout) ?? '');
    if (!wanted || !isMinorAbove(wanted, current) || isMinorAbove(wanted, target)) return [];
    return [
      {
        code: 'WorkersTooNew',
        level: 'Refuse',
        object: nameOf(rollout.object),
        message: `Its spec asks for ${textOf(wanted)}, and the control plane runs ${textOf(current)}: kubelets must not be newer`,
        remedy: `Upgrade the control plane first; if that was rolled back, run: ${retry(scope.operation)}`,
      },
    ];
  });
};

/** Findings in a message. */
const most = 8;

const listOf = (findings: readonly Finding[]): string => {
  const told = findings
    .slice(0, most)
    .map(({ code, object, message, remedy }) => `${code}: ${object}: ${message}. ${remedy}`);
  const omitted = findings.length - told.length;
  return [...told, ...(omitted > 0 ? [`and ${omitted} more`] : [])].join('; ');
};

const refusals = (scope: OperationScope, findings: readonly Finding[]): Finding[] => {
  const isLenient = controlPlaneOf(scope) === undefined || isRepair(scope);
  return findings.filter(({ level, code }) => level === 'Refuse' && !(isLenient && ofControlPlane.includes(code)));
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
    : pending(message);
};

const shownAs = ({ code, object, message }: Finding): string => `${code}: ${object}: ${message}`;

const notChecked = ({ cluster }: OperationScope): Finding => ({
  code: 'ClusterNotChecked',
  level: 'Refuse',
  object: `Cluster ${cluster.metadata.name}`,
  message: 'The checks inside the cluster have not ended',
  remedy: 'Look at its UpgradeCheck, and at the workers of Capstan',
});

/** `began` in milliseconds. */
export const judgePreflight = (scope: OperationScope, { clock }: OperationStatus, began: number): Judgement => {
  const controlPlane = scope.clusterState.rollouts.find(({ isControlPlane }) => isControlPlane);
  const target = parseVersion((controlPlane && wantedVersionOf(controlPlane)) ?? '');
  if (!target) return skipped('The version of the control plane is not known');
  const facts = factsOf(scope, target);
  const known = [...findingsOf(facts, objectChecks), ...workersAhead(scope, facts)];
  const inCluster = checkedFindings(scope, 'Preflight', began);
  const isLate = elapsedSince(timestamp(began), clock, scope.now) >= settling;
  const findings = [...known, ...(inCluster ?? (isLate ? [notChecked(scope)] : []))];
  const codes = overriddenFor(scope.cluster, scope.operation.metadata.name);
  const isOverridden = ({ level, code }: Finding) => level === 'Refuse' && codes.includes(code);
  const refused = refusals(scope, findings).filter((one) => !isOverridden(one));
  const isPassing = refused.every(({ code }) => passing.includes(code));
  if (refused.length > 0 && isPassing && !isLate) return pending(listOf(refused));
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
