import { describe, expect, it } from 'vitest';
import { documentValue, yamlDocuments } from '../../machinery/api/yaml.ts';
import { exitCodeOf, lineOf } from './changes.ts';
import { convert, joined } from './convert.ts';

const run = async (text: string) => {
  const { texts, changes } = await convert([{ name: 'in.yaml', text }]);
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into objects of all kinds.
  const objects = yamlDocuments(joined(texts)).map((one) => documentValue(one) as Record<string, any>);
  return { objects, lines: changes.map(lineOf), code: exitCodeOf(changes) };
};

const member = (n: number, { version = 'v1.26.0', config = '' } = {}) => `
apiVersion: cluster.x-k8s.io/v1alpha2
kind: Machine
metadata:
  name: c-${n}
  labels: {cluster.x-k8s.io/cluster-name: c, cluster.x-k8s.io/control-plane: "true"}
spec:
  version: ${version}
  bootstrap: {configRef: {apiVersion: bootstrap.cluster.x-k8s.io/v1alpha2, kind: KubeadmConfig, name: c-${n}}}
  infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1alpha2, kind: AWSMachine, name: c-${n}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1alpha2
kind: AWSMachine
metadata: {name: c-${n}}
spec: {instanceType: t3.large, sshKeyName: k}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1alpha2
kind: KubeadmConfig
metadata: {name: c-${n}}
spec:
  ${n === 0 ? 'clusterConfiguration: {apiServer: {extraArgs: {v: "2"}}}\n  initConfiguration: {nodeRegistration: {name: first}}' : 'joinConfiguration: {controlPlane: {}, nodeRegistration: {name: other}}'}
  ${config}
`;
const cluster = `
apiVersion: cluster.x-k8s.io/v1alpha2
kind: Cluster
metadata: {name: c}
spec: {infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1alpha2, kind: AWSCluster, name: c}}
`;
const whole = (...members: string[]) => run([cluster, ...members].join('---\n'));

describe('control-plane Machines of v1alpha2', () => {
  it('become one control plane', async () => {
    const { objects, lines, code } = await whole(member(0), member(1), member(2));
    expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      'Cluster/c',
      'KubeadmControlPlane/c-control-plane',
      'AWSMachineTemplate/c-control-plane',
    ]);
    const [of, plane, template] = objects.map(({ spec }) => spec);
    expect(of.controlPlaneRef).toEqual({
      apiGroup: 'controlplane.cluster.x-k8s.io',
      kind: 'KubeadmControlPlane',
      name: 'c-control-plane',
    });
    expect(plane).toEqual({
      replicas: 3,
      version: 'v1.26.0',
      machineTemplate: {
        spec: {
          infrastructureRef: {
            apiGroup: 'infrastructure.cluster.x-k8s.io',
            kind: 'AWSMachineTemplate',
            name: 'c-control-plane',
          },
        },
      },
      kubeadmConfigSpec: {
        clusterConfiguration: { apiServer: { extraArgs: [{ name: 'v', value: '2' }] } },
        initConfiguration: { nodeRegistration: { name: 'first' } },
        joinConfiguration: { nodeRegistration: { name: 'other' } },
      },
    });
    expect(template.template.spec).toMatchObject({ instanceType: 't3.large', sshKeyName: 'k' });
    expect(lines).toContainEqual(
      expect.stringMatching(/kind: Machine\/c-0, Machine\/c-1, Machine\/c-2 -> KubeadmControlPlane\/c-control-plane/),
    );
    expect(code).toBe(0);
  });

  it('join as the first one, if there is no other', async () => {
    const { objects } = await whole(member(0));
    expect(objects[1]!.spec.kubeadmConfigSpec.joinConfiguration).toEqual({ nodeRegistration: { name: 'first' } });
  });

  it.each([
    { rule: 'their number is even', members: [member(0), member(1)], says: /there are 2/ },
    {
      rule: 'their versions differ',
      members: [member(0), member(1), member(2, { version: 'v1.25.0' })],
      says: /versions differ/,
    },
    {
      rule: 'their files differ',
      members: [member(0), member(1), member(2, { config: 'preKubeadmCommands: [date]' })],
      says: /files, commands or users/,
    },
    {
      rule: 'a part is missing',
      members: [member(0).replace('kind: KubeadmConfig\nmeta', 'kind: Other\nmeta')],
      says: /is not here/,
    },
  ])('stay, and are left to the user, where $rule', async ({ members, says }) => {
    const { objects, lines, code } = await whole(...members);
    expect(objects.filter(({ kind }) => kind === 'Machine')).toHaveLength(members.length);
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^error: Cluster/c: spec.controlPlaneRef .*${says.source}`)),
    );
    expect(code).toBe(1);
  });
});
