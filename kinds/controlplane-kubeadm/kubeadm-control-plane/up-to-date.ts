/** Why a Machine must be replaced; empty if it is up to date. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { KubeadmConfig } from '../../bootstrap-kubeadm/kubeadm-config/index.ts';
import { digestOf } from '../../common/digest.ts';
import { rolloutTime } from '../../common/rollout-time.ts';
import type { Machine } from '../../core/machine/index.ts';
import { matchesConfig } from './config-diff.ts';
import type { KubeadmControlPlane } from './index.ts';

export const clonedFromName = 'cluster.x-k8s.io/cloned-from-name';
export const clonedFromGroupKind = 'cluster.x-k8s.io/cloned-from-groupkind';

export interface MachineFacts {
  machine: Machine;
  controlPlane: KubeadmControlPlane;
  infraMachine: KubeObject | undefined;
  bootstrapConfig: KubeadmConfig | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

type Aging = Pick<MachineFacts, 'machine' | 'controlPlane'>;

const dayMs = 24 * 60 * 60 * 1000;

/**
 * When its certificates are due for renewal, in milliseconds since the epoch; undefined if no
 * renewal is configured or the expiry is unknown.
 */
const renewalTime = ({ machine, controlPlane }: Aging): number | undefined => {
  const days = controlPlane.spec?.rollout?.before?.certificatesExpiryDays;
  const expiry = machine.status?.certificatesExpiryDate;
  return days === undefined || expiry === undefined ? undefined : Date.parse(expiry) - days * dayMs;
};

/**
 * When `rollout.after` replaces the Machine, in milliseconds since the epoch; undefined if it was
 * created later.
 */
const agingTime = ({ machine, controlPlane }: Aging): number | undefined => {
  const after = controlPlane.spec?.rollout?.after;
  const created = machine.metadata.creationTimestamp;
  if (after === undefined || created === undefined) return undefined;
  const time = rolloutTime(after);
  return Date.parse(created) < time ? time : undefined;
};

/** When the passage of time alone makes the Machine outdated. */
export const outOfDateTimes = (aging: Aging): number[] =>
  [renewalTime(aging), agingTime(aging)].filter((time) => time !== undefined);

const isPast = (time: number | undefined, now: number): boolean => time !== undefined && time <= now;

// A Machine without clone annotations counts as matching: replacing it would be a guess.
const matchesTemplate = ({ controlPlane, infraMachine }: MachineFacts): boolean => {
  const template = controlPlane.spec?.machineTemplate.spec.infrastructureRef;
  const name = infraMachine?.metadata.annotations?.[clonedFromName];
  const groupKind = infraMachine?.metadata.annotations?.[clonedFromGroupKind];
  if (!template || name === undefined || groupKind === undefined) return true;
  return name === template.name && groupKind === `${template.kind}.${template.apiGroup}`;
};

export const outOfDateReasons = (facts: MachineFacts): string[] => {
  const { machine, controlPlane, infraMachine, bootstrapConfig, now } = facts;
  const reasons: string[] = [];
  const wanted = controlPlane.spec;
  if (!wanted) return reasons;
  if (isPast(renewalTime(facts), now)) reasons.push('Certificates will expire soon, rolloutBefore expired');
  if (isPast(agingTime(facts), now)) reasons.push('KubeadmControlPlane spec.rolloutAfter expired');
  if (machine.spec?.version !== undefined && machine.spec.version !== wanted.version)
    reasons.push(`Version ${machine.spec.version}, ${wanted.version} required`);
  if (bootstrapConfig?.spec && !matchesConfig(wanted, bootstrapConfig.spec))
    reasons.push('KubeadmConfig is not up-to-date');
  if (!matchesTemplate(facts)) reasons.push(`${infraMachine?.kind ?? 'InfrastructureMachine'} is not up-to-date`);
  return reasons;
};

/** The revision of the spec whose rollout an upgrade admits; see core/contract/rollout.ts. */
export const rolloutRevision = ({ spec }: KubeadmControlPlane): string => {
  const { version = null, kubeadmConfigSpec = {}, machineTemplate, rollout } = spec ?? {};
  const { infrastructureRef } = machineTemplate?.spec ?? {};
  return digestOf([version, { ...kubeadmConfigSpec }, { ...infrastructureRef }, rollout?.after ?? null]);
};
