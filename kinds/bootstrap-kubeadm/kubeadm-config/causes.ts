/** What a KubeadmConfig's conditions mean. */
import type { LegacyCondition } from '../../../machinery/api/object.ts';
import {
  byControlPlane,
  byInfrastructure,
  byOperation,
  type CauseRules,
  type Explanation,
  firstOf,
  isWorse,
  oneLine,
  only,
  withheld,
} from '../../common/causes/index.ts';

/** The Machine that initializes the cluster holds the lock that the others wait for. */
const initializing: Explanation = ({ status }, graph) => {
  const { conditions = [] } = (status ?? {}) as { conditions?: { message?: string }[] };
  const [, name] =
    conditions.map(({ message = '' }) => /Waiting for Machine (\S+) to initialize/.exec(message)).find(Boolean) ?? [];
  return graph.complaints(graph.get('Machine', name));
};

const awaited = firstOf(initializing, byInfrastructure, only(byOperation, isWorse));

const legacy = (config: { status?: unknown }): LegacyCondition[] =>
  (config.status as { deprecated?: { v1beta1?: { conditions?: LegacyCondition[] } } } | undefined)?.deprecated?.v1beta1
    ?.conditions ?? [];

/** A wait that cannot end by itself, such as for a Secret that is not there. */
const failed: Explanation = (config) =>
  legacy(config)
    .filter(({ type, reason }) => type === 'DataSecretAvailable' && reason === 'DataSecretGenerationFailed')
    .map(({ message = '', lastTransitionTime: since }) => ({
      object: config,
      type: 'DataSecretAvailable',
      reason: 'DataSecretGenerationFailed',
      message: oneLine(message),
      level: 'fault',
      since,
      rule: {
        next: 'Capstan renders the user data as soon as what it names exists or is corrected',
        advice: 'Create the Secret or ConfigMap that is named, or correct the field',
      },
    }));

export const kubeadmConfigCauses: CauseRules = {
  group: 'bootstrap.cluster.x-k8s.io',
  kind: 'KubeadmConfig',
  others: failed,
  conditions: {
    CertificatesAvailable: {
      by: firstOf(byInfrastructure, byControlPlane),
      reasons: { NotAvailable: { next: 'The bootstrap controller goes on as soon as the Secrets exist' } },
      fine: ['Available'],
    },
    DataSecretAvailable: {
      level: 'wait',
      overdueAfter: 900,
      by: awaited,
      reasons: { NotAvailable: {}, WaitingForControlPlaneAvailable: {}, DataSecretGenerationFailed: {}, ...withheld },
      fine: ['Available'],
    },
    Ready: {
      isSummary: true,
      by: awaited,
      reasons: { NotReady: {}, ReadyUnknown: { level: 'wait' }, ...withheld },
      fine: ['Ready'],
    },
  },
};
