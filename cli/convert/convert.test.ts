import { describe, expect, it } from 'vitest';
import { documentValue, yamlDocuments } from '../../machinery/api/yaml.ts';
import { exitCodeOf, lineOf } from './changes.ts';
import { convert, joined } from './convert.ts';

const run = async (text: string) => {
  const { texts, changes } = await convert([{ name: 'in.yaml', text }]);
  const converted = joined(texts);
  return {
    text: converted,
    // biome-ignore lint/suspicious/noExplicitAny: the tests look into objects of all kinds.
    objects: yamlDocuments(converted).map((one) => documentValue(one) as Record<string, any>),
    lines: changes.map(lineOf),
    code: exitCodeOf(changes),
  };
};

const group = 'infrastructure.cluster.x-k8s.io';
const reference = (version: string) => `{apiVersion: ${group}/${version}, kind: AWSMachineTemplate, name: t}`;
const machines = (version: string, spec = '') => `
apiVersion: cluster.x-k8s.io/${version}
kind: MachineDeployment
metadata: {name: md, labels: {cluster.x-k8s.io/cluster-name: c1}}
spec:
  selector: {matchLabels: {}}
${spec}
  template:
    spec:
      ${version === 'v1alpha2' ? '' : 'clusterName: c1'}
      bootstrap: {configRef: {apiVersion: bootstrap.cluster.x-k8s.io/${version}, kind: KubeadmConfigTemplate, name: k}}
      infrastructureRef: ${reference(version)}
`;
const controlPlane = (version: string, spec: string, config = '') => `
apiVersion: controlplane.cluster.x-k8s.io/${version}
kind: KubeadmControlPlane
metadata: {name: cp}
spec:
  version: v1.34.0
${spec}
  kubeadmConfigSpec:
    ${config}
`;
const template = `  machineTemplate: {infrastructureRef: ${reference('v1beta1')}}`;

