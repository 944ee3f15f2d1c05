import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { kubeadmControlPlaneTemplateConversion as convert } from './convert.ts';

const of = (version: string, spec: object): KubeObject => ({
  apiVersion: `controlplane.cluster.x-k8s.io/${version}`,
  kind: 'KubeadmControlPlaneTemplate',
  metadata: { name: 'quick-start', namespace: 'default' },
  spec: { template: { spec } },
});

describe('conversion', () => {
  const older = of('v1beta1', {
    kubeadmConfigSpec: { clusterConfiguration: { apiServer: { extraArgs: { 'cloud-provider': 'external' } } } },
    machineTemplate: { nodeDrainTimeout: '1m0s' },
    rolloutStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
  });
  const newer = of('v1beta2', {
    kubeadmConfigSpec: {
      clusterConfiguration: { apiServer: { extraArgs: [{ name: 'cloud-provider', value: 'external' }] } },
    },
    machineTemplate: { spec: { deletion: { nodeDrainTimeoutSeconds: 60 } } },
    rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
  });
  it('converts the spec of the template', () => expect(convert.toStorage(older)).toEqual(newer));
  it('converts it back', () => expect(convert.fromStorage(newer)).toEqual(older));
});
