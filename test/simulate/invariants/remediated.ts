/** What came instead of an ill machine, and is ill as well, is replaced when the time between two tries is over, and as often as may be. */
import type { KubeadmControlPlane } from '../../../kinds/kubeadm-control-plane/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const inProgress = 'controlplane.cluster.x-k8s.io/remediation-in-progress';
const remediationFor = 'controlplane.cluster.x-k8s.io/remediation-for';
/** Whoever is well for so long, and then falls ill, is no failure of the try before. */
const healthyFor = 3600;

interface Try {
  machine: string;
  timestamp: string;
  retryCount: number;
}
const tryOf = (object: KubeObject | undefined, annotation: string): Try | undefined => {
  const text = object?.metadata.annotations?.[annotation];
  return text === undefined ? undefined : (JSON.parse(text) as Try);
};

export const remediated = ({ world: { mirror } }: Setting): Invariant => ({
  onCommit: ({ type, object, before, writer }) => {
    if (type !== 'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io' || writer !== 'kubeadm-control-plane') return;
    const now = tryOf(object, inProgress);
    if (!now || now.timestamp === tryOf(before, inProgress)?.timestamp) return;
    const { name, namespace = '' } = object!.metadata;
    const last = tryOf(mirror.get('Machine', namespace, now.machine), remediationFor);
    const {
      retryPeriodSeconds = 0,
      minHealthyPeriodSeconds = healthyFor,
      maxRetry = Number.POSITIVE_INFINITY,
    } = (object as KubeadmControlPlane).spec?.remediation ?? {};
    const least = Math.min(retryPeriodSeconds, minHealthyPeriodSeconds);
    const since = last ? (Date.parse(now.timestamp) - Date.parse(last.timestamp)) / 1000 : least;
    if (since < least)
      throw new Violation(
        'remediated',
        `${name} replaces ${now.machine} ${since} s after the one before, not ${least}`,
      );
    if (last && since < minHealthyPeriodSeconds && last.retryCount >= maxRetry)
      throw new Violation('remediated', `${name} replaces ${now.machine}, and may try again ${maxRetry} times`);
  },
});
