import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { conditionIn, controlled, isGoing } from '../relations.ts';
import type { Rule } from '../rule.ts';

const inProgress = 'controlplane.cluster.x-k8s.io/remediation-in-progress';
const remediationFor = 'controlplane.cluster.x-k8s.io/remediation-for';
/** A user marks the machine that must be remediated first. */
const mark = 'cluster.x-k8s.io/remediate-machine';
/**
 * A machine that was healthy for this many seconds counts as a success of the remediation that
 * created it.
 */
const healthyFor = 3600;
/** Changes of the last minute may be unknown to the controller that decides. */
const unseen = 60_000;

interface Try {
  machine: string;
  timestamp: string;
  retryCount: number;
}
const tryOf = (object: KubeObject | undefined, annotation: string): Try | undefined => {
  const text = object?.metadata.annotations?.[annotation];
  return text === undefined ? undefined : (JSON.parse(text) as Try);
};

export const remediation: Rule = ({ world: { clock, mirror }, has }, broken) => {
  const isRecent = (time = '') => clock.now() - Date.parse(time) < unseen;
  /** A replacement is created only after the unhealthy machine is gone. */
  const expectVacant = (machine: KubeObject) => {
    const { metadata } = machine;
    const { name = '' } = metadata.ownerReferences?.find(({ controller }) => controller) ?? {};
    const owner = mirror.get<KubeObject>('KubeadmControlPlane', metadata.namespace!, name);
    // A frozen worker acts on an outdated state.
    if (!owner || !tryOf(machine, remediationFor) || has('worker.frozen') || has('worker.late')) return;
    const going = controlled<Machine>(mirror, 'Machine', owner).find(
      (one) => isGoing(one) && !isRecent(one.metadata.deletionTimestamp),
    );
    if (going) throw broken(`${metadata.name} is created while ${going.metadata.name} still exists`);
  };
  const isOnesTurn = (machine: Machine) => conditionIn(machine, 'OwnerRemediated')?.reason === 'MachineDeleting';
  /** Whether the machine has been unhealthy for so long that the controller knows. */
  const isKnownIll = (machine: Machine) =>
    ['HealthCheckSucceeded', 'OwnerRemediated'].every((type) => {
      const { status, lastTransitionTime } = conditionIn(machine, type) ?? {};
      return status === 'False' && !isRecent(lastTransitionTime);
    });
  /** A machine that has just started may not work yet. */
  const isWorse = ({ metadata: a }: Machine, { metadata: b }: Machine): boolean => {
    const [one, other] = [a, b].map(({ annotations = {} }) => mark in annotations);
    return one === other ? Date.parse(a.creationTimestamp!) > Date.parse(b.creationTimestamp!) : one === true;
  };
  const expectWorst = (machine: Machine) => {
    const { namespace = '', name, ownerReferences } = machine.metadata;
    const set = mirror.get('MachineSet', namespace, ownerReferences?.find(({ controller }) => controller)?.name ?? '');
    if (!set || !isOnesTurn(machine) || has('worker.frozen') || has('worker.late')) return;
    const worse = controlled<Machine>(mirror, 'Machine', set).find(
      (one) => !isGoing(one) && isKnownIll(one) && isWorse(one, machine),
    );
    if (worse) throw broken(`${name} is remediated before ${worse.metadata.name}, which is in a worse state`);
  };
  const onControlPlane = (object: KubeadmControlPlane, before: KubeObject | undefined) => {
    const now = tryOf(object, inProgress);
    if (!now || now.timestamp === tryOf(before, inProgress)?.timestamp) return;
    const { name, namespace = '' } = object.metadata;
    const last = tryOf(mirror.get('Machine', namespace, now.machine), remediationFor);
    const {
      retryPeriodSeconds = 0,
      minHealthyPeriodSeconds = healthyFor,
      maxRetry = Number.POSITIVE_INFINITY,
    } = object.spec?.remediation ?? {};
    const least = Math.min(retryPeriodSeconds, minHealthyPeriodSeconds);
    const since = last ? (Date.parse(now.timestamp) - Date.parse(last.timestamp)) / 1000 : least;
    if (since < least)
      throw broken(`${name} replaces ${now.machine} ${since} s after the previous remediation, not ${least} s`);
    if (last && since < minHealthyPeriodSeconds && last.retryCount >= maxRetry)
      throw broken(`${name} replaces ${now.machine} although maxRetry is ${maxRetry}`);
  };
  return {
    onCommit: ({ object, before, writer }) => {
      if (object?.kind === 'Machine' && writer === 'machine-set' && isGoing(object) && before && !isGoing(before))
        expectWorst(object as Machine);
      if (!object || writer !== 'kubeadm-control-plane') return;
      if (object.kind === 'KubeadmControlPlane') onControlPlane(object as KubeadmControlPlane, before);
      if (object.kind === 'Machine' && !before) expectVacant(object);
    },
  };
};
