/** Workers that connect to workload clusters. */
import { marked } from '../../adapters/installation/index.ts';
import { lazyPort } from '../../adapters/ports.ts';
import { once } from '../../machinery/once.ts';
import { reachingEnvironment } from '../environment.ts';
import { foundationOf } from '../runtime/aws-ports.ts';
import { pkiOnDemand } from '../runtime/pki.ts';
import type { Controllers } from '../runtime/reconciling.ts';
import { reconcilingOf } from '../runtime/standing.ts';
import { reconciles } from './reconciles.ts';

export const controllers: Controllers = {
  'workload-prober': async () => (await import('../../kinds/core/workload-snapshot/prober.ts')).workloadProber,
  machine: async () => {
    const { machineController } = await import('../../kinds/core/machine/controller.ts');
    return machineController((await import('../../kinds/control-planes.ts')).controlPlanes);
  },
  'kubeadm-config': async () =>
    (await import('../../kinds/bootstrap-kubeadm/kubeadm-config/controller.ts')).kubeadmConfigController,
  'kubeadm-control-plane': async () =>
    (await import('../../kinds/controlplane-kubeadm/kubeadm-control-plane/controller.ts'))
      .kubeadmControlPlaneController,
  'cluster-resource-set': async () =>
    (await import('../../kinds/addons/cluster-resource-set/controller.ts')).clusterResourceSetController,
};

export const handler = reconciles(
  once(() => {
    const environment = reachingEnvironment(process.env);
    const workload = lazyPort(async () => (await import('../runtime/reaching.ts')).reachingPort(environment));
    return reconcilingOf(foundationOf(environment), environment, (position) => ({
      controllers,
      ports: { workload: marked(workload, position), pki: pkiOnDemand() },
    }));
  }),
);
