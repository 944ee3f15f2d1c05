import { describe, expect, it } from 'vitest';
import { outcomeOf } from './check.ts';
import { checksOfManifests } from './manifests.ts';

const finding = async (apiVersion: string, kind: string) => {
  const [check] = checksOfManifests('old.yaml', [`{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x}}`]);
  return outcomeOf(check!);
};

it.each([
  { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', level: 'ok', says: /v1beta2/ },
  { apiVersion: 'v1', kind: 'Secret', level: 'ok', says: /v1/ },
  {
    apiVersion: 'cluster.x-k8s.io/v1alpha3',
    kind: 'Cluster',
    level: 'failed',
    says: /no longer served: .*convert .*-f old.yaml \| kubectl apply -f -$/,
  },
  {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSFargateProfile',
    level: 'failed',
    says: /^AWSFargateProfile is not served by Capstan; of infrastructure.cluster.x-k8s.io it serves AWSCluster, /,
  },
  { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'MachinePool', level: 'ok', says: /v1beta1/ },
  {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha9',
    kind: 'AWSCluster',
    level: 'failed',
    says: /^infrastructure.cluster.x-k8s.io\/v1alpha9 is not served: AWSCluster is in .*\/v1beta2$/,
  },
  { apiVersion: 'apps/v1', kind: 'Deployment', level: 'warning', says: /belongs into a workload cluster/ },
])('$kind in $apiVersion: $level', async ({ apiVersion, kind, level, says }) => {
  expect(await finding(apiVersion, kind)).toEqual({ level, says: expect.stringMatching(says) });
});

it.each([
  ['hello', 'this is no object: it has no fields'],
  ['resources: [a]', 'it is no Kubernetes object without apiVersion and kind'],
])('%j is no object', async (text, says) => {
  const outcomes = await Promise.all(checksOfManifests('it.yaml', [text]).map(outcomeOf));
  expect(outcomes).toEqual([{ level: 'failed', says }]);
});

describe('what programs are started with', () => {
  const controlPlane = (version: string) =>
    `{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlane, metadata: {name: cp}, spec: {version: ${version}, kubeadmConfigSpec: {clusterConfiguration: {apiServer: {extraArgs: [{name: cloud-provider, value: external}]}}}}}`;
  const template = `{apiVersion: bootstrap.cluster.x-k8s.io/v1beta2, kind: KubeadmConfigTemplate, metadata: {name: md}, spec: {template: {spec: {preKubeadmCommands: ["{{ .Values.x }}"]}}}}`;
  const deployment = `{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: md}, spec: {template: {spec: {version: v1.35.0, bootstrap: {configRef: {kind: KubeadmConfigTemplate, name: md}}}}}}`;
  const faults = async (...documents: string[]) => {
    const findings = await Promise.all(checksOfManifests('it.yaml', [documents.join('\n---\n')]).map(outcomeOf));
    return findings.flatMap(({ level, says }) => (level === 'failed' ? [says] : []));
  };
  it('is judged by the version, with the code of the finding', async () => {
    expect(await faults(controlPlane('v1.32.0'))).toEqual([]);
    expect(await faults(controlPlane('v1.34.0'))).toEqual([
      'FlagRemoved: spec.kubeadmConfigSpec.clusterConfiguration.apiServer.extraArgs: kube-apiserver of v1.34 would exit: there is no flag --cloud-provider (the last release with it is v1.32): remove it',
    ]);
  });
  it('of workers is judged with the version of the MachineDeployment', async () => {
    expect(await faults(template)).toEqual([]);
    expect(await faults(template, deployment)).toEqual([
      expect.stringMatching(/^TemplateRefused: .*preKubeadmCommands/),
    ]);
  });
});
