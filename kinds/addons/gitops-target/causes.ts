/** What a GitOpsTarget's conditions mean. */
import type { CauseRules } from '../../common/causes/index.ts';
import { ready } from './reconcile.ts';

export const gitOpsTargetCauses: CauseRules = {
  group: 'capstan.dev',
  kind: 'GitOpsTarget',
  conditions: {
    [ready]: {
      next: 'Capstan tries again every five minutes, and when a Cluster or a kubeconfig changes',
      reasons: {
        Registering: { level: 'wait' },
        WaitingForClusters: { level: 'wait' },
        TargetUnknown: {
          advice: 'Create the Secret that spec.kubeconfig names, with the kubeconfig under the key value',
        },
        TargetUnreachable: { advice: 'Make the target answer, and let the user of its kubeconfig write Secrets' },
        KubeconfigInvalid: { advice: 'Correct the kubeconfig Secret of the cluster' },
        NamespaceNotFound: { advice: 'Create the namespace in the target, or name another' },
        NameTaken: {
          advice:
            'Register the cluster with one GitOpsTarget alone, or remove that Secret from the target if no tool needs it',
        },
      },
      fine: ['Registered'],
    },
  },
};
