/** The parts of a KubeadmControlPlane that v1beta1 and v1beta2 share. */
import { int32, intOrString, listMap, string } from '../../../machinery/api/schema.ts';
import { kubernetesVersion, versionCounts } from '../../common/schema.ts';

export const naming = {
  template: string('A Go template with .cluster.name, .kubeadmControlPlane.name and .random, which must be used.', {
    maxLength: 256,
    minLength: 1,
  }),
};
export const replicas = int32('How many control plane machines there shall be; odd when etcd runs on them. Default 1.');
export const version = kubernetesVersion('The Kubernetes version of the control plane, such as v1.35.0.');
export const maxSurge = intOrString('How many machines above the desired number a rollout may make: 0 or 1.');
export const currentVersion = kubernetesVersion('The lowest Kubernetes version among the machines; see versions.');
export const versions = versionCounts((description, of, extra) => listMap(description, ['version'], of, extra), 100);
export const remediatedMachine = string('Name of the machine that was replaced.', { maxLength: 253, minLength: 1 });
export const maxRetry = int32('How often in a row one replacement may be tried again; unset means without limit.');
