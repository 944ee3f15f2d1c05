/** Half an endpoint is completed, as upstream does, or refused before anything is paid. */
import { afterEach, describe, expect, it } from 'vitest';
import { mergePatch } from '../../machinery/api/merge.ts';
import type { JsonObject, KubeObject } from '../../machinery/api/object.ts';
import { isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

const applyWith = async (kind: string, spec: JsonObject) => {
  world = await createWorld({ workflows: true });
  for (const object of example('quickstart.yaml')) {
    const { code, body } = await world.apply(
      object.kind === kind ? (mergePatch(object, { spec }) as KubeObject) : object,
    );
    expect(code, body.message).toBeLessThan(300);
  }
};
const endpointOf = (kind: 'Cluster' | 'AWSCluster') => world.find(kind, 'quickstart')?.spec?.controlPlaneEndpoint;
const disabled = { controlPlaneLoadBalancer: { loadBalancerType: 'disabled' } };

describe('of a', () => {
  it.each([
    { in: 'Cluster', half: { host: 'api.example.com' } },
    { in: 'Cluster', half: { port: 443 } },
  ])('$in with $half is that of the load balancer', async ({ in: kind, half }) => {
    await applyWith(kind, { controlPlaneEndpoint: half });
    await world.until('settled', () => isSettled(world), 30);
    const whole = { host: expect.any(String), port: expect.any(Number) };
    expect(endpointOf('AWSCluster')).toEqual(whole);
    expect(endpointOf('Cluster')).toEqual(endpointOf('AWSCluster'));
  });

  it.each([
    { in: 'AWSCluster', spec: { controlPlaneEndpoint: { port: 443 } }, says: 'listens at 6443, not at 443' },
    {
      in: 'AWSCluster',
      spec: { ...disabled, controlPlaneEndpoint: { host: 'api.example.com' } },
      says: 'spec.controlPlaneEndpoint.port: it is not set',
    },
    {
      in: 'AWSCluster',
      spec: { ...disabled, controlPlaneEndpoint: { port: 6443 } },
      says: 'spec.controlPlaneEndpoint.host: it is not set',
    },
  ])('$in with $spec is refused, and nothing is created', async ({ in: kind, spec, says }) => {
    await applyWith(kind, spec);
    const operation = () => world.all('ClusterOperation')[0];
    const preflight = () => operation()?.status?.steps?.find(({ name }) => name === 'Preflight');
    await world.until('refused', () => preflight()?.message?.includes(says) ?? false, 15);
    await world.pass(60);
    expect(world.calls(true)).toEqual({});
  });
});
