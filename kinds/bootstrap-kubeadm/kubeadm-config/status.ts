import { legacyFalse, legacyTrue, summarizeConditions } from '../../../machinery/api/conditions.ts';
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import type { KubeadmConfig, KubeadmConfigStatus } from './index.ts';

export const available = (type: string): ConditionDraft => ({ type, status: 'True', reason: 'Available', message: '' });
export const notAvailable = (type: string, message: string): ConditionDraft => ({
  type,
  status: 'False',
  reason: 'NotAvailable',
  message,
});

export interface Findings {
  /** Why the user data does not exist yet; undefined if it does. */
  waiting: string | undefined;
  /** The wait cannot end by itself. */
  isFailure?: boolean;
  certificates: ConditionDraft;
}

const own = ['DataSecretAvailable', 'CertificatesAvailable'];

/** The status. `dataSecretCreated` never reverts. */
export const statusFor = (
  config: KubeadmConfig,
  { waiting, isFailure = false, certificates }: Findings,
): KubeadmConfigStatus => {
  const { initialization, dataSecretName } = config.status ?? {};
  const created = waiting === undefined || initialization?.dataSecretCreated === true;
  const data = waiting === undefined ? available('DataSecretAvailable') : notAvailable('DataSecretAvailable', waiting);
  const conditions = [data, certificates];
  const ready = summarizeConditions(conditions, {
    type: 'Ready',
    of: own,
    reasons: { issue: 'NotReady', unknown: 'ReadyUnknown', info: 'Ready' },
  });
  const legacy = [
    waiting === undefined
      ? legacyTrue('DataSecretAvailable')
      : legacyFalse(
          'DataSecretAvailable',
          isFailure ? 'DataSecretGenerationFailed' : 'WaitingForControlPlaneAvailable',
          isFailure ? 'Warning' : 'Info',
          waiting,
        ),
    ...(certificates.status === 'True' ? [legacyTrue('CertificatesAvailable')] : []),
  ];
  return {
    ...(created && { initialization: { dataSecretCreated: true } }),
    ...((dataSecretName ?? (created || undefined)) && { dataSecretName: dataSecretName ?? config.metadata.name }),
    conditions: [...conditions, ready],
    deprecated: {
      v1beta1: {
        conditions: [waiting === undefined ? legacyTrue('Ready') : { ...legacy[0]!, type: 'Ready' }, ...legacy],
      },
    },
  };
};
