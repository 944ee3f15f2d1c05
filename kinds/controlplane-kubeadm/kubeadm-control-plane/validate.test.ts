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
      rule: 'must have more than zero replicas',
      spec: { replicas: 0 },
      says: 'spec.replicas: Forbidden: cannot be less than or equal to 0',
    },
    {
      rule: 'must have an odd number of replicas',
      spec: { replicas: 2 },
      says: 'spec.replicas: Forbidden: cannot be an even number when etcd is stacked',
    },
    {
      rule: 'may have an even number with external etcd',
      spec: { replicas: 2, ...cluster({ etcd: { external } }) },
    },
    {
      rule: 'must have a version',
      spec: { version: 'v1.35' },
      says: 'spec.version: Invalid value: "v1.35": must be a valid semantic version',
    },
    {
      rule: 'may surge by at most one',
      spec: surge(2),
      says: 'spec.rollout.strategy.rollingUpdate.maxSurge: Required value: value must be 1 or 0',
    },
    {
      rule: 'must not surge by a percentage',
      spec: surge('50%'),
      says: 'spec.rollout.strategy.rollingUpdate.maxSurge: Required value: value must be 1 or 0',
    },
    { rule: 'may have no surge with three replicas', spec: surge(0) },
    {
      rule: 'needs enough replicas without surge',
      spec: { replicas: 1, ...surge(0) },
      says: 'spec.rollout.strategy.rollingUpdate: Required value: when KubeadmControlPlane is configured to scale-in, replica count needs to be at least 3',
    },
    {
      rule: 'must roll out at least a week before certificates expire',
      spec: { rollout: { before: { certificatesExpiryDays: 6 } } },
      says: 'spec.rollout.before.certificatesExpiryDays: Invalid value: 6: must be greater than or equal to 7',
    },
    {
      rule: 'must use a random suffix in machine names',
      spec: { machineNaming: { template: '{{ .cluster.name }}' } },
      says: 'spec.machineNaming.template: Invalid value: "{{ .cluster.name }}": invalid template, {{ .random }} is missing',
    },
    {
      rule: 'must have valid image tags',
      spec: cluster({ dns: { imageTag: 'a b' } }),
      says: 'spec.kubeadmConfigSpec.clusterConfiguration.dns.imageTag: Forbidden: tag a b is invalid',
    },
    {
      rule: 'must have a CoreDNS tag that is a version',
      spec: cluster({ dns: { imageTag: 'latest' } }),
      says: 'spec.kubeadmConfigSpec.clusterConfiguration.dns.imageTag: Invalid value: "latest": failed to parse CoreDNS version',
    },
    { rule: 'may append a suffix to the CoreDNS tag', spec: cluster({ dns: { imageTag: 'v1.11.1-eksbuild.4' } }) },
  ])('$rule', ({ spec, says }) => expect(faults(spec)).toEqual(says ? [says] : []));

  it('must have valid labels', () => {
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
    { rule: 'of the replicas is allowed', before: {}, after: { replicas: 5 } },
    { rule: 'to the next minor version is allowed', before: {}, after: { version: 'v1.36.3' } },
    { rule: 'to an earlier minor version passes this check', before: {}, after: { version: 'v1.34.0' } },
    {
      rule: 'by two minor versions is rejected',
      before: {},
      after: { version: 'v1.37.0' },
      says: 'spec.version: Forbidden: cannot update Kubernetes version from v1.35.0 to v1.37.0',
    },
    {
      rule: 'of flags is allowed',
      before: {},
      after: cluster({ apiServer: { extraArgs: [{ name: 'v', value: '4' }] } }),
    },
    {
      rule: 'of files and commands is allowed',
      before: {},
      after: { kubeadmConfigSpec: { files: [{ path: '/a' }], preKubeadmCommands: ['x'], users: [{ name: 'u' }] } },
    },
    {
      rule: 'of join settings is allowed',
      before: {},
      after: { kubeadmConfigSpec: { joinConfiguration: { nodeRegistration: { name: 'x' }, caCertPath: '/x' } } },
    },
    {
      rule: 'of the endpoint is rejected',
      before: cluster({ controlPlaneEndpoint: 'a:1' }),
      after: cluster({ controlPlaneEndpoint: 'b:1' }),
      says: `${path}.controlPlaneEndpoint: ${noChange}`,
    },
    {
      rule: 'of the certificates directory is rejected',
      before: {},
      after: cluster({ certificatesDir: '/a' }),
      says: `${path}.certificatesDir: ${noChange}`,
    },
    {
      rule: 'of the CA validity is rejected',
      before: {},
      after: cluster({ caCertificateValidityPeriodDays: 10000 }),
      says: `${path}.caCertificateValidityPeriodDays: ${noChange}`,
    },
    {
      rule: 'of the certificate validity is allowed',
      before: {},
      after: cluster({ certificateValidityPeriodDays: 100 }),
    },
    {
      rule: 'to external etcd is rejected',
      before: {},
      after: cluster({ etcd: { external } }),
      says: `${path}.etcd.external: Forbidden: cannot change between external and local etcd`,
    },
    {
      rule: 'from external etcd is rejected',
      before: cluster({ etcd: { external } }),
      after: cluster({ etcd: { local: { dataDir: '/d' } } }),
      says: `${path}.etcd.local: Forbidden: cannot change between external and local etcd`,
    },
    {
      rule: 'of CoreDNS to an older version is rejected',
      before: cluster({ dns: { imageTag: 'v1.12.0' } }),
      after: cluster({ dns: { imageTag: 'v1.11.3' } }),
      says: `${path}.dns.imageTag: Forbidden: cannot migrate CoreDNS up to 'v1.11.3' from 'v1.12.0': it would be a downgrade`,
    },
    {
      rule: 'of CoreDNS to an older version of a distribution is rejected',
      before: cluster({ dns: { imageTag: 'v1.9.3_vmware.2' } }),
      after: cluster({ dns: { imageTag: 'v1.8.6_vmware.16' } }),
      says: `${path}.dns.imageTag: Forbidden: cannot migrate CoreDNS up to 'v1.8.6_vmware.16' from 'v1.9.3_vmware.2': it would be a downgrade`,
    },
    {
      rule: 'of the distribution suffix of CoreDNS is allowed',
      before: cluster({ dns: { imageTag: 'v1.8.7-eks-1-23-9' } }),
      after: cluster({ dns: { imageTag: 'v1.8.7-eks-1-23-10' } }),
    },
  ])('$rule', ({ before, after, says }) => expect(faults(after, before)).toEqual(says ? [says] : []));

  it('of CoreDNS to an older version is allowed if the update is skipped', () => {
    const [before, after] = ['v1.12.0', 'v1.11.3'].map((imageTag) => of(cluster({ dns: { imageTag } })));
    const left = {
      ...after!,
      metadata: { ...after!.metadata, annotations: { 'controlplane.cluster.x-k8s.io/skip-coredns': '' } },
    };
    expect(validateKubeadmControlPlane(left, { operation: 'update', old: before!, user, dryRun: false })).toEqual([]);
  });

  it('is judged by the version that runs where the former spec was not carried out', () => {
    const before = { ...of({ version: 'v1.34.0' }), status: { version: 'v1.35.0' } };
    const faultsOf = (version: string) =>
      validateKubeadmControlPlane(of({ version }), { operation: 'update', old: before, user, dryRun: false });
    expect(faultsOf('v1.36.0')).toEqual([]);
    expect(faultsOf('v1.37.0')).toHaveLength(1);
  });

  it('of the status is not validated, nor is a deletion', () => {
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
    { rule: 'nothing that is already set', given: surge(0), expected: surge(0) },
  ])('$rule', ({ given, expected }) => expect(defaultKubeadmControlPlane(of(given)).spec).toMatchObject(expected));
});
