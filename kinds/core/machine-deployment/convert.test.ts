import { describe, expect, it } from 'vitest';
import { roundTrips } from '../../../test/round-trip.ts';
import { fromStorage, toStorage } from './convert.ts';
import { machineDeployment } from './index.ts';

describe('conversion', () => {
  roundTrips(machineDeployment, { olderOnly: ['spec.progressDeadlineSeconds', 'spec.revisionHistoryLimit'] });

  // Written by hand from the field tables: a v1beta1 manifest and its v1beta2 meaning.
  const older = {
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    kind: 'MachineDeployment',
    metadata: { name: 'workers', namespace: 'default' },
    spec: {
      clusterName: 'c',
      replicas: 3,
      minReadySeconds: 10,
      rolloutAfter: '2026-01-01T00:00:00Z',
      selector: { matchLabels: { a: 'b' } },
      machineNamingStrategy: { template: '{{ .machineSet.name }}-{{ .random }}' },
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: '25%', maxUnavailable: 0, deletePolicy: 'Oldest' },
        remediation: { maxInFlight: 2 },
      },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: {
          clusterName: 'c',
          version: 'v1.35.0',
          nodeDrainTimeout: '5m0s',
          bootstrap: {
            configRef: {
              apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
              kind: 'KubeadmConfigTemplate',
              name: 'config',
              namespace: 'default',
            },
          },
          infrastructureRef: {
            apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
            kind: 'AWSMachineTemplate',
            name: 'hosts',
            namespace: 'default',
          },
        },
      },
    },
    status: { replicas: 3, readyReplicas: 2, updatedReplicas: 1, v1beta2: { readyReplicas: 1, upToDateReplicas: 0 } },
  };
  const newer = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: { name: 'workers', namespace: 'default' },
    spec: {
      clusterName: 'c',
      replicas: 3,
      rollout: {
        after: '2026-01-01T00:00:00Z',
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
      },
      deletion: { order: 'Oldest' },
      remediation: { maxInFlight: 2 },
      machineNaming: { template: '{{ .machineSet.name }}-{{ .random }}' },
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: {
          clusterName: 'c',
          version: 'v1.35.0',
          minReadySeconds: 10,
          deletion: { nodeDrainTimeoutSeconds: 300 },
          bootstrap: {
            configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfigTemplate', name: 'config' },
          },
          infrastructureRef: {
            apiGroup: 'infrastructure.cluster.x-k8s.io',
            kind: 'AWSMachineTemplate',
            name: 'hosts',
          },
        },
      },
    },
    status: {
      replicas: 3,
      readyReplicas: 1,
      upToDateReplicas: 0,
      deprecated: { v1beta1: { readyReplicas: 2, updatedReplicas: 1 } },
    },
  };
  it('means the same in both versions', () => {
    expect(toStorage(older)).toEqual(newer);
    expect(fromStorage(newer)).toEqual(older);
  });
  it('restores fields that only v1beta1 has, spelled as before', () => {
    const spec = {
      ...older.spec,
      revisionHistoryLimit: 3,
      template: { spec: { ...older.spec.template.spec, nodeDrainTimeout: '300s' } },
    };
    const stored = toStorage({ ...older, spec });
    expect(stored.spec).toMatchObject({ template: { spec: { deletion: { nodeDrainTimeoutSeconds: 300 } } } });
    expect(fromStorage(stored).spec).toEqual(spec);
  });
  it('does not overwrite later changes with preserved fields', () => {
    const spec = { ...older.spec, template: { spec: { ...older.spec.template.spec, nodeDrainTimeout: '300s' } } };
    const stored = structuredClone(toStorage({ ...older, spec })) as unknown as typeof newer;
    stored.spec.template.spec.deletion.nodeDrainTimeoutSeconds = 60;
    expect(fromStorage(stored).spec).toMatchObject({ template: { spec: { nodeDrainTimeout: '1m0s' } } });
  });
  it('drops an annotation that conversion did not write', () => {
    const stored = {
      ...newer,
      metadata: { ...newer.metadata, annotations: { 'cluster.x-k8s.io/conversion-data': '{"spec":{}}' } },
    };
    expect(fromStorage(stored)).toEqual(older);
  });
});