describe('each version has its fields where today’s has them', () => {
  it.each<{ rule: string; from: string; is: object; lines?: RegExp[]; code?: number }>([
    {
      rule: 'v1alpha2 knows the cluster of machines by a label',
      from: machines('v1alpha2'),
      is: {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        spec: {
          clusterName: 'c1',
          template: {
            spec: { clusterName: 'c1', infrastructureRef: { apiGroup: group, kind: 'AWSMachineTemplate', name: 't' } },
          },
        },
      },
    },
    {
      rule: 'a cluster of v1alpha2 has a bastion, and no key of that name',
      from: `{apiVersion: ${group}/v1alpha2, kind: AWSCluster, metadata: {name: c}, spec: {region: eu-west-1}}`,
      is: { spec: { region: 'eu-west-1', bastion: { enabled: true } } },
    },
    {
      rule: 'v1alpha2 disables a bastion',
      from: `{apiVersion: ${group}/v1alpha2, kind: AWSCluster, metadata: {name: c}, spec: {disableBastionHost: true}}`,
      is: { spec: { bastion: { enabled: false } } },
    },
    {
      rule: 'a control plane of v1alpha3 has its template and timeouts at the top',
      from: controlPlane(
        'v1alpha3',
        `  infrastructureTemplate: ${reference('v1alpha3')}\n  nodeDrainTimeout: 10m\n  upgradeAfter: "2022-01-01T00:00:00Z"`,
      ),
      is: {
        spec: {
          machineTemplate: {
            spec: { infrastructureRef: { apiGroup: group, name: 't' }, deletion: { nodeDrainTimeoutSeconds: 600 } },
          },
          rollout: { after: '2022-01-01T00:00:00Z' },
        },
      },
    },
    {
      rule: 'hyperkube and the type of DNS are gone',
      from: controlPlane(
        'v1alpha3',
        `  infrastructureTemplate: ${reference('v1alpha3')}`,
        'clusterConfiguration: {useHyperKubeImage: true, dns: {type: CoreDNS, imageTag: 1.6.7}}',
      ),
      is: { spec: { kubeadmConfigSpec: { clusterConfiguration: { dns: { imageTag: '1.6.7' } } } } },
      lines: [/^lost: .*useHyperKubeImage/],
      code: 3,
    },
    {
      rule: 'subnets of a managed network get names that are no ids',
      from: `{apiVersion: ${group}/v1alpha3, kind: AWSCluster, metadata: {name: c}, spec: {networkSpec: {subnets: [{cidrBlock: 10.0.0.0/24, availabilityZone: a}, {cidrBlock: 10.0.1.0/24, availabilityZone: a}]}}}`,
      is: {
        spec: {
          network: {
            subnets: [
              { id: 'private-a', cidrBlock: '10.0.0.0/24' },
              { id: 'private-a-2', cidrBlock: '10.0.1.0/24' },
            ],
          },
        },
      },
    },
    {
      rule: 'the subnets of a given network are not guessed',
      from: `{apiVersion: ${group}/v1beta1, kind: AWSCluster, metadata: {name: c}, spec: {network: {vpc: {id: vpc-1}, subnets: [{availabilityZone: a}]}}}`,
      is: { spec: { network: { subnets: [{ availabilityZone: 'a' }] } } },
      lines: [/^error: AWSCluster\/c: spec.network.subnets\[0\].id \(needs a value: the id of this subnet in vpc-1\)/],
      code: 1,
    },
    {
      rule: 'a pool leaves its group of experiments',
      from: `{apiVersion: exp.cluster.x-k8s.io/v1alpha3, kind: MachinePool, metadata: {name: p}, spec: {clusterName: c, strategy: {type: RollingUpdate}, template: {spec: {clusterName: c, bootstrap: {dataSecretName: d}, infrastructureRef: ${reference('v1alpha3')}}}}}`,
      is: { apiVersion: 'cluster.x-k8s.io/v1beta2' },
      lines: [/^lost: MachinePool\/p: spec.strategy /],
      code: 3,
    },
    {
      rule: 'a Secret of an identity has no namespace',
      from: `{apiVersion: ${group}/v1alpha3, kind: AWSClusterStaticIdentity, metadata: {name: i}, spec: {secretRef: {name: s, namespace: ns}, allowedNamespaces: {}}}`,
      is: { spec: { secretRef: 's', allowedNamespaces: {} } },
      lines: [/^note: .*spec.secretRef.*it was in ns/],
    },
    {
      rule: 'the scheme has one spelling',
      from: `{apiVersion: ${group}/v1alpha4, kind: AWSCluster, metadata: {name: c}, spec: {controlPlaneLoadBalancer: {scheme: Internet-facing}}}`,
      is: { spec: { controlPlaneLoadBalancer: { scheme: 'internet-facing' } } },
    },
    {
      rule: 'a count as text was a percentage by mistake',
      from: `{apiVersion: cluster.x-k8s.io/v1alpha3, kind: MachineHealthCheck, metadata: {name: m}, spec: {clusterName: c, selector: {matchLabels: {a: b}}, maxUnhealthy: "1", unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]}}`,
      is: {
        spec: {
          remediation: { triggerIf: { unhealthyLessThanOrEqualTo: 1 } },
          checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 300 }] },
        },
      },
      lines: [/^note: .*spec.maxUnhealthy: "1" -> 1/],
    },
    {
      rule: 'a MachineDeployment of v1beta1',
      from: machines(
        'v1beta1',
        '  minReadySeconds: 0\n  progressDeadlineSeconds: 600\n  strategy: {rollingUpdate: {maxSurge: 25%, deletePolicy: Oldest}}',
      ),
      is: {
        spec: {
          rollout: { strategy: { rollingUpdate: { maxSurge: '25%' } } },
          deletion: { order: 'Oldest' },
          template: { spec: { minReadySeconds: 0 } },
        },
      },
      lines: [/^lost: MachineDeployment\/md: spec.progressDeadlineSeconds: 600 /],
      code: 3,
    },
    {
      rule: 'one timeout of the API server becomes two',
      from: controlPlane(
        'v1beta1',
        template,
        'clusterConfiguration: {apiServer: {timeoutForControlPlane: 8m0s, extraArgs: {audit-log-maxage: "30"}}}',
      ),
      is: {
        spec: {
          kubeadmConfigSpec: {
            clusterConfiguration: { apiServer: { extraArgs: [{ name: 'audit-log-maxage', value: '30' }] } },
            initConfiguration: { timeouts: { controlPlaneComponentHealthCheckSeconds: 480 } },
            joinConfiguration: { timeouts: { controlPlaneComponentHealthCheckSeconds: 480 } },
          },
        },
      },
    },
    {
      rule: 'a topology of v1beta1',
      from: '{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, metadata: {name: c}, spec: {topology: {class: q, version: v1.34.0, workers: {machineDeployments: [{class: w, name: a, strategy: {remediation: {maxInFlight: 1}}}]}}}}',
      is: {
        spec: {
          topology: {
            classRef: { name: 'q' },
            workers: { machineDeployments: [{ healthCheck: { remediation: { maxInFlight: 1 } } }] },
          },
        },
      },
    },
  ])('$rule', async ({ from, is, lines = [], code = 0 }) => {
    const converted = await run(from);
    expect(converted.objects[0]).toMatchObject(is);
    for (const line of lines) expect(converted.lines).toContainEqual(expect.stringMatching(line));
    expect(converted.code).toBe(code);
  });

  it('writes nothing that v1alpha2 did not mean', async () => {
    const { objects } = await run(
      `{apiVersion: ${group}/v1alpha2, kind: AWSCluster, metadata: {name: c}, spec: {region: r}}`,
    );
    expect(objects[0]!.spec).toEqual({ region: 'r', bastion: { enabled: true } });
  });
});

