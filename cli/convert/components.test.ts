import { describe, expect, it } from 'vitest';
import { documentValue, yamlDocuments } from '../../machinery/api/yaml.ts';
import { exitCodeOf, lineOf } from './changes.ts';
import { convert, joined } from './convert.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests look into objects of all kinds.
type Loose = Record<string, any>;

const run = async (text: string) => {
  const { texts, changes } = await convert([{ name: 'in.yaml', text }]);
  const objects = yamlDocuments(joined(texts)).map((one) => documentValue(one) as Loose);
  return { objects, lines: changes.map(lineOf), code: exitCodeOf(changes) };
};
const plane = (version: string, config: string) => `
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata: {name: cp}
spec:
  version: ${version}
  machineTemplate: {infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AWSMachineTemplate, name: t}}
  kubeadmConfigSpec: ${config}
`;
const cluster = `
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: c}
spec: {controlPlaneRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlane, name: cp}}
`;

describe('flags', () => {
  it.each([
    {
      rule: 'the API server has no cloud provider',
      version: 'v1.26.0',
      part: 'apiServer',
      args: '{cloud-provider: aws, a: b}',
      is: { a: 'b' },
    },
    {
      rule: 'that of the controller manager is external',
      version: 'v1.26.0',
      part: 'controllerManager',
      args: '{cloud-provider: aws}',
      is: { 'cloud-provider': 'external' },
    },
    {
      rule: 'a flag goes with its version',
      version: 'v1.24.0',
      part: 'apiServer',
      args: '{insecure-port: "0", a: b}',
      is: { a: 'b' },
    },
    {
      rule: 'and stays before',
      version: 'v1.23.0',
      part: 'apiServer',
      args: '{insecure-port: "0"}',
      is: { 'insecure-port': '0' },
    },
    {
      rule: 'a flag goes that only the tables know',
      version: 'v1.33.0',
      part: 'apiServer',
      args: '{cloud-config: /etc/aws.conf, a: b}',
      is: { a: 'b' },
    },
    {
      rule: 'an admission plugin leaves the list',
      version: 'v1.25.0',
      part: 'apiServer',
      args: '{enable-admission-plugins: "NodeRestriction,PodSecurityPolicy"}',
      is: { 'enable-admission-plugins': 'NodeRestriction' },
    },
    {
      rule: 'a gate leaves the list',
      version: 'v1.27.0',
      part: 'controllerManager',
      args: '{feature-gates: "CSIMigrationAWS=true,A=false"}',
      is: { 'feature-gates': 'A=false' },
    },
  ])('$rule', async ({ version, part, args, is }) => {
    const { objects, code } = await run(plane(version, `{clusterConfiguration: {${part}: {extraArgs: ${args}}}}`));
    const list = objects[0]!.spec.kubeadmConfigSpec.clusterConfiguration[part].extraArgs as Loose[];
    expect(Object.fromEntries(list.map(({ name, value }) => [name, value]))).toEqual(is);
    expect(code).toBe(0);
  });

  it('stay, with a note, while the version is not known', async () => {
    const { objects, lines } = await run(`
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {name: k}
spec: {template: {spec: {joinConfiguration: {nodeRegistration: {kubeletExtraArgs: {network-plugin: cni}}}}}}
`);
    const { nodeRegistration } = objects[0]!.spec.template.spec.joinConfiguration;
    expect(nodeRegistration.kubeletExtraArgs).toEqual([{ name: 'network-plugin', value: 'cni' }]);
    expect(lines).toContainEqual(expect.stringMatching(/^note: .*network-plugin.*has no such flag after v1.23/));
  });
});

describe('labels of control planes', () => {
  it.each([
    ['node-role.kubernetes.io/control-plane=', undefined],
    ['a=b,node-role.kubernetes.io/master', 'a=b'],
    ['node-role.kubernetes.io/infra=', 'node-role.kubernetes.io/infra='],
  ])('%s becomes %s', async (value, is) => {
    const config = `{initConfiguration: {nodeRegistration: {name: n, kubeletExtraArgs: {node-labels: "${value}"}}}}`;
    const { objects } = await run(plane('v1.30.0', config));
    const { kubeletExtraArgs = [] } = objects[0]!.spec.kubeadmConfigSpec.initConfiguration.nodeRegistration;
    expect(kubeletExtraArgs.map(({ value: now }: Loose) => now)).toEqual(is === undefined ? [] : [is]);
  });
});

