import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { roundTrips } from '../../../test/round-trip.ts';
import { kubeadmControlPlaneConversion as convert } from './convert.ts';
import { kubeadmControlPlane } from './index.ts';

const of = (version: string, spec: unknown, status?: unknown): KubeObject => ({
  apiVersion: `controlplane.cluster.x-k8s.io/${version}`,
  kind: 'KubeadmControlPlane',
  metadata: { name: 'it', namespace: 'default' },
  spec,
  ...(status !== undefined && { status }),
});

/**
 * v1beta1's `ready` follows from `readyReplicas`, so random values of the two do not round-trip.
 */
const withoutReady = {
  ...kubeadmControlPlane,
  versions: kubeadmControlPlane.versions.map((version) => {
    const schema = structuredClone(version.schema);
    if (!version.storage) {
      delete schema.properties!.status!.properties!.ready;
      delete schema.properties!.status!.properties!.readyReplicas;
    }
    return { ...version, schema };
  }),
};

describe('conversion', () => {
  const config = 'spec.kubeadmConfigSpec';
  roundTrips(withoutReady, {
    newerOnly: [
      `${config}.joinConfiguration.timeouts`,
      `${config}.initConfiguration.timeouts`,
      `${config}.diskSetup.partitions[].layout`,
    ],
    olderOnly: [
      `${config}.useExperimentalRetryJoin`,
      ...['apiVersion', 'kind', 'clusterName', 'kubernetesVersion', 'networking'].map(
        (field) => `${config}.clusterConfiguration.${field}`,
      ),
      ...['initConfiguration', 'joinConfiguration'].flatMap((c) => [
        `${config}.${c}.apiVersion`,
        `${config}.${c}.kind`,
      ]),
      `${config}.diskSetup.partitions[].layout`,
      `${config}.clusterConfiguration.apiServer.timeoutForControlPlane`,
      'spec.machineTemplate.infrastructureRef',
    ],
    at: (path) => {
      if (/bindPort$/.test(path)) return fc.integer({ min: 1, max: 65535 });
      return undefined;
    },
    runs: 20,
  });

  it('converts the fields that CAPA’s default template sets, and back', () => {
    const older = {
      kubeadmConfigSpec: {
        clusterConfiguration: { controllerManager: { extraArgs: { 'cloud-provider': 'external' } } },
        initConfiguration: {
          nodeRegistration: {
            kubeletExtraArgs: { 'cloud-provider': 'external' },
            name: '{{ ds.meta_data.local_hostname }}',
          },
        },
      },
      machineTemplate: {
        infrastructureRef: {
          apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
          kind: 'AWSMachineTemplate',
          name: 'quickstart-control-plane',
          namespace: 'default',
        },
        nodeDrainTimeout: '10m0s',
      },
      remediationStrategy: { maxRetry: 3, retryPeriod: '20m0s', minHealthyPeriod: '2h0m0s' },
      rolloutStrategy: { rollingUpdate: { maxSurge: 1 }, type: 'RollingUpdate' },
      rolloutAfter: '2026-01-01T00:00:00Z',
      rolloutBefore: { certificatesExpiryDays: 21 },
      machineNamingStrategy: { template: '{{ .cluster.name }}-{{ .random }}' },
      replicas: 3,
      version: 'v1.35.0',
    };
    const flag = [{ name: 'cloud-provider', value: 'external' }];
    const newer = {
      kubeadmConfigSpec: {
        clusterConfiguration: { controllerManager: { extraArgs: flag } },
        initConfiguration: {
          nodeRegistration: { kubeletExtraArgs: flag, name: '{{ ds.meta_data.local_hostname }}' },
        },
      },
      machineNaming: { template: '{{ .cluster.name }}-{{ .random }}' },
      machineTemplate: {
        spec: {
          infrastructureRef: {
            apiGroup: 'infrastructure.cluster.x-k8s.io',
            kind: 'AWSMachineTemplate',
            name: 'quickstart-control-plane',
          },
          deletion: { nodeDrainTimeoutSeconds: 600 },
        },
      },
      remediation: { maxRetry: 3, retryPeriodSeconds: 1200, minHealthyPeriodSeconds: 7200 },
      rollout: {
        after: '2026-01-01T00:00:00Z',
        before: { certificatesExpiryDays: 21 },
        strategy: { rollingUpdate: { maxSurge: 1 }, type: 'RollingUpdate' },
      },
      replicas: 3,
      version: 'v1.35.0',
    };
    expect(convert.toStorage(of('v1beta1', older))).toEqual(of('v1beta2', newer));
    expect(convert.fromStorage(of('v1beta2', newer))).toEqual(of('v1beta1', older));
  });

  it('distinguishes the two meanings of readyReplicas, and derives ready', () => {
    const stored = of(
      'v1beta2',
      {},
      {
        readyReplicas: 2,
        initialization: { controlPlaneInitialized: true },
        deprecated: { v1beta1: { readyReplicas: 3, updatedReplicas: 1 } },
        lastRemediation: { machine: 'm', retryCount: 1, time: '2026-01-01T00:00:00Z' },
      },
    );
    const status = {
      initialized: true,
      ready: true,
      readyReplicas: 3,
      updatedReplicas: 1,
      lastRemediation: { machine: 'm', retryCount: 1, timestamp: '2026-01-01T00:00:00Z' },
      v1beta2: { readyReplicas: 2 },
    };
    expect(convert.fromStorage(stored).status).toEqual(status);
    expect(convert.toStorage(convert.fromStorage(stored))).toEqual(stored);
  });

  it('preserves timeouts that v1beta1 lacks when the visible ones are removed', () => {
    const timeouts = { controlPlaneComponentHealthCheckSeconds: 300, kubeletHealthCheckSeconds: 60 };
    const stored = of('v1beta2', { kubeadmConfigSpec: { initConfiguration: { timeouts } } });
    const edited = convert.toStorage({ ...convert.fromStorage(stored), ...{ spec: { replicas: 3 } } });
    const left = { initConfiguration: { timeouts: { kubeletHealthCheckSeconds: 60 } } };
    expect(edited.spec).toEqual({ replicas: 3, kubeadmConfigSpec: left });
  });
});
