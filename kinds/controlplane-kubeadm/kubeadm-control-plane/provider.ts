import type { KubeadmConfig } from '../../bootstrap-kubeadm/kubeadm-config/index.ts';
import { sourcesIn } from '../../bootstrap-kubeadm/kubeadm-config/sources.ts';
import type { ControlPlaneQueries } from '../../core/contract/control-plane.ts';
import { addOnTags } from './addons.ts';
import { encryptionConfigOf } from './encryption-config.ts';
import type { KubeadmControlPlane } from './index.ts';
import { kubeadmControlPlane } from './kind.ts';
import { controlPlaneMachineConditions, hasManagedEtcd } from './machine-conditions.ts';
import { outOfDateTimes, rolloutRevision } from './up-to-date.ts';

export const kubeadmControlPlanes: ControlPlaneQueries = {
  group: kubeadmControlPlane.group,
  kind: kubeadmControlPlane.kind,
  machineConditions: ({ controlPlane, bootstrapConfig, ...facts }) =>
    controlPlaneMachineConditions({
      ...facts,
      controlPlane: controlPlane as KubeadmControlPlane,
      bootstrapConfig: bootstrapConfig as KubeadmConfig | undefined,
    }),
  rolloutRevision: (controlPlane) => rolloutRevision(controlPlane as KubeadmControlPlane),
  followsTargets: true,
  managesEtcd: (controlPlane) => hasManagedEtcd({ controlPlane: controlPlane as KubeadmControlPlane }),
  fileSecrets: ({ spec }) =>
    sourcesIn((spec as KubeadmControlPlane['spec'])?.kubeadmConfigSpec ?? {}).map(({ name }) => name),
  encryptionConfig: (controlPlane, read) => encryptionConfigOf(controlPlane as KubeadmControlPlane, read),
  etcdVersion: ({ spec }) =>
    (spec as KubeadmControlPlane['spec'])?.kubeadmConfigSpec?.clusterConfiguration?.etcd?.local?.imageTag,
  addOnTags: (controlPlane) => addOnTags({ kcp: controlPlane as KubeadmControlPlane }),
  outOfDateTimes: ({ machine, controlPlane }) =>
    outOfDateTimes({ machine, controlPlane: controlPlane as KubeadmControlPlane }),
};
