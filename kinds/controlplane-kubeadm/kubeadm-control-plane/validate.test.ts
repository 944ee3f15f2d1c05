import { describe, expect, it } from 'vitest';
import { fieldMessage } from '../../../machinery/api/errors.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { specOf } from './control-plane.fixture.ts';
import { defaultKubeadmControlPlane } from './defaults.ts';
import type { KubeadmControlPlaneSpec as Spec } from './index.ts';
import { validateKubeadmControlPlane } from './validate.ts';

const of = (spec: Partial<Spec>): KubeObject => ({
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  metadata: { name: 'it' },
  spec: specOf(spec),
});
const user = { username: 'u', groups: [] };
const faults = (next: Partial<Spec>, before?: Partial<Spec>) =>
  validateKubeadmControlPlane(of(next), {
    operation: before ? 'update' : 'create',
    user,
    dryRun: false,
    ...(before && { old: of(before) }),
  }).map((fault) => `${fault.field}: ${fieldMessage(fault)}`);
const surge = (maxSurge: number | string): Partial<Spec> => ({
  rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge } } },
});
const cluster = (
  clusterConfiguration: NonNullable<Spec['kubeadmConfigSpec']>['clusterConfiguration'],
): Partial<Spec> => ({
  kubeadmConfigSpec: { clusterConfiguration },
});
const external = { caFile: 'a', certFile: 'b', keyFile: 'c', endpoints: ['d'] };

describe('a new control plane', () => {
  it.each<{ rule: string; spec: Partial<Spec>; says?: string }>([
    { rule: 'may have three machines', spec: {} },
    {
      rule: 'has more than none',
      spec: { replicas: 0 },
      says: 'spec.replicas: Forbidden: cannot be less than or equal to 0',
    },
    {
      rule: 'has an odd number',
      spec: { replicas: 2 },
      says: 'spec.replicas: Forbidden: cannot be an even number when etcd is stacked',
    },
    {
      rule: 'may have an even number when etcd is elsewhere',
      spec: { replicas: 2, ...cluster({ etcd: { external } }) },
    },
    {
      rule: 'has a version',
      spec: { version: 'v1.35' },
      says: 'spec.version: Invalid value: "v1.35": must be a valid semantic version',
    },
    {
      rule: 'surges by one',
      spec: surge(2),
      says: 'spec.rollout.strategy.rollingUpdate.maxSurge: Required value: value must be 1 or 0',
    },
    {
      rule: 'surges by no share',
      spec: surge('50%'),
      says: 'spec.rollout.strategy.rollingUpdate.maxSurge: Required value: value must be 1 or 0',
    },
    { rule: 'may not surge with three', spec: surge(0) },
    {
      rule: 'has enough machines to go without surge',
      spec: { replicas: 1, ...surge(0) },
      says: 'spec.rollout.strategy.rollingUpdate: Required value: when KubeadmControlPlane is configured to scale-in, replica count needs to be at least 3',
    },
    {
      rule: 'rolls out a week before certificates end',
      spec: { rollout: { before: { certificatesExpiryDays: 6 } } },
      says: 'spec.rollout.before.certificatesExpiryDays: Invalid value: 6: must be greater than or equal to 7',
    },
    {
      rule: 'names machines at random',
      spec: { machineNaming: { template: '{{ .cluster.name }}' } },
      says: 'spec.machineNaming.template: Invalid value: "{{ .cluster.name }}": invalid template, {{ .random }} is missing',
    },
    {
      rule: 'has valid image tags',
      spec: cluster({ dns: { imageTag: 'a b' } }),
      says: 'spec.kubeadmConfigSpec.clusterConfiguration.dns.imageTag: Forbidden: tag a b is invalid',
    },
    {
      rule: 'has a tag of CoreDNS that is a version',
      spec: cluster({ dns: { imageTag: 'latest' } }),
      says: 'spec.kubeadmConfigSpec.clusterConfiguration.dns.imageTag: Invalid value: "latest": failed to parse CoreDNS version',
    },
    { rule: 'may append to a tag of CoreDNS', spec: cluster({ dns: { imageTag: 'v1.11.1-eksbuild.4' } }) },
  ])('$rule', ({ spec, says }) => expect(faults(spec)).toEqual(says ? [says] : []));

  it('has valid labels', () => {
    const machineTemplate = { ...specOf().machineTemplate, metadata: { labels: { 'a b': 'c' } } };
    expect(faults({ machineTemplate })[0]).toMatch(
      /^spec.machineTemplate.metadata.labels: Invalid value: "a b": name part must consist/,
    );
  });
});