describe('across objects', () => {
  it('moves the zone of a machine to its Machine', async () => {
    const { objects } = await run(
      `{apiVersion: ${group}/v1alpha2, kind: AWSMachine, metadata: {name: m}, spec: {instanceType: t3.large, rootDeviceSize: 50, availabilityZone: eu-west-1b}}
---
{apiVersion: cluster.x-k8s.io/v1alpha2, kind: Machine, metadata: {name: m, labels: {cluster.x-k8s.io/cluster-name: c}}, spec: {bootstrap: {data: aGk=}, infrastructureRef: {apiVersion: ${group}/v1alpha2, kind: AWSMachine, name: m}}}`,
    );
    expect(objects[0]!.spec).toEqual({
      instanceType: 't3.large',
      rootVolume: { size: 50, encrypted: false },
      cloudInit: { insecureSkipSecretsManager: true },
    });
    expect(objects[1]!.spec).toMatchObject({
      failureDomain: 'eu-west-1b',
      bootstrap: { dataSecretName: 'm-bootstrap-data' },
    });
    expect(objects[2]).toMatchObject({
      kind: 'Secret',
      type: 'cluster.x-k8s.io/secret',
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'c' } },
      data: { value: 'aGk=' },
    });
  });

  const cluster = (spec = '') => `
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: c}
spec:
  ${spec}
  controlPlaneRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlane, name: cp}
`;
  const networking = controlPlane('v1beta1', template, 'clusterConfiguration: {networking: {podSubnet: 10.1.0.0/16}}');
  it('moves the network of kubeadm’s configuration to the Cluster', async () => {
    const { objects, code } = await run([cluster(), networking].join('---\n'));
    expect(objects[0]!.spec.clusterNetwork).toEqual({ pods: { cidrBlocks: ['10.1.0.0/16'] } });
    expect(objects[1]!.spec.kubeadmConfigSpec).toBeUndefined();
    expect(code).toBe(0);
  });
  it('leaves it to the user where both differ, or the Cluster is not here', async () => {
    const other = cluster('clusterNetwork: {pods: {cidrBlocks: [10.2.0.0/16]}}');
    for (const input of [[other, networking], [networking]]) {
      const { lines, code } = await run(input.join('---\n'));
      expect(lines).toContainEqual(expect.stringMatching(/^error: .*networking.podSubnet.*needs a hand/));
      expect(code).toBe(1);
    }
  });

  it('gives an EKS cluster an infrastructure object of its own', async () => {
    const managed = '{apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: AWSManagedControlPlane, name: k}';
    const { objects } = await run(`
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: c}
spec: {infrastructureRef: ${managed}, controlPlaneRef: ${managed}}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: AWSManagedControlPlane
metadata: {name: k}
spec: {disableVPCCNI: true, addons: [{name: a, version: v1}]}
`);
    expect(objects[0]!.spec.infrastructureRef).toEqual({ apiGroup: group, kind: 'AWSManagedCluster', name: 'c' });
    expect(objects[1]).toMatchObject({ kind: 'AWSManagedCluster', metadata: { name: 'c' } });
    expect(objects[2]!.spec).toEqual({
      vpcCni: { disable: true },
      addons: [{ name: 'a', version: 'v1', conflictResolution: 'none' }],
    });
  });
});