describe('an external cloud provider', () => {
  const config = '{clusterConfiguration: {controllerManager: {extraArgs: {cloud-provider: aws}}}}';
  it('comes with its manager, in the version of the cluster', async () => {
    const { objects } = await run(`${cluster}---${plane('v1.29.4', config)}`);
    expect(objects.map(({ kind }) => kind)).toEqual([
      'Cluster',
      'KubeadmControlPlane',
      'ClusterResourceSet',
      'ConfigMap',
    ]);
    const [{ metadata }, , set, map] = objects as [Loose, Loose, Loose, Loose];
    expect(metadata.labels).toEqual(set.spec.clusterSelector.matchLabels);
    expect(set.spec.resources).toEqual([{ kind: 'ConfigMap', name: map.metadata.name }]);
    expect(map.data['cloud-controller-manager.yaml']).toContain('cloud-controller-manager:v1.29.0');
  });
  it.each([
    { of: 'of its class', name: 'fleet', label: 'external-v1.32' },
    { of: 'of another class', name: 'other', label: undefined },
  ])('comes with its manager for a Cluster $of', async ({ name, label }) => {
    const topology = `{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, metadata: {name: c}, spec: {topology: {class: ${name}, version: v1.32.1}}}`;
    const reference =
      'ref: {apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlaneTemplate, name: cp}';
    const fleet = `{apiVersion: cluster.x-k8s.io/v1beta1, kind: ClusterClass, metadata: {name: fleet}, spec: {controlPlane: {${reference}}}}`;
    const template = `{apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlaneTemplate, metadata: {name: cp}, spec: {template: {spec: {kubeadmConfigSpec: ${config}}}}}`;
    const { objects } = await run([topology, fleet, template].join('\n---\n'));
    expect(objects[0]!.metadata.labels?.['cloud-controller-manager']).toBe(label);
    expect(objects.some(({ kind }) => kind === 'ClusterResourceSet')).toBe(label !== undefined);
  });
  it('has one manager for each version of a namespace', async () => {
    const second = (text: string) => text.replaceAll(/name: (c|cp)\b/g, 'name: $12');
    const versions = async (other: string) => {
      const text = [cluster, plane('v1.29.4', config), second(cluster), second(plane(other, config))].join('---\n');
      const { objects } = await run(text);
      return objects.flatMap(({ kind, metadata }) => (kind === 'ConfigMap' ? [metadata.name] : []));
    };
    expect(await versions('v1.29.9')).toEqual(['cloud-controller-manager-v1.29']);
    expect(await versions('v1.31.2')).toEqual(['cloud-controller-manager-v1.29', 'cloud-controller-manager-v1.31']);
  });
  it('takes the manager that is there', async () => {
    const own =
      '---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: ccm}, data: {a: "cloud-controller-manager"}}\n';
    const { objects } = await run(`${cluster}---${plane('v1.29.4', config)}${own}`);
    expect(objects.map(({ kind }) => kind)).toEqual(['Cluster', 'KubeadmControlPlane', 'ConfigMap']);
  });
  it('is only named where the author left AWS to one already', async () => {
    const external = '{initConfiguration: {nodeRegistration: {kubeletExtraArgs: {cloud-provider: external}}}}';
    const own =
      '---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: ccm}, data: {a: "cloud-controller-manager"}}\n';
    const isNamed = expect.stringMatching(/^note: KubeadmControlPlane.*its Nodes wait for a cloud controller manager/);
    const { objects, lines } = await run(`${cluster}---${plane('v1.29.4', external)}`);
    expect(objects.map(({ kind }) => kind)).toEqual(['Cluster', 'KubeadmControlPlane']);
    expect(lines).toContainEqual(isNamed);
    expect((await run(`${cluster}---${plane('v1.29.4', external)}${own}`)).lines).not.toContainEqual(isNamed);
  });
  it('finds hosts by the names that the former provider gave their Nodes', async () => {
    const named = async (registration: string) => {
      const { objects, lines } = await run(
        `${cluster}---${plane('v1.29.4', `{joinConfiguration: {nodeRegistration: ${registration}}}`)}`,
      );
      const { name } = objects[1]!.spec.kubeadmConfigSpec.joinConfiguration.nodeRegistration;
      return [name, lines.some((line) => /nodeRegistration.name/.test(line))];
    };
    const host = '{{ ds.meta_data.local_hostname }}';
    expect(await named('{kubeletExtraArgs: {cloud-provider: aws}}')).toEqual([host, true]);
    expect(await named("{name: 'n', kubeletExtraArgs: {cloud-provider: aws}}")).toEqual(['n', false]);
    expect(await named('{kubeletExtraArgs: {cloud-provider: aws, provider-id: p}}')).toEqual([undefined, false]);
    // The author knows the image.
    expect(await named('{kubeletExtraArgs: {cloud-provider: external}}')).toEqual([undefined, true]);
    expect(await named('{kubeletExtraArgs: {v: "2"}}')).toEqual([undefined, false]);
  });
  it('is noted where nothing names one', async () => {
    const isNoted = expect.stringMatching(/^note: KubeadmControlPlane.*its kubelets have no cloud-provider/);
    expect((await run(`${cluster}---${plane('v1.29.4', '{}')}`)).lines).toContainEqual(isNoted);
    const byId = '{joinConfiguration: {nodeRegistration: {kubeletExtraArgs: {provider-id: a}}}}';
    expect((await run(`${cluster}---${plane('v1.29.4', byId)}`)).lines).not.toContainEqual(isNoted);
  });
  it('is said where the Cluster is not here', async () => {
    const { lines } = await run(plane('v1.29.4', config));
    expect(lines).toContainEqual(expect.stringMatching(/^note: .*needs a cloud controller manager/));
  });
});

