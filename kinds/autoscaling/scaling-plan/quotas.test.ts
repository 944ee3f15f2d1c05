import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { object, observed } from './observed.fixture.ts';
import { quotasOf } from './quotas.ts';

const { plan, pools = [] } = observed({ machines: ['a'] });
const namespace = (annotations: Record<string, string>) => object('Namespace', 'default', {}, { annotations });
const installation = (spec: object) => object('Installation', 'capstan', { spec });
const own = pools[0]!.machineSets[0]!;
const noted = (set: KubeObject, name: string): KubeObject => ({
  ...set,
  metadata: {
    ...set.metadata,
    name: `${set.metadata.name}-noted`,
    annotations: { 'capstan.dev/creating': `["${name}"]` },
  },
});
const other = (vCPU?: number, dollarsPerHour?: string) =>
  object('ScalingPlan', 'other', {
    status: { usage: { nodes: 3, ...(vCPU !== undefined && { vCPU }), ...(dollarsPerHour && { dollarsPerHour }) } },
  });
const objects: Record<string, KubeObject[]> = {
  Machine: [object('Machine', 'a'), object('Machine', 'b')],
  MachineSet: [noted(own, 'of-a-pool'), noted(object('MachineSet', 'elsewhere'), 'c')],
  ControlPlane: [object('KubeadmControlPlane', 'cp')],
  ScalingPlan: [{ ...plan, status: { usage: { nodes: 9, vCPU: 99 } } }, other(12, '1.25'), other(0, '0.5'), other()],
};
const quotas = (given: { namespace?: KubeObject; installation?: KubeObject }) => {
  const lists: string[] = [];
  const sources = { plan, pools, namespace: given.namespace, installation: given.installation };
  const found = quotasOf(sources, (kind, where) => {
    const name = typeof kind === 'string' ? kind : kind.role;
    lists.push(`${name} ${where.namespace ?? 'all'}`);
    return objects[name]!;
  });
  return { found, lists };
};

describe('the limits that clusters share', () => {
  it('are none without settings, for which nothing is listed', () =>
    expect(quotas({ namespace: namespace({}), installation: installation({}) })).toEqual({ found: [], lists: [] }));
  it("count Machines and noted names, without those of the pools' own sets", () =>
    expect(quotas({ namespace: namespace({ 'capstan.dev/max-machines': '7' }) })).toEqual({
      found: [
        {
          limit: 'machines',
          source: 'exceeded quota: annotation capstan.dev/max-machines of namespace default',
          most: 7,
          used: 3,
        },
      ],
      lists: ['MachineSet default', 'ControlPlane default', 'Machine default'],
    }));
  it('count the virtual CPUs of other clusters', () =>
    expect(quotas({ namespace: namespace({ 'capstan.dev/autoscale-max-vcpu': '64' }) })).toEqual({
      found: [
        {
          limit: 'vCPU',
          source: 'exceeded quota: annotation capstan.dev/autoscale-max-vcpu of namespace default',
          most: 64,
          used: 12,
        },
      ],
      lists: ['ScalingPlan default'],
    }));
  it('count the dollars an hour of other clusters', () => {
    const dollars = namespace({ 'capstan.dev/autoscale-max-dollars-per-hour': '12.50' });
    const { found, lists } = quotas({ namespace: dollars, installation: installation({ maxDollarsPerHour: '20' }) });
    const ofNamespace = 'annotation capstan.dev/autoscale-max-dollars-per-hour of namespace default';
    expect(found).toEqual([
      { limit: 'dollarsPerHour', source: `exceeded quota: ${ofNamespace}`, most: 12.5, used: 1.75 },
      {
        limit: 'dollarsPerHour',
        source: 'exceeded quota: spec.maxDollarsPerHour of installation capstan',
        most: 20,
        used: 1.75,
      },
    ]);
    expect(lists).toEqual(['ScalingPlan default', 'ScalingPlan all']);
  });
  it('of the installation count all namespaces', () => {
    const { found, lists } = quotas({ installation: installation({ maxMachines: 9, maxVCPU: 100 }) });
    expect(found).toMatchObject([
      { limit: 'machines', source: 'exceeded quota: spec.maxMachines of installation capstan', most: 9 },
      { limit: 'vCPU', source: 'exceeded quota: spec.maxVCPU of installation capstan', most: 100 },
    ]);
    expect(new Set(lists.map((one) => one.split(' ')[1]))).toEqual(new Set(['all']));
  });
});
