import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundTrips } from '../../../test/round-trip.ts';
import { fromStorage, toStorage } from './convert.ts';
import { machine } from './index.ts';

describe('conversion', () => {
  roundTrips(machine, {
    newerOnly: ['spec.minReadySeconds', 'status.failureDomain'],
    at: (path, { properties }) => {
      // v1beta1 clients see Running while a Machine is updated in place.
      if (path === 'status.phase') return fc.constantFrom('Pending', 'Running', 'Deleting');
      if (path === 'status.nodeRef' && properties?.uid)
        return fc.record({ apiVersion: fc.constant('v1'), kind: fc.constant('Node'), name: fc.constant('node-1') });
      return undefined;
    },
  });

  it('means the same in both versions', () => {
    const metadata = { name: 'm', namespace: 'default' };
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const modern = { ...ready, reason: 'Ready', message: '' };
    const older = {
      apiVersion: 'cluster.x-k8s.io/v1beta1',
      kind: 'Machine',
      metadata,
      spec: {
        clusterName: 'c',
        bootstrap: { dataSecretName: 's' },
        infrastructureRef: {
          apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
          kind: 'AWSMachine',
          name: 'm',
          namespace: 'default',
        },
        nodeDeletionTimeout: '10s',
      },
      status: {
        bootstrapReady: true,
        infrastructureReady: true,
        nodeRef: { apiVersion: 'v1', kind: 'Node', name: 'n' },
        phase: 'Running',
        conditions: [ready],
        v1beta2: { conditions: [modern] },
      },
    };
    const newer = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      metadata,
      spec: {
        clusterName: 'c',
        bootstrap: { dataSecretName: 's' },
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachine', name: 'm' },
        deletion: { nodeDeletionTimeoutSeconds: 10 },
      },
      status: {
        initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
        nodeRef: { name: 'n' },
        phase: 'Running',
        conditions: [modern],
        deprecated: { v1beta1: { conditions: [ready] } },
      },
    };
    expect(toStorage(older)).toEqual(newer);
    expect(fromStorage(newer)).toEqual(older);
  });
  it('restores the identity of a node that only v1beta1 names', () => {
    const object = {
      apiVersion: 'cluster.x-k8s.io/v1beta1',
      kind: 'Machine',
      metadata: { name: 'm' },
      status: { nodeRef: { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' } },
    };
    expect(fromStorage(toStorage(object))).toEqual(object);
  });
});
