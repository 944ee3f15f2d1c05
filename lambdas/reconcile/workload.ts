/** Workers that reach the clusters themselves. */
import { marked } from '../../adapters/installation/index.ts';
import { localPki } from '../../adapters/pki/index.ts';
import { pkiPort, workloadPort } from '../../adapters/ports.ts';
import { createWorkload, httpsTransport } from '../../adapters/workload/index.ts';
import { clusterResourceSetController } from '../../kinds/cluster-resource-set/controller.ts';
import { kubeadmConfigController } from '../../kinds/kubeadm-config/controller.ts';
import { kubeadmControlPlaneController } from '../../kinds/kubeadm-control-plane/controller.ts';
import { machineController } from '../../kinds/machine/controller.ts';
import { workloadProber } from '../../kinds/workload-snapshot/prober.ts';
import { once } from '../../machinery/once.ts';
import { reachingEnvironment } from '../environment.ts';
import { foundationOf } from '../runtime/doors.ts';
import { reconcilingOf } from '../runtime/standing.ts';
import { reconciles } from './reconciles.ts';

export const controllers = [
  workloadProber,
  machineController,
  kubeadmConfigController,
  kubeadmControlPlaneController,
  clusterResourceSetController,
];

export const handler = reconciles(
  once(() => {
    const environment = reachingEnvironment(process.env);
    const { HTTPS_PROXY, NO_PROXY } = environment;
    const proxy = HTTPS_PROXY === undefined ? {} : { proxy: { HTTPS_PROXY, ...(NO_PROXY && { NO_PROXY }) } };
    const workload = workloadPort(createWorkload({ transport: httpsTransport(proxy) }));
    return reconcilingOf(foundationOf(environment), environment, (position) => ({
      controllers,
      ports: { workload: marked(workload, position), pki: pkiPort(localPki()) },
    }));
  }),
);