describe('the text', () => {
  it('keeps comments, order and spelling', async () => {
    const { text } = await run(`# The cluster's machines.
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata:
  name: cp # its name
spec:
  # three
  replicas: \${N:=3}
  version: v1.34.0

  machineTemplate:
    # what they are
    infrastructureRef:
      apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
      kind: AWSMachineTemplate
      name: t
    nodeDrainTimeout: 10m # ten
  kubeadmConfigSpec:
    clusterConfiguration:
      apiServer:
        extraArgs:
          # first
          anonymous-auth: "false"
          # second
          v: 4 # verbose
    initConfiguration:
      nodeRegistration: {name: '{{ ds.meta_data.local_hostname }}'}
    preKubeadmCommands:
    - echo "it's"
`);
    expect(text).toBe(`# The cluster's machines.
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: KubeadmControlPlane
metadata:
  name: cp # its name
spec:
  # three
  replicas: \${N:=3}
  version: v1.34.0

  machineTemplate:
    spec:
      # what they are
      infrastructureRef:
        apiGroup: infrastructure.cluster.x-k8s.io
        kind: AWSMachineTemplate
        name: t
      deletion:
        nodeDrainTimeoutSeconds: 600 # ten
  kubeadmConfigSpec:
    clusterConfiguration:
      apiServer:
        extraArgs:
        # first
        - name: anonymous-auth
          value: "false"
        # second
        - name: v
          value: "4" # verbose
    initConfiguration:
      nodeRegistration: {name: '{{ ds.meta_data.local_hostname }}'}
    preKubeadmCommands:
    - echo "it's"
`);
  });

  it('leaves other objects and today’s as they are', async () => {
    const text = `apiVersion: v1
kind: Secret
metadata: {name:    s}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:   {name: m}
spec: {clusterName: c, bootstrap: {dataSecretName: 'd'}, infrastructureRef: {apiGroup: g, kind: K, name: o}}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfig
metadata: {name: t}
`;
    expect(await run(text)).toMatchObject({ text, lines: [], code: 0 });
  });

  it('takes a List apart', async () => {
    const { objects } = await run(`apiVersion: v1
kind: List
items:
- apiVersion: cluster.x-k8s.io/v1alpha3
  kind: Cluster
  metadata: {name: c, resourceVersion: "5"}
  spec: {clusterNetwork: {pods: {cidrBlocks: [10.1.0.0/16]}}}
  status: {phase: Provisioned}
- {apiVersion: v1, kind: Secret, metadata: {name: s}}
`);
    expect(objects).toEqual([
      {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Cluster',
        metadata: { name: 'c' },
        spec: { clusterNetwork: { pods: { cidrBlocks: ['10.1.0.0/16'] } } },
      },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
    ]);
  });

  it('converts the others when one document is no YAML', async () => {
    const { objects, lines, code } = await run(
      `a: {{ .Values.a }}\n---\n{apiVersion: ${group}/v1beta1, kind: AWSCluster, metadata: {name: c}, spec: {region: r}}`,
    );
    expect(objects).toMatchObject([{ apiVersion: `${group}/v1beta2` }]);
    expect(lines[0]).toMatch(/^error: in.yaml, document 1 \(this is a chart’s template/);
    expect(code).toBe(1);
  });

  it.each([
    'vpc-xxxx',
    'subnet-0123xxxx',
    '<your-key>',
    'CHANGEME',
    'REPLACE_ME',
    'REPLACE_WITH_KEY',
    'YOUR_KEY',
    '__SSH_KEY__',
    '@SSH_KEY@',
    '{{ ssh_key }}',
    '{{ .Values.key }}',
    'team-<name>-key',
  ])('asks for %s by its path', async (value) => {
    const { lines, code } = await run(
      `{apiVersion: ${group}/v1beta1, kind: AWSCluster, metadata: {name: c}, spec: {sshKeyName: "${value}"}}`,
    );
    expect(lines).toContain(`error: AWSCluster/c: spec.sshKeyName: ${value} (needs a value)`);
    expect(code).toBe(1);
  });

  it.each(['default', 'team-a-key', 'xx', '$KEY', '${KEY}', 'replaced'])('takes %s for a value', async (value) => {
    const { lines } = await run(
      `{apiVersion: ${group}/v1beta2, kind: AWSCluster, metadata: {name: c}, spec: {sshKeyName: "${value}"}}`,
    );
    expect(lines).toEqual([]);
  });

  it.each([
    { path: '/spec/template/spec/instanceType', asks: [] },
    { path: '/spec/template/spec', asks: [] },
    {
      path: '/spec/template/spec/sshKeyName',
      asks: ['error: AWSMachineTemplate/m: spec.template.spec.instanceType: REPLACEME (needs a value)'],
    },
  ])('asks for no value that the patch of a class writes to $path', async ({ path, asks }) => {
    const selector = `{apiVersion: ${group}/v1beta2, kind: AWSMachineTemplate, matchResources: {controlPlane: true}}`;
    const patch = `{op: replace, path: ${path}, valueFrom: {variable: type}}`;
    const { lines } = await run(
      [
        `{apiVersion: cluster.x-k8s.io/v1beta2, kind: ClusterClass, metadata: {name: c}, spec: {infrastructure: {templateRef: {apiVersion: a/v1, kind: K, name: n}}, controlPlane: {templateRef: {apiVersion: a/v1, kind: K, name: n}}, patches: [{name: p, definitions: [{selector: ${selector}, jsonPatches: [${patch}]}]}]}}`,
        `{apiVersion: ${group}/v1beta2, kind: AWSMachineTemplate, metadata: {name: m}, spec: {template: {spec: {instanceType: REPLACEME}}}}`,
      ].join('\n---\n'),
    );
    expect(lines.filter((line) => line.startsWith('error:'))).toEqual(asks);
  });

  it('knows whose braces are a program’s', async () => {
    const config = (content: string) => controlPlane('v1beta1', template, `files: [{path: /a, content: '${content}'}]`);
    const asks = async (text: string) => (await run(text)).lines.filter((line) => line.startsWith('error:'));
    expect(await asks(config('{{ ds.meta_data.local_hostname }} < /dev/null >'))).toEqual([]);
    expect(await asks(config('{{ .Values.a }}'))).toEqual([
      'error: KubeadmControlPlane/cp: spec.kubeadmConfigSpec.files[0].content: {{ .Values.a }} (needs a value)',
    ]);
    const format = `{apiVersion: ${group}/v1beta2, kind: AWSCluster, metadata: {name: c}, spec: {imageLookupFormat: "ami-{{.BaseOS}}-*"}}`;
    expect(await asks(format)).toEqual([]);
  });

  it.each([
    [
      'cluster.x-k8s.io/v1',
      'Cluster',
      'there has never been a version v1 of Cluster: its versions are v1alpha2, v1alpha3',
    ],
    ['cluster.x-k8s.io/v1beta1', 'Clusters', 'there has never been a kind Clusters: Cluster is one'],
    ['cluster.x-k8s.io/v1beta1', 'NodePool', 'there has never been a kind NodePool in cluster.x-k8s.io'],
    [`${group}/v1beta3`, 'AWSCluster', 'there has never been a version v1beta3 of AWSCluster'],
    [`${group}/v1beta1`, 'KubeadmControlPlane', `there has never been a kind KubeadmControlPlane in ${group}`],
    ['controlplane.cluster.x-k8s.io/v1alpha2', 'KubeadmControlPlane', 'there has never been a version v1alpha2 of'],
    ['cluster.k8s.io/v1alpha1', 'Machine', 'cluster.k8s.io/v1alpha1 is older than what can be converted'],
  ])('refuses %s %s, which never was', async (apiVersion, kind, says) => {
    const { lines, code } = await run(`{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: c}}`);
    expect(lines[0]).toContain(`error: ${kind}/c: apiVersion: ${apiVersion} (${says}`);
    expect(code).toBe(1);
  });

  it.each([
    ['bootstrap.cluster.x-k8s.io/v1alpha3', 'TalosConfig'],
    [`${group}/v1beta1`, 'AzureCluster'],
    ['cluster.x-k8s.io/${VERSION}', 'Cluster'],
    ['runtime.cluster.x-k8s.io/v1alpha1', 'ExtensionConfig'],
  ])('leaves %s %s to others', async (apiVersion, kind) =>
    expect((await run(`{apiVersion: "${apiVersion}", kind: ${kind}, metadata: {name: c}}`)).code).toBe(0));

  it('notes references to another namespace than its own', async () => {
    const text = (namespace: string) =>
      `{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, metadata: {name: c}, spec: {infrastructureRef: {apiVersion: ${group}/v1beta1, kind: AWSCluster, name: c, namespace: ${namespace}}}}`;
    const isNoted = expect.stringMatching(/^note: .*infrastructureRef.namespace: other/);
    expect((await run(text('other'))).lines).toContainEqual(isNoted);
    expect((await run(text('default'))).lines).not.toContainEqual(expect.stringContaining('namespace'));
  });

  it('asks for a value that must be computed from a variable', async () => {
    const { lines } = await run(
      controlPlane(
        'v1beta1',
        `  machineTemplate: {nodeDrainTimeout: "\${T}", infrastructureRef: ${reference('v1beta1')}}`,
      ),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^error: .*nodeDrainTimeout.*needs a value, to be written as .*nodeDrainTimeoutSeconds/),
    );
  });

  it('follows aliases and merges', async () => {
    const { objects } = await run(
      controlPlane(
        'v1beta1',
        template,
        `initConfiguration: &r {nodeRegistration: {kubeletExtraArgs: &args {v: "2"}}}
    joinConfiguration: {nodeRegistration: {kubeletExtraArgs: {<<: *args, a: b}}}`,
      ),
    );
    const { initConfiguration, joinConfiguration } = objects[0]!.spec.kubeadmConfigSpec;
    expect(initConfiguration.nodeRegistration.kubeletExtraArgs).toEqual([{ name: 'v', value: '2' }]);
    expect(joinConfiguration.nodeRegistration.kubeletExtraArgs).toEqual([
      { name: 'a', value: 'b' },
      { name: 'v', value: '2' },
    ]);
  });

  it('reports what no version has, and leaves it out', async () => {
    const { objects, lines, code } = await run(
      `{apiVersion: ${group}/v1beta1, kind: AWSCluster, metadata: {name: c}, spec: {region: r, no: {such: field}}}`,
    );
    expect(objects[0]!.spec).toEqual({ region: 'r' });
    expect(lines).toContainEqual(expect.stringMatching(/^lost: AWSCluster\/c: spec.no /));
    expect(code).toBe(3);
  });
});
