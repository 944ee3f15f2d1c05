/** What the Machine controller and control plane providers judge alike. Pure. */
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import type { Machine } from '../machine/schema.ts';

/** Milliseconds for which the last known state is kept when a workload cluster no longer answers. */
export const remoteConditionsGraceMs = 5 * 60 * 1000;

/** Verdict of UpToDate for a machine that is not to be replaced: its image may carry another version than its spec says. */
export const runsAsWanted = ({ spec }: Machine, kubelet: string | undefined): Omit<ConditionDraft, 'type'> =>
  kubelet && spec?.version && kubelet !== spec.version
    ? {
        status: 'False',
        reason: 'Updating',
        message: `* Node.status.nodeInfo.kubeletVersion ${kubelet}, ${spec.version} required`,
      }
    : { status: 'True', reason: 'UpToDate', message: '' };
