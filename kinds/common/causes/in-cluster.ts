import type { KubeObject } from '../../../machinery/api/object.ts';

/** Commands that run kubectl in a workload cluster. `kubectl`: what follows its name and the kubeconfig. */
export const inCluster = ({ name, namespace }: KubeObject['metadata'], ...kubectl: string[]): string[] => [
  `capstan get kubeconfig ${name} -n ${namespace} > ${name}.kubeconfig`,
  ...kubectl.map((command) => `kubectl --kubeconfig ${name}.kubeconfig ${command}`),
];
