import { describe, expect, it } from 'vitest';
import { roundTrips } from '../../../test/round-trip.ts';
import { fromStorage, toStorage } from './convert.ts';
import { cluster } from './index.ts';

describe('conversion', () => {
  roundTrips(cluster, {
    olderOnly: [
      'spec.topology.rolloutAfter',
      'spec.topology.variables[].definitionFrom',
      'spec.topology.controlPlane.variables.overrides[].definitionFrom',
      'spec.topology.workers.machineDeployments[].variables.overrides[].definitionFrom',
      'spec.topology.workers.machinePools[].variables.overrides[].definitionFrom',
    ],
  });

  it('means the same in both versions', () => {
    const metadata = { name: 'c', namespace: 'default' };
    const older = {
      apiVersion: 'cluster.x-k8s.io/v1beta1',
      kind: 'Cluster',
      metadata,
      spec: {
        controlPlaneRef: {
          apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
          kind: 'KubeadmControlPlane',
          name: 'c',
          namespace: 'default',
        },
        topology: {
          class: 'quick',
          classNamespace: 'classes',
          version: 'v1.35.0',
          workers: {
            machineDeployments: [
              {
                class: 'workers',
                name: 'md',
                nodeDrainTimeout: '1m0s',
                strategy: {
                  type: 'RollingUpdate',
                  rollingUpdate: { deletePolicy: 'Newest' },
                  remediation: { maxInFlight: 1 },
                },
                machineHealthCheck: {
                  maxUnhealthy: '40%',
                  nodeStartupTimeout: '10m0s',
                  unhealthyConditions: [{ type: 'Ready', status: 'Unknown', timeout: '5m0s' }],
                },
              },
            ],
          },
        },
      },
      status: {
        infrastructureReady: true,
        controlPlaneReady: true,
        failureDomains: { b: { controlPlane: true }, a: { controlPlane: false } },
        v1beta2: { controlPlane: { replicas: 1 } },
      },
    };
    const newer = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata,
      spec: {
        controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'c' },
        topology: {
          classRef: { name: 'quick', namespace: 'classes' },
          version: 'v1.35.0',
          workers: {
            machineDeployments: [
              {
                class: 'workers',
                name: 'md',
                deletion: { order: 'Newest', nodeDrainTimeoutSeconds: 60 },
                rollout: { strategy: { type: 'RollingUpdate' } },
                healthCheck: {
                  checks: {
                    nodeStartupTimeoutSeconds: 600,
                    unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 300 }],
                  },
                  remediation: { maxInFlight: 1, triggerIf: { unhealthyLessThanOrEqualTo: '40%' } },
                },
              },
            ],
          },
        },
      },
      status: {
        initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
        failureDomains: [
          { name: 'a', controlPlane: false },
          { name: 'b', controlPlane: true },
        ],
        controlPlane: { replicas: 1 },
      },
    };
    expect(toStorage(older)).toEqual(newer);
    expect(fromStorage(newer)).toEqual(older);
  });
  it('drops an endpoint without a host in v1beta2', () => {
    const object = {
      apiVersion: 'cluster.x-k8s.io/v1beta1',
      kind: 'Cluster',
      metadata: { name: 'c', namespace: 'default' },
      spec: { controlPlaneEndpoint: { host: '', port: 0 }, paused: true },
    };
    expect(toStorage(object).spec).toEqual({ paused: true });
    expect(fromStorage(toStorage(object))).toEqual(object);
  });
});
