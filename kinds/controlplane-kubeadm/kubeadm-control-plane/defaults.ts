import type { KubeObject } from '../../../machinery/api/object.ts';
import type { KubeadmControlPlaneSpec } from './schema.ts';

/** Defaults: one replica, a rolling update with a surge of one, and a leading v in the version. */
export const defaultKubeadmControlPlane = (object: KubeObject): KubeObject => {
  const spec = object.spec as KubeadmControlPlaneSpec | undefined;
  if (!spec) return object;
  const { version, rollout } = spec;
  return {
    ...object,
    spec: {
      ...spec,
      replicas: spec.replicas ?? 1,
      version: /^\d/.test(version) ? `v${version}` : version,
      rollout: {
        ...rollout,
        strategy: {
          ...rollout?.strategy,
          type: rollout?.strategy?.type || 'RollingUpdate',
          rollingUpdate: { maxSurge: 1, ...rollout?.strategy?.rollingUpdate },
        },
      },
    },
  };
};
