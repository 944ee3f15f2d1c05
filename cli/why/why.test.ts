import { beforeEach, describe, expect, it } from 'vitest';
import { now as inputsNow, pending, running } from '../../kinds/autoscaling/plan/plan.fixture.ts';
import { inputsOf } from '../../kinds/autoscaling/scaling-plan/inputs.ts';
import { observed } from '../../kinds/autoscaling/scaling-plan/observed.fixture.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Context } from '../../machinery/api/reconcile.ts';
import { aCluster, anOperation, named, openServer } from '../server.fixture.ts';
import { type WhyOptions, why } from './index.ts';

let server: Awaited<ReturnType<typeof openServer>>;
beforeEach(async () => {
  server = await openServer();
});
const asked = async (args: string[] = [], options: WhyOptions = {}): Promise<string> => {
  let printed = '';
  await why(server.client, args, options, (text) => {
    printed += `${text}\n`;
  });
  return printed;
};

const reference = (group: string, kind: string, name: string) => ({
  apiGroup: `${group}.cluster.x-k8s.io`,
  kind,
  name,
});
const labels = { 'cluster.x-k8s.io/cluster-name': 'c' };
const at = '2026-01-01T00:00:00Z';
const condition = (type: string, status: string, reason: string, message: string, more: object = {}) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: at,
  ...more,
});

const refusal = 'RunInstances: InsufficientInstanceCapacity: We have no t3.large there';
const awsMachine: KubeObject = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachine',
  metadata: { name: 'm', namespace: 'default', labels },
  spec: { instanceType: 't3.large' },
  status: {
    conditions: [condition('InstanceReady', 'False', 'InstanceProvisionFailed', refusal, { severity: 'Error' })],
  },
};
const machine: KubeObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: { name: 'm', namespace: 'default', labels },
  spec: {
    clusterName: 'c',
    bootstrap: { dataSecretName: 'data' },
    infrastructureRef: reference('infrastructure', 'AWSMachine', 'm'),
  },
  status: { conditions: [condition('InfrastructureReady', 'False', 'InstanceProvisionFailed', refusal)] },
};
const network: KubeObject = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSCluster',
  metadata: { name: 'net', namespace: 'default' },
  spec: { region: 'eu-central-1' },
  status: { ready: true, conditions: [condition('Ready', 'True', '', '')] },
};
const withNetwork = { infrastructureRef: reference('infrastructure', 'AWSCluster', 'net'), controlPlaneRef: undefined };
const identity: KubeObject = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSClusterControllerIdentity',
  metadata: { name: 'default' },
  spec: { allowedNamespaces: {} },
};
const putHealthy = async () => {
  await server.put(identity);
  await server.put(network);
  await server.put({
    ...aCluster(named('c-create-1'), withNetwork),
    status: { conditions: [condition('Available', 'True', 'Available', '')] },
  });
};

describe('capstan why', () => {
  it('says that nothing is wrong', async () => {
    expect(await asked()).toBe('No clusters found.\n');
    await putHealthy();
    await server.put(anOperation({ phase: 'Succeeded' }));
    expect(await asked()).toBe('Nothing is wrong with the cluster.\n');
    expect(await asked(['cluster', 'c'])).toBe('Cluster default/c: nothing is wrong.\n');
  });

  it('goes from a Machine to what AWS said, and offers a command', async () => {
    await putHealthy();
    await server.put(machine);
    await server.put(awsMachine);
    const printed = await asked(['machine', 'm']);
    expect(printed).toMatch(/^Machine default\/m is not well, because:\n\nAWSMachine m: RunInstances: Insufficient/);
    expect(printed).toContain(`(${at})`);
    expect(printed).toMatch(/holds up +Machine m\n/);
    expect(printed).toMatch(/ next +Capstan tries again/);
    expect(printed).toMatch(/ do +aws ec2 describe-instance-type-offerings .*Values=t3\.large/);
    expect(await asked(['machines.cluster.x-k8s.io/m'])).toBe(printed);
  });

  it('lists the clusters that are not well, with the first cause each', async () => {
    await putHealthy();
    await server.put(machine);
    await server.put(awsMachine);
    for (const options of [{}, { allNamespaces: true }])
      expect(await asked([], options)).toMatch(/default +c +fault +\S+ +AWSMachine m: RunInstances: Insufficient/);
    expect(await asked([], { namespace: 'other' })).toBe('No clusters found.\n');
    expect(JSON.parse(await asked([], { output: 'json' }))).toMatchObject({
      items: [
        { kind: 'Cluster', name: 'c', isWell: false, causes: [{ kind: 'AWSMachine', level: 'fault', since: at }] },
      ],
    });
  });

  it('follows references, and names those that lead nowhere', async () => {
    await server.put(aCluster({}, withNetwork));
    expect(await asked(['c'])).toMatch(/Cluster c refers to AWSCluster net, which does not exist/);
  });

  it('names the freeze of the installation first', async () => {
    await putHealthy();
    await server.put({
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'Installation',
      metadata: { name: 'capstan' },
      spec: {},
      status: { frozen: { id: 'abcd', reason: 'ObjectsOlder', message: 'The objects are older than the account' } },
    });
    expect(await asked(['cluster', 'c'])).toMatch(/Installation capstan is frozen \(ObjectsOlder\)[\s\S]*capstan thaw/);
  });

  it('does not take clusters that may not be listed for none', async () => {
    const { client } = server;
    const message = 'clusters.cluster.x-k8s.io is forbidden: User "u" cannot list resource "clusters"';
    const request: typeof client.request = async (method, to, options) =>
      /\/clusters\?/.test(to) ? { code: 403, body: JSON.stringify({ message }) } : client.request(method, to, options);
    await expect(why({ ...client, request }, [], {}, () => {})).rejects.toThrow(message);
  });

  it.each([
    { args: ['machine', 'no-such'], says: 'machines.cluster.x-k8s.io "no-such" not found in namespace default' },
    { args: ['wheel', 'w'], says: 'the server serves no kind wheel: see kubectl api-resources' },
    { args: ['pod', 'p'], says: 'pods are in workload clusters: capstan why pod p --cluster NAME' },
  ])('$args is an error in a sentence', async ({ args, says }) => {
    await expect(asked(args)).rejects.toThrow(says);
  });
});

