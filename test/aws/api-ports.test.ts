import { expect, it } from 'vitest';
import type { AWSCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import { tagMap } from '../../kinds/infrastructure-aws/engine/tags.ts';
import { addCluster, addMachine, createWorld, type World } from './world.ts';

const region = 'eu-west-1';
const kubeadm = (bindPort?: number) => {
  const localAPIEndpoint = bindPort === undefined ? {} : { bindPort };
  return { initConfiguration: { localAPIEndpoint }, joinConfiguration: { controlPlane: { localAPIEndpoint } } };
};
const controlPlaneRef = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'demo' };

const create = (clusterNetwork: object, objects: object[], spec: object, reference: object = { controlPlaneRef }) => {
  const world = createWorld();
  addCluster(world, spec as Record<string, unknown>);
  const cluster = world.find('Cluster', 'demo')!;
  world.put({ ...cluster, spec: { ...(cluster.spec as object), ...reference, clusterNetwork } });
  for (const object of objects)
    world.put({ apiVersion: 'v1', metadata: { name: 'demo', namespace: 'default' }, ...object } as never);
  return world;
};
const plane = (bindPort?: number) => ({ kind: 'KubeadmControlPlane', spec: { kubeadmConfigSpec: kubeadm(bindPort) } });

/** The TCP ports that the security group of a role opens, without those of etcd and the kubelet. */
const opened = async (world: World, role: string) => {
  const { SecurityGroups } = await world.account.uncounted(region, 'DescribeSecurityGroups', {});
  const group = SecurityGroups.find(({ Tags }) => tagMap(Tags)['capstan.dev/purpose'] === `security-group/${role}`);
  const ports = group!.IpPermissions.filter(({ IpProtocol }) => IpProtocol === 'tcp').map(({ FromPort }) => FromPort);
  return [...new Set(ports)].filter((port) => ![179, 2379, 2380].includes(port!)).sort();
};

it.each([
  { rule: 'default', network: {}, objects: [plane()], listener: 6443, server: 6443 },
  {
    rule: 'clients use another port',
    network: { apiServerPort: 443 },
    objects: [plane()],
    listener: 443,
    server: 6443,
  },
  { rule: 'kubeadm binds another port', network: {}, objects: [plane(8443)], listener: 6443, server: 8443 },
  { rule: 'kubeadm treats 0 as unset', network: {}, objects: [plane(0)], listener: 6443, server: 6443 },
  { rule: 'both differ', network: { apiServerPort: 443 }, objects: [plane(8443)], listener: 443, server: 8443 },
  {
    rule: 'both are the same other port',
    network: { apiServerPort: 8443 },
    objects: [plane(8443)],
    listener: 8443,
    server: 8443,
  },
  {
    rule: 'machines without a control plane object',
    network: { apiServerPort: 443 },
    objects: [
      {
        kind: 'KubeadmConfig',
        metadata: { name: 'first', namespace: 'default', labels: { 'cluster.x-k8s.io/cluster-name': 'demo' } },
        spec: kubeadm(7443),
      },
    ],
    reference: {},
    listener: 443,
    server: 7443,
  },
])('opens one port of the load balancer for clients, and the ports of the API servers for it: $rule', async ({
  network,
  objects,
  reference,
  listener,
  server,
}) => {
  const balancers = {
    controlPlaneLoadBalancer: { loadBalancerType: 'nlb', additionalListeners: [{ port: 9345 }] },
    secondaryControlPlaneLoadBalancer: { loadBalancerType: 'nlb', scheme: 'internal', name: 'demo-second' },
  };
  const world = create(network, objects, balancers, reference);
  await world.until(() => world.get<AWSCluster>('AWSCluster', 'demo').status?.ready === true);
  addMachine(world, 'one');
  await world.until(() => world.get<AWSMachine>('AWSMachine', 'one').status?.ready === true);
  await world.run(600);

  const { LoadBalancers } = await world.account.uncounted(region, 'DescribeLoadBalancers', {});
  for (const { LoadBalancerArn, LoadBalancerName } of LoadBalancers) {
    const { Listeners } = await world.account.uncounted(region, 'DescribeListeners', { LoadBalancerArn });
    const further = LoadBalancerName.includes('second') ? [] : [9345];
    expect(Listeners.map(({ Port }) => Port)).toEqual([listener, ...further]);
  }
  const { TargetGroups } = await world.account.uncounted(region, 'DescribeTargetGroups', {});
  expect(TargetGroups.map(({ Port }) => Port).sort()).toEqual([server, server, 9345].sort());
  for (const { TargetGroupArn, Port, HealthCheckPort } of TargetGroups) {
    expect(HealthCheckPort).toBe('traffic-port');
    const { TargetHealthDescriptions } = await world.account.uncounted(region, 'DescribeTargetHealth', {
      TargetGroupArn,
    });
    expect(TargetHealthDescriptions.map(({ Target }) => Target.Port)).toEqual([Port]);
  }
  expect(await opened(world, 'apiserver-lb')).toEqual([listener, 9345].sort());
  expect(await opened(world, 'lb')).toEqual([server, 9345].sort());
  expect(await opened(world, 'controlplane')).toEqual([server]);

  const { spec, status } = world.get<AWSCluster>('AWSCluster', 'demo');
  const [first] = status!.networkStatus!.apiServerElb!.elbListeners as never as { port: number; targetGroup: object }[];
  expect(first).toMatchObject({
    port: listener,
    targetGroup: { port: server, targetGroupHealthCheck: { port: `${server}` } },
  });
  const { Listeners } = await world.account.uncounted(region, 'DescribeListeners', {
    LoadBalancerArn: status!.networkStatus!.apiServerElb!.arn!,
  });
  expect(spec?.controlPlaneEndpoint?.port).toBe(Listeners.find(({ Port }) => Port === listener)!.Endpoint.Port);

  world.remove('AWSMachine', 'one');
  await world.until(() => world.find('AWSMachine', 'one') === undefined);
  // The control plane object may be gone before its infrastructure.
  world.remove('KubeadmControlPlane', 'demo');
  world.remove('AWSCluster', 'demo');
  await world.until(() => world.find('AWSCluster', 'demo') === undefined);
  expect(world.account.list()).toEqual([]);
});

it('keeps the port of an existing target group', async () => {
  const world = create({ apiServerPort: 8443 }, [plane(8443)], {});
  await world.until(() => world.get<AWSCluster>('AWSCluster', 'demo').status?.ready === true);
  world.put({ apiVersion: 'v1', metadata: { name: 'demo', namespace: 'default' }, ...plane() } as never);
  world.enqueue('AWSCluster', 'demo');
  await world.run(3600);
  expect(await opened(world, 'controlplane')).toEqual([8443]);
  const { TargetGroups } = await world.account.uncounted(region, 'DescribeTargetGroups', {});
  expect(TargetGroups.map(({ Port }) => Port)).toEqual([8443]);
});
