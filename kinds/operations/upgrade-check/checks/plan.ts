/** What an upgrade would find and do. Pure. */
import { conditionOf } from '../../../../machinery/api/conditions.ts';
import { compareVersions } from '../../../common/kubernetes-version.ts';
import { labels } from '../../../common/labels.ts';
import { amountOf } from '../../../common/proportion.ts';
import { isDeleting } from '../../../core/contract/machines.ts';
import type { Machine } from '../../../core/machine/index.ts';
import type { MachineDeployment } from '../../../core/machine-deployment/index.ts';
import { findingsOf, refusalsFirst } from './categories.ts';
import { allChecks } from './checks.ts';
import type { Finding, UpgradeFacts } from './facts.ts';
import { textOf, versionOf } from './versions.ts';

/** Machines that are replaced one after the other, or some at a time. */
export interface Stage {
  /** `control plane`, or the MachineDeployment's name. */
  of: string;
  machines: string[];
  /** Seconds it should take. */
  seconds: number;
}

export interface UpgradePlan {
  target: string;
  /** Problems first. */
  findings: Finding[];
  /** Why no Machine gets this version at all, whatever else is mended: the codes of findings. */
  refused: string[];
  /** The control plane first, then the MachineDeployments, which change side by side. */
  stages: Stage[];
  /** Seconds for all stages together. */
  seconds: number;
}

/** Seconds to assume for a machine to become Ready, if the cluster has none to measure. */
const expectedBoot = 240;
/** Seconds for draining and terminating a machine. */
const expectedRemoval = 90;

const median = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** How long the cluster's own machines took. */
const bootOf = (machines: readonly Machine[]): number => {
  const seconds = machines.flatMap(({ metadata, status }) => {
    const joined = conditionOf(status?.conditions, 'NodeReady')?.lastTransitionTime;
    const took = (Date.parse(joined ?? '') - Date.parse(metadata.creationTimestamp ?? '')) / 1000;
    // A later transition is no boot.
    return took > 0 && took < 1800 ? [took] : [];
  });
  return median(seconds) ?? expectedBoot;
};

const isOutdated = ({ target }: UpgradeFacts, { spec }: Machine): boolean => {
  const version = versionOf(spec);
  return version === undefined || compareVersions(version, target) !== 0;
};

const byAge = (a: Machine, b: Machine): number =>
  (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1;

const namesOf = (machines: readonly Machine[]): string[] =>
  machines.toSorted(byAge).map(({ metadata }) => metadata.name);

/** Machines of a MachineDeployment that are replaced at a time. */
const atOnce = ({ spec }: MachineDeployment, count: number): number => {
  const { maxSurge, maxUnavailable } = spec?.rollout?.strategy?.rollingUpdate ?? {};
  return Math.max(1, amountOf(maxSurge, count, Math.ceil, 1) + amountOf(maxUnavailable, count, Math.floor, 0));
};

/** A target that no mended cluster takes. */
const refusing = ['VersionIsLower', 'MembersAreNewer', 'MinorSkipped'];

export const refusalsOfTarget = (findings: readonly Finding[]): string[] => [
  ...new Set(findings.map(({ code }) => code).filter((code) => refusing.includes(code))),
];

export const planUpgrade = (facts: UpgradeFacts): UpgradePlan => {
  const outdated = facts.machines.filter((machine) => !isDeleting(machine) && isOutdated(facts, machine));
  const each = bootOf(facts.machines) + expectedRemoval;
  const masters = outdated.filter(({ metadata }) => metadata.labels?.[labels.controlPlane] !== undefined);
  const workers = facts.machineDeployments.map((deployment): Stage => {
    const own = outdated.filter(({ metadata }) => metadata.labels?.[labels.deployment] === deployment.metadata.name);
    const rounds = Math.ceil(own.length / atOnce(deployment, own.length));
    return { of: deployment.metadata.name, machines: namesOf(own), seconds: rounds * each };
  });
  const controlPlane: Stage = { of: 'control plane', machines: namesOf(masters), seconds: masters.length * each };
  const stages = [controlPlane, ...workers].filter(({ machines }) => machines.length > 0);
  const findings = refusalsFirst(findingsOf(facts, allChecks));
  const refused = refusalsOfTarget(findings);
  if (refused.length > 0) return { target: textOf(facts.target), findings, refused, stages: [], seconds: 0 };
  return {
    target: textOf(facts.target),
    findings,
    refused,
    stages,
    seconds: controlPlane.seconds + Math.max(0, ...workers.map(({ seconds }) => seconds)),
  };
};
