/** Condition rules that the Machine controller and control plane providers share. Pure. */
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import { isVersionOf } from '../../common/kubernetes-version.ts';
import type { Machine } from '../machine/schema.ts';

/**
 * Milliseconds for which conditions keep their last known state when a workload cluster stops
 * answering.
 */
export const remoteConditionsGraceMs = 5 * 60 * 1000;

/**
 * UpToDate of a Machine that no rollout replaces: its image may run another version than its spec.
 */
export const runsAsWanted = ({ spec }: Machine, kubelet: string | undefined): Omit<ConditionDraft, 'type'> =>
  kubelet && spec?.version && !isVersionOf(kubelet, spec.version)
    ? {
        status: 'False',
        reason: 'Updating',
        message: `* Node.status.nodeInfo.kubeletVersion ${kubelet}, ${spec.version} required`,
      }
    : { status: 'True', reason: 'UpToDate', message: '' };
