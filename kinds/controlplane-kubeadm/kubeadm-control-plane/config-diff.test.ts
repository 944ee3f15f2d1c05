import { describe, expect, it } from 'vitest';
import type { KubeadmConfigSpec } from '../../bootstrap-kubeadm/kubeadm-config/index.ts';
import { matchesConfig } from './config-diff.ts';
import { specOf } from './control-plane.fixture.ts';
import { initConfig, joinConfig } from './desired-config.ts';

const flags = (value: string) => [{ name: 'v', value }];
const base: KubeadmConfigSpec = {
  clusterConfiguration: { apiServer: { extraArgs: flags('1') } },
  initConfiguration: { nodeRegistration: { kubeletExtraArgs: flags('1') } },
  joinConfiguration: { nodeRegistration: { kubeletExtraArgs: flags('1') } },
  files: [{ path: '/a', content: 'x' }],
};
const wanted = (kubeadmConfigSpec: KubeadmConfigSpec, version = 'v1.35.0') => specOf({ kubeadmConfigSpec, version });
const gate = { ControlPlaneKubeletLocalMode: true };
const noGate = { ControlPlaneKubeletLocalMode: false };
const joined = joinConfig(wanted(base));
const initialised = initConfig(wanted(base));

describe('a machine’s config', () => {
  it.each<{ rule: string; now: KubeadmConfigSpec; current: KubeadmConfigSpec; matches: boolean }>([
    { rule: 'of a joined machine matches', now: base, current: joined, matches: true },
    { rule: 'of the initialising machine matches', now: base, current: initialised, matches: true },
    {
      rule: 'may differ in how the cluster was found',
      now: base,
      current: {
        ...joined,
        joinConfiguration: {
          ...joined.joinConfiguration,
          discovery: { bootstrapToken: { token: 'abcdef.0123456789abcdef' } },
        },
      },
      matches: true,
    },
    {
      rule: 'may differ in the endpoint',
      now: base,
      current: { ...joined, clusterConfiguration: { ...joined.clusterConfiguration, controlPlaneEndpoint: 'a:1' } },
      matches: true,
    },
    {
      rule: 'may lack the gate that new machines get',
      now: base,
      current: { ...joined, clusterConfiguration: base.clusterConfiguration! },
      matches: true,
    },
    {
      rule: 'may not lack the gate that the control plane names',
      now: { ...base, clusterConfiguration: { ...base.clusterConfiguration, featureGates: gate } },
      current: { ...joined, clusterConfiguration: base.clusterConfiguration! },
      matches: false,
    },
    {
      rule: 'may not turn that gate off',
      now: base,
      current: { ...joined, clusterConfiguration: { ...base.clusterConfiguration, featureGates: noGate } },
      matches: false,
    },
    {
      rule: 'may differ in DNS',
      now: { ...base, clusterConfiguration: { ...base.clusterConfiguration, dns: { imageTag: 'v1.12.1' } } },
      current: joined,
      matches: true,
    },
    {
      rule: 'may differ in waits for the control plane',
      now: {
        ...base,
        joinConfiguration: { ...base.joinConfiguration, timeouts: { controlPlaneComponentHealthCheckSeconds: 9 } },
      },
      current: joined,
      matches: true,
    },
    {
      rule: 'may not differ in other waits',
      now: { ...base, joinConfiguration: { ...base.joinConfiguration, timeouts: { discoverySeconds: 9 } } },
      current: joined,
      matches: false,
    },
    { rule: 'may say the default format', now: { ...base, format: 'cloud-config' }, current: joined, matches: true },
    { rule: 'may have empty parts', now: { ...base, users: [], mounts: [] }, current: joined, matches: true },
    {
      rule: 'may not differ in files',
      now: { ...base, files: [{ path: '/a', content: 'y' }] },
      current: joined,
      matches: false,
    },
    {
      rule: 'may not differ in flags of the API server',
      now: { ...base, clusterConfiguration: { apiServer: { extraArgs: flags('2') } } },
      current: joined,
      matches: false,
    },
    {
      rule: 'of a joined machine may not differ in how it joins',
      now: { ...base, joinConfiguration: { nodeRegistration: { kubeletExtraArgs: flags('2') } } },
      current: joined,
      matches: false,
    },
    {
      rule: 'of the initialising machine still matches as it was initialised',
      now: { ...base, joinConfiguration: { nodeRegistration: { kubeletExtraArgs: flags('2') } } },
      current: initialised,
      matches: true,
    },
    {
      rule: 'of the initialising machine matches as if it had joined',
      now: { ...base, initConfiguration: { skipPhases: ['x'] } },
      current: initialised,
      matches: true,
    },
    {
      rule: 'of the initialising machine may have waits for joining, as older versions have it',
      now: base,
      current: { ...initialised, joinConfiguration: { timeouts: { controlPlaneComponentHealthCheckSeconds: 240 } } },
      matches: true,
    },
    {
      rule: 'may name the default image pull policy',
      now: {
        ...base,
        joinConfiguration: {
          nodeRegistration: { ...base.joinConfiguration!.nodeRegistration, imagePullPolicy: 'IfNotPresent' },
        },
      },
      current: joined,
      matches: true,
    },
    {
      rule: 'may not differ in where images come from',
      now: {
        ...base,
        joinConfiguration: {
          nodeRegistration: { ...base.joinConfiguration!.nodeRegistration, imagePullPolicy: 'Always' },
        },
      },
      current: joined,
      matches: false,
    },
    {
      rule: 'tells no taints from the default ones',
      now: {
        ...base,
        joinConfiguration: { nodeRegistration: { ...base.joinConfiguration!.nodeRegistration, taints: [] } },
      },
      current: joined,
      matches: false,
    },
  ])('$rule', ({ now, current, matches }) => expect(matchesConfig(wanted(now), current)).toBe(matches));
});

describe('the gate for kubelets that use the API server of their own node', () => {
  const gateOf = (version: string) => joinConfig(wanted({}, version)).clusterConfiguration?.featureGates;
  it.each([
    { version: 'v1.30.9', gate: undefined },
    { version: 'v1.31.0', gate: { ControlPlaneKubeletLocalMode: true } },
    { version: 'v1.35.4', gate: { ControlPlaneKubeletLocalMode: true } },
    { version: 'v1.36.0', gate: undefined },
  ])('of $version is $gate', ({ version, gate }) => expect(gateOf(version)).toEqual(gate));
  it('is the user’s when given', () => {
    const featureGates = { ControlPlaneKubeletLocalMode: false };
    expect(joinConfig(wanted({ clusterConfiguration: { featureGates } })).clusterConfiguration?.featureGates).toEqual(
      featureGates,
    );
  });
});
