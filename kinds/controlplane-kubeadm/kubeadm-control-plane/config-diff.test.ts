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
    { rule: 'matches on a joined machine', now: base, current: joined, matches: true },
    { rule: 'matches on the initialising machine', now: base, current: initialised, matches: true },
    {
      rule: 'may differ in discovery',
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
      rule: 'may differ in the control plane endpoint',
      now: base,
      current: { ...joined, clusterConfiguration: { ...joined.clusterConfiguration, controlPlaneEndpoint: 'a:1' } },
      matches: true,
    },
    {
      rule: 'may lack the feature gate that new machines get',
      now: base,
      current: { ...joined, clusterConfiguration: base.clusterConfiguration! },
      matches: true,
    },
    {
      rule: 'must have a feature gate that the control plane sets',
      now: { ...base, clusterConfiguration: { ...base.clusterConfiguration, featureGates: gate } },
      current: { ...joined, clusterConfiguration: base.clusterConfiguration! },
      matches: false,
    },
    {
      rule: 'must not turn that feature gate off',
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
      rule: 'may differ in the control plane timeout',
      now: {
        ...base,
        joinConfiguration: { ...base.joinConfiguration, timeouts: { controlPlaneComponentHealthCheckSeconds: 9 } },
      },
      current: joined,
      matches: true,
    },
    {
      rule: 'must not differ in other timeouts',
      now: { ...base, joinConfiguration: { ...base.joinConfiguration, timeouts: { discoverySeconds: 9 } } },
      current: joined,
      matches: false,
    },
    { rule: 'may set the default format', now: { ...base, format: 'cloud-config' }, current: joined, matches: true },
    { rule: 'may have empty lists', now: { ...base, users: [], mounts: [] }, current: joined, matches: true },
    {
      rule: 'must not differ in files',
      now: { ...base, files: [{ path: '/a', content: 'y' }] },
      current: joined,
      matches: false,
    },
    {
      rule: 'must not differ in API server flags',
      now: { ...base, clusterConfiguration: { apiServer: { extraArgs: flags('2') } } },
      current: joined,
      matches: false,
    },
    {
      rule: 'of a joined machine must not differ in its join settings',
      now: { ...base, joinConfiguration: { nodeRegistration: { kubeletExtraArgs: flags('2') } } },
      current: joined,
      matches: false,
    },
    {
      rule: 'of the initialising machine matches by its init settings',
      now: { ...base, joinConfiguration: { nodeRegistration: { kubeletExtraArgs: flags('2') } } },
      current: initialised,
      matches: true,
    },
    {
      rule: 'of the initialising machine matches by its join settings',
      now: { ...base, initConfiguration: { skipPhases: ['x'] } },
      current: initialised,
      matches: true,
    },
    {
      rule: 'of the initialising machine may have join timeouts, as older versions do',
      now: base,
      current: { ...initialised, joinConfiguration: { timeouts: { controlPlaneComponentHealthCheckSeconds: 240 } } },
      matches: true,
    },
    {
      rule: 'may set the default image pull policy',
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
      rule: 'must not differ in the image repository',
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
      rule: 'distinguishes an empty list of taints from the default taints',
      now: {
        ...base,
        joinConfiguration: { nodeRegistration: { ...base.joinConfiguration!.nodeRegistration, taints: [] } },
      },
      current: joined,
      matches: false,
    },
  ])('$rule', ({ now, current, matches }) => expect(matchesConfig(wanted(now), current)).toBe(matches));
});

describe('the feature gate for kubelets that use the API server on their own node', () => {
  const gateOf = (version: string) => joinConfig(wanted({}, version)).clusterConfiguration?.featureGates;
  it.each([
    { version: 'v1.30.9', gate: undefined },
    { version: 'v1.31.0', gate: { ControlPlaneKubeletLocalMode: true } },
    { version: 'v1.35.4', gate: { ControlPlaneKubeletLocalMode: true } },
    { version: 'v1.36.0', gate: undefined },
  ])('is $gate in $version', ({ version, gate }) => expect(gateOf(version)).toEqual(gate));
  it('keeps a value set by the user', () => {
    const featureGates = { ControlPlaneKubeletLocalMode: false };
    expect(joinConfig(wanted({ clusterConfiguration: { featureGates } })).clusterConfiguration?.featureGates).toEqual(
      featureGates,
    );
  });
});
