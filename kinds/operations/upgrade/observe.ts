import type { KubeObject } from '../../../machinery/api/object.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { isOwnedBy } from '../../common/owners.ts';
import { membersOf, type Observations, type Observing, observeRollouts } from '../shared/observing.ts';

/** Without the check of a former Cluster of this name. */
const checkOf = ({ cluster, read }: Observing): KubeObject | undefined => {
  const { namespace = '', name } = cluster.metadata;
  const check = found(read.get('UpgradeCheck', { namespace, name }));
  return check && isOwnedBy(check, cluster) ? check : undefined;
};

export const observeUpgrade = (observing: Observing): Partial<Observations> => {
  const { cluster, read, context } = observing;
  const { namespace = '' } = cluster.metadata;
  const checksSpecs = context.awaits.some(({ step }) => step === 'Preflight');
  return {
    rollouts: observeRollouts(observing),
    snapshots: membersOf(observing, 'EtcdSnapshot'),
    upgradeCheck: checkOf(observing),
    ...(checksSpecs && {
      kubeadmTemplates: found(read.list<KubeObject>('KubeadmConfigTemplate', { namespace })) ?? [],
    }),
  };
};