describe('add-ons for control planes', () => {
  const addOn = (text: string) => `apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  a.yaml: |
${text.replace(/^/gm, '    ')}
`;
  const master = 'node-role.kubernetes.io/master';
  const current = 'node-role.kubernetes.io/control-plane';
  const selector = `nodeSelector:\n  ${master}: ""\ntolerations:\n- key: "${master}"\n  effect: NoSchedule`;
  const texts = async (version: string, text: string) => {
    const { objects, lines } = await run(`${plane(version, '{}')}---\n${addOn(text)}`);
    return {
      text: String(objects.at(-1)!.data['a.yaml']).trim(),
      lines: lines.filter((line) => /ConfigMap/.test(line)),
    };
  };
  it('have their label and taint of today', async () => {
    expect(await texts('v1.25.0', selector)).toEqual({
      text: selector.replaceAll(master, current),
      lines: [`ConfigMap/a: data: ${master} -> ${current} (control planes have no such label or taint since v1.25)`],
    });
    expect(await texts('v1.24.0', selector)).toEqual({ text: selector, lines: [] });
  });
  it.each([
    `tolerations:\n- key: ${master}\n- key: ${current}`,
    `nodeSelector:\n  ${current}: ""\ntolerations:\n- {key: ${master}}\n- {key: ${current}}`,
  ])('stay as they are with both: %j', async (text) =>
    expect(await texts('v1.30.0', text)).toEqual({ text, lines: [] }));
});

describe('versions and images', () => {
  it.each([
    { version: '1.30.2', is: 'v1.30.2', says: /^KubeadmControlPlane\/cp: spec.version: 1.30.2 -> v1.30.2/ },
    { version: 'v1.18.3', is: 'v1.22.17', says: /^note: KubeadmControlPlane\/cp: spec.version: v1.18.3 -> v1.22.17/ },
  ])('$version becomes $is', async ({ version, is, says }) => {
    const { objects, lines } = await run(plane(version, '{}'));
    expect(objects[0]!.spec.version).toBe(is);
    expect(lines).toContainEqual(expect.stringMatching(says));
  });
  it('are refused that never were', async () => {
    const { lines, code } = await run(plane('v1.30.99', '{}'));
    expect(lines).toContainEqual(expect.stringMatching(/^error: .*spec.version: v1.30.99 .*v1.30.14 is the last/));
    expect(code).toBe(1);
  });
  it.each([
    { version: 'v1.24.0', is: 'unix:///var/run/containerd/containerd.sock' },
    { version: 'v1.23.0', is: '/var/run/dockershim.sock' },
  ])('have the socket $is in $version', async ({ version, is }) => {
    const { objects } = await run(
      plane(version, '{joinConfiguration: {nodeRegistration: {criSocket: /var/run/dockershim.sock}}}'),
    );
    expect(objects[0]!.spec.kubeadmConfigSpec.joinConfiguration.nodeRegistration.criSocket).toBe(is);
  });
  it('of the former registry are the default’s', async () => {
    const { objects } = await run(
      plane('v1.30.2', '{clusterConfiguration: {imageRepository: k8s.gcr.io, certificatesDir: /c}}'),
    );
    expect(objects[0]!.spec.kubeadmConfigSpec.clusterConfiguration).toEqual({ certificatesDir: '/c' });
  });
  it('of the former publisher are the default’s', async () => {
    const { objects, lines } = await run(
      '{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AWSCluster, metadata: {name: c}, spec: {region: r, imageLookupOrg: "258751437250"}}',
    );
    expect(objects[0]!.spec).toEqual({ region: 'r' });
    expect(lines).toContainEqual(expect.stringMatching(/^note: .*imageLookupOrg: 258751437250/));
  });
});
