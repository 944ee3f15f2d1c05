import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { roundTrips } from '../../../test/round-trip.ts';
import { kubeadmConfigConversion as convert } from './convert.ts';
import { kubeadmConfig } from './index.ts';

const of = (version: string, spec: unknown, status?: unknown): KubeObject => ({
  apiVersion: `bootstrap.cluster.x-k8s.io/${version}`,
  kind: 'KubeadmConfig',
  metadata: { name: 'it', namespace: 'default' },
  spec,
  ...(status !== undefined && { status }),
});

describe('conversion', () => {
  roundTrips(kubeadmConfig, {
    newerOnly: [
      'spec.joinConfiguration.timeouts',
      'spec.initConfiguration.timeouts',
      'spec.diskSetup.partitions[].layout',
    ],
    olderOnly: [
      'spec.useExperimentalRetryJoin',
      ...['apiVersion', 'kind', 'clusterName', 'kubernetesVersion', 'networking'].map(
        (field) => `spec.clusterConfiguration.${field}`,
      ),
      ...['initConfiguration', 'joinConfiguration'].flatMap((c) => [`spec.${c}.apiVersion`, `spec.${c}.kind`]),
      'spec.diskSetup.partitions[].layout',
      'spec.clusterConfiguration.apiServer.timeoutForControlPlane',
    ],
    at: (path, { properties }) => {
      if (/certificateAuthorityData$/.test(path)) return fc.constant('Y2E=');
      // An API server drops bindPort 0, which v1beta1 writes for an absent value.
      if (/bindPort$/.test(path) && !properties) return fc.integer({ min: 1, max: 65535 });
      return undefined;
    },
    runs: 25,
  });

  it.each([
    {
      rule: 'converts flags to a list sorted by name',
      older: { clusterConfiguration: { apiServer: { extraArgs: { b: '2', a: '1' } } } },
      newer: {
        clusterConfiguration: {
          apiServer: {
            extraArgs: [
              { name: 'a', value: '1' },
              { name: 'b', value: '2' },
            ],
          },
        },
      },
    },
    {
      rule: 'applies the control plane timeout to init and join',
      older: {
        clusterConfiguration: { apiServer: { certSANs: ['a'], timeoutForControlPlane: '5m0s' } },
        initConfiguration: {},
        joinConfiguration: {},
      },
      newer: {
        clusterConfiguration: { apiServer: { certSANs: ['a'] } },
        initConfiguration: { timeouts: { controlPlaneComponentHealthCheckSeconds: 300 } },
        joinConfiguration: { timeouts: { controlPlaneComponentHealthCheckSeconds: 300 } },
      },
    },
    {
      rule: 'converts durations to seconds',
      older: {
        initConfiguration: { bootstrapTokens: [{ token: 'abcdef.0123456789abcdef', ttl: '24h0m0s' }] },
        joinConfiguration: { discovery: { timeout: '1m30s', tlsBootstrapToken: 't' } },
      },
      newer: {
        initConfiguration: { bootstrapTokens: [{ token: 'abcdef.0123456789abcdef', ttlSeconds: 86400 }] },
        joinConfiguration: { discovery: { tlsBootstrapToken: 't' }, timeouts: { tlsBootstrapSeconds: 90 } },
      },
    },
    {
      rule: 'drops a whole-disk layout next to a list of partitions',
      older: {
        diskSetup: { partitions: [{ device: '/dev/sdb', layout: false, diskLayout: [{ percentage: 100 }] }] },
      },
      newer: { diskSetup: { partitions: [{ device: '/dev/sdb', diskLayout: [{ percentage: 100 }] }] } },
    },
    {
      rule: 'distinguishes an empty list of taints from an absent one',
      older: { joinConfiguration: { nodeRegistration: { taints: [] } } },
      newer: { joinConfiguration: { nodeRegistration: { taints: [] } } },
    },
  ])('$rule', ({ older, newer }) => {
    expect(convert.toStorage(of('v1beta1', older)).spec).toEqual(newer);
    expect(convert.fromStorage(of('v1beta2', newer)).spec).toEqual(older);
  });

  it('preserves fields without a v1beta2 equivalent in an annotation', () => {
    const spec = { clusterConfiguration: { clusterName: 'mine' }, useExperimentalRetryJoin: true };
    const stored = convert.toStorage(of('v1beta1', spec));
    expect(stored.spec).toBeUndefined();
    expect(Object.keys(stored.metadata.annotations!)).toEqual(['cluster.x-k8s.io/conversion-data']);
    expect(convert.fromStorage(stored)).toEqual(of('v1beta1', spec));
  });

  const flags = (older: Record<string, string>) => ({ clusterConfiguration: { apiServer: { extraArgs: older } } });
  const listed = (...all: [name: string, value: string][]) => ({
    clusterConfiguration: { apiServer: { extraArgs: all.map(([name, value]) => ({ name, value })) } },
  });
  it.each([
    {
      rule: 'applies a flag edited in v1beta1, whatever the order in v1beta2',
      stored: listed(['b', '2'], ['a', '1']),
      edited: flags({ a: 'x', b: '2' }),
      becomes: listed(['a', 'x'], ['b', '2']),
    },
    {
      rule: 'keeps the order of unedited flags',
      stored: listed(['b', '2'], ['a', '1']),
      edited: flags({ a: '1', b: '2' }),
      becomes: listed(['b', '2'], ['a', '1']),
    },
    {
      rule: 'keeps timeouts that v1beta1 lacks when a v1beta1 client removes the others',
      stored: {
        initConfiguration: {
          timeouts: { controlPlaneComponentHealthCheckSeconds: 300, kubeletHealthCheckSeconds: 60 },
        },
        joinConfiguration: { timeouts: { tlsBootstrapSeconds: 30, discoverySeconds: 90 } },
      },
      edited: { joinConfiguration: { skipPhases: ['preflight'] } },
      becomes: {
        initConfiguration: { timeouts: { kubeletHealthCheckSeconds: 60 } },
        joinConfiguration: { skipPhases: ['preflight'], timeouts: { discoverySeconds: 90 } },
      },
    },
    {
      rule: 'keeps them when a v1beta1 client adds neighbouring fields',
      stored: {
        initConfiguration: { timeouts: { kubeletHealthCheckSeconds: 60 } },
        joinConfiguration: { skipPhases: ['preflight'], timeouts: { discoverySeconds: 90 } },
      },
      edited: {
        initConfiguration: { skipPhases: ['mark-control-plane'] },
        joinConfiguration: { skipPhases: ['preflight'], discovery: { timeout: '30s' } },
      },
      becomes: {
        initConfiguration: { skipPhases: ['mark-control-plane'], timeouts: { kubeletHealthCheckSeconds: 60 } },
        joinConfiguration: {
          skipPhases: ['preflight'],
          timeouts: { discoverySeconds: 90, tlsBootstrapSeconds: 30 },
        },
      },
    },
    {
      rule: 'drops a value whose v1beta1 form was edited',
      stored: { initConfiguration: { timeouts: { controlPlaneComponentHealthCheckSeconds: 300 } } },
      edited: {},
      becomes: undefined,
    },
  ])('$rule', ({ stored, edited, becomes }) => {
    const read = convert.fromStorage(of('v1beta2', stored));
    expect(convert.toStorage({ ...read, spec: edited }).spec).toEqual(becomes);
  });

  it('converts the status', () => {
    const stored = convert.toStorage(of('v1beta1', {}, { ready: true, dataSecretName: 's', failureReason: 'r' }));
    expect(stored.status).toEqual({
      initialization: { dataSecretCreated: true },
      dataSecretName: 's',
      deprecated: { v1beta1: { failureReason: 'r' } },
    });
  });
});