describe('capstan why pod', () => {
  const deployment = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: { name: 'workers', namespace: 'default', labels, uid: 'deployment' },
    spec: {
      clusterName: 'c',
      selector: {},
      template: {
        spec: {
          clusterName: 'c',
          bootstrap: { dataSecretName: 'data' },
          infrastructureRef: reference('infrastructure', 'AWSMachineTemplate', 't'),
        },
      },
    },
  };
  const broken: KubeObject = {
    ...deployment,
    status: { conditions: [condition('CanCreateMachines', 'False', 'PreflightCheckFailed', 'No subnet is left')] },
  };
  const askedOf = async (given: Parameters<typeof observed>[0], args = ['pod', 'default/web-0']): Promise<string> => {
    const printed: string[] = [];
    const readInputs = async () => inputsOf(observed(given), { now: inputsNow, config: {} } as Context)!;
    await why(server.client, args, { cluster: 'c' }, (text) => printed.push(text), { readInputs });
    return printed.join('\n');
  };
  const full = { machines: ['a'], annotations: { 'capstan.dev/autoscale-max': '1' } };
  const unmarked = pending(1).map(({ unschedulable: _, ...pod }) => pod);

  it.each<{ rule: string; given: Parameters<typeof observed>[0]; args?: string[]; says: RegExp }>([
    {
      rule: 'a pod that fits no pool',
      given: { pods: pending(9, { requests: { cpu: 64_000 } }) },
      says: /^Pod default\/web-0 is not well, because:\n\nPod web-0 has no node, and no pool grows for it: workers:\s+Insufficient cpu[\s\S]* do +capstan scale explain default\/web-0 --cluster c -n default/,
    },
    {
      rule: 'a pod whose pool is full',
      given: { ...full, pods: [...running('a', 4), ...pending(1)] },
      says: /has no node, and no pool grows for it: workers: max node group size reached/,
    },
    {
      rule: 'a pod for which a pool grows',
      given: { pods: pending(1) },
      args: ['pod/web-0'],
      says: /nothing has failed. It waits, because:\n\nPod web-0 waits for a new node of workers, which grows/,
    },
    {
      rule: 'a pod that fits on a node',
      given: { machines: ['a'], pods: pending(1) },
      args: ['po/default/web-0'],
      says: /waits for the scheduler: it fits on a node that exists/,
    },
    { rule: 'a pod that no scheduler marked', given: { pods: unmarked }, says: /waits for a scheduler/ },
    {
      rule: 'a pod with gates',
      given: { pods: pending(1, {}, { gated: true }) },
      says: /has scheduling gates[\s\S]* do +What set spec.schedulingGates/,
    },
    {
      rule: 'a pod that may evict others',
      given: { pods: pending(1, {}, { nominatedNode: 'a' }) },
      says: /waits until pods of lower priority have left node a/,
    },
    {
      rule: 'a pod of a DaemonSet',
      given: { pods: pending(1, {}, { owner: { kind: 'DaemonSet', name: 'agent' } }) },
      says: /another node would not help it/,
    },
    {
      rule: 'a pod that has a node',
      given: { machines: ['a'], pods: running('a', 1) },
      args: ['pod', 'a-web-0'],
      says: /^Pod default\/a-web-0 has node a\.[\s\S]*kubectl describe pod a-web-0 -n default$/,
    },
  ])('explains $rule', async ({ given, args, says }) => {
    await putHealthy();
    expect(await askedOf(given, args)).toMatch(says);
  });

  it('goes down to what keeps the pool from growing, unless the pool could not host the pod', async () => {
    await putHealthy();
    await server.put(broken);
    expect(await askedOf({ ...full, pods: [...running('a', 4), ...pending(1)] })).toMatch(
      /because:\n\nMachineDeployment workers: No subnet is left[\s\S]*holds up +Pod web-0/,
    );
    expect(await askedOf({ ...full, pods: pending(1, { requests: { cpu: 64_000 } }) })).toMatch(
      /because:\n\nPod web-0 has no node/,
    );
  });

  it('refuses another pod, and another kind', async () => {
    await putHealthy();
    await expect(askedOf({}, ['pod', 'nope'])).rejects.toThrow('cluster c has no pod nope: name it namespace/pod');
    await expect(askedOf({}, ['machine', 'm'])).rejects.toThrow('--cluster says where a pod is: leave it out');
  });
});

it.each([
  {
    rule: 'its Cluster',
    spec: { clusterName: 'later', template: { spec: { clusterName: 'later', bootstrap: { dataSecretName: 'data' } } } },
    missing: 'Cluster later',
  },
  {
    rule: 'a part',
    spec: { template: { spec: { bootstrap: { configRef: reference('bootstrap', 'KubeadmConfig', 'gone') } } } },
    missing: 'KubeadmConfig gone',
  },
])('names $rule that an object without a cluster lacks', async ({ spec, missing }) => {
  const metadata = { name: 'early', namespace: 'default' };
  await server.put({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachinePool', metadata, spec });
  expect(await asked(['machinepool', 'early'])).toContain(
    `MachinePool early refers to ${missing}, which does not exist`,
  );
});
