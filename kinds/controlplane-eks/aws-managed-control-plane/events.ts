/** Events about the parts of an EKS cluster, with the AWS provider's reasons. */
import type { EventDraft } from '../../../machinery/api/reconcile.ts';

const ofParts = (reason: string, what: string): EventDraft => ({
  type: 'Normal',
  reason,
  message: `Reconciled the ${what} of the EKS control plane`,
});

/** For what is changed in this pass. */
export const partsEvents = (changes: { accessEntries: boolean; addons: boolean }): EventDraft[] => [
  ...(changes.accessEntries ? [ofParts('SuccessfulReconcileAccessEntries', 'access entries')] : []),
  ...(changes.addons ? [ofParts('SuccessfulReconcileEKSClusterAddons', 'add-ons')] : []),
];