describe('a change', () => {
  const noChange = 'Forbidden: cannot be modified';
  const path = 'spec.kubeadmConfigSpec.clusterConfiguration';
  it.each<{ rule: string; before: Partial<Spec>; after: Partial<Spec>; says?: string }>([
    { rule: 'of the number is fine', before: {}, after: { replicas: 5 } },
    { rule: 'to the next minor is fine', before: {}, after: { version: 'v1.36.3' } },
    { rule: 'to an earlier minor is not refused here', before: {}, after: { version: 'v1.34.0' } },
    {
      rule: 'by two minors is refused',
      before: {},
      after: { version: 'v1.37.0' },
      says: 'spec.version: Forbidden: cannot update Kubernetes version from v1.35.0 to v1.37.0',
    },
    { rule: 'of flags is fine', before: {}, after: cluster({ apiServer: { extraArgs: [{ name: 'v', value: '4' }] } }) },
    {
      rule: 'of files and commands is fine',
      before: {},
      after: { kubeadmConfigSpec: { files: [{ path: '/a' }], preKubeadmCommands: ['x'], users: [{ name: 'u' }] } },
    },
    {
      rule: 'of how machines join is fine',
      before: {},
      after: { kubeadmConfigSpec: { joinConfiguration: { nodeRegistration: { name: 'x' }, caCertPath: '/x' } } },
    },
    {
      rule: 'of the endpoint is refused',
      before: cluster({ controlPlaneEndpoint: 'a:1' }),
      after: cluster({ controlPlaneEndpoint: 'b:1' }),
      says: `${path}.controlPlaneEndpoint: ${noChange}`,
    },
    {
      rule: 'of the directory of certificates is refused',
      before: {},
      after: cluster({ certificatesDir: '/a' }),
      says: `${path}.certificatesDir: ${noChange}`,
    },
    {
      rule: 'of the life of CAs is refused',
      before: {},
      after: cluster({ caCertificateValidityPeriodDays: 10000 }),
      says: `${path}.caCertificateValidityPeriodDays: ${noChange}`,
    },
    { rule: 'of the life of certificates is fine', before: {}, after: cluster({ certificateValidityPeriodDays: 100 }) },
    {
      rule: 'to external etcd is refused',
      before: {},
      after: cluster({ etcd: { external } }),
      says: `${path}.etcd.external: Forbidden: cannot change between external and local etcd`,
    },
    {
      rule: 'from external etcd is refused',
      before: cluster({ etcd: { external } }),
      after: cluster({ etcd: { local: { dataDir: '/d' } } }),
      says: `${path}.etcd.local: Forbidden: cannot change between external and local etcd`,
    },
    {
      rule: 'of CoreDNS to an older version is refused',
      before: cluster({ dns: { imageTag: 'v1.12.0' } }),
      after: cluster({ dns: { imageTag: 'v1.11.3' } }),
      says: `${path}.dns.imageTag: Forbidden: cannot migrate CoreDNS up to 'v1.11.3' from 'v1.12.0': it would be a downgrade`,
    },
    {
      rule: 'of CoreDNS to an older version of a distribution is refused',
      before: cluster({ dns: { imageTag: 'v1.9.3_vmware.2' } }),
      after: cluster({ dns: { imageTag: 'v1.8.6_vmware.16' } }),
      says: `${path}.dns.imageTag: Forbidden: cannot migrate CoreDNS up to 'v1.8.6_vmware.16' from 'v1.9.3_vmware.2': it would be a downgrade`,
    },
    {
      rule: 'of what a distribution adds to the version of CoreDNS is fine',
      before: cluster({ dns: { imageTag: 'v1.8.7-eks-1-23-9' } }),
      after: cluster({ dns: { imageTag: 'v1.8.7-eks-1-23-10' } }),
    },
  ])('$rule', ({ before, after, says }) => expect(faults(after, before)).toEqual(says ? [says] : []));

  it('of CoreDNS to an older version is fine if the update is skipped', () => {
    const [before, after] = ['v1.12.0', 'v1.11.3'].map((imageTag) => of(cluster({ dns: { imageTag } })));
    const left = {
      ...after!,
      metadata: { ...after!.metadata, annotations: { 'controlplane.cluster.x-k8s.io/skip-coredns': '' } },
    };
    expect(validateKubeadmControlPlane(left, { operation: 'update', old: before!, user, dryRun: false })).toEqual([]);
  });

  it('of the status is not looked at, nor is a deletion', () => {
    const bad = of({ replicas: 0 });
    expect(
      validateKubeadmControlPlane(bad, { operation: 'update', old: bad, user, dryRun: false, subresource: 'status' }),
    ).toEqual([]);
    expect(validateKubeadmControlPlane(bad, { operation: 'delete', old: bad, user, dryRun: false })).toEqual([]);
  });
});

describe('defaults', () => {
  it.each<{ rule: string; given: Partial<Spec>; expected: object }>([
    { rule: 'one machine', given: { replicas: undefined } as never, expected: { replicas: 1 } },
    { rule: 'a leading v', given: { version: '1.35.0' }, expected: { version: 'v1.35.0' } },
    {
      rule: 'a surge of one',
      given: { rollout: {} },
      expected: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
    },
    { rule: 'never over what is given', given: surge(0), expected: surge(0) },
  ])('$rule', ({ given, expected }) => expect(defaultKubeadmControlPlane(of(given)).spec).toMatchObject(expected));
});
