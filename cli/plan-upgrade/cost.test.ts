import { expect, it } from 'vitest';
import type { Beginning } from './begin.ts';
import { costOf, renderCost } from './cost.ts';

const template = (name: string, instanceType: string, dollarsPerHour?: string) => ({
  kind: 'AWSMachineTemplate',
  metadata: { name },
  spec: { template: { spec: { instanceType } } },
  status: dollarsPerHour === undefined ? {} : { price: { dollarsPerHour, source: 'EC2 price list' } },
});
const pool = (name: string, rollingUpdate: object = {}) => ({
  kind: 'MachineDeployment',
  metadata: { name },
  spec: {
    rollout: { strategy: { rollingUpdate } },
    template: { spec: { infrastructureRef: { name: `of-${name}` } } },
  },
});
const controlPlane = (rollingUpdate: object = {}) => ({
  kind: 'KubeadmControlPlane',
  metadata: { name: 'cp' },
  spec: {
    rollout: { strategy: { rollingUpdate } },
    machineTemplate: { spec: { infrastructureRef: { name: 'of-cp' } } },
  },
});
const templates = [template('of-cp', 't3.large'), template('of-w', 'm5.large', '2'), template('of-odd', 'x9.large')];
const given = (...pools: object[]) =>
  ({ controlPlane: controlPlane(), machineDeployments: pools, templates }) as unknown as Beginning;
const stage = (of: string, count: number, seconds: number) => ({
  of,
  machines: Array.from({ length: count }, (_, i) => `m${i}`),
  seconds,
});
const hour = 3600;

it.each([
  {
    rule: 'a pool costs one machine more by default, at the price that its template reports',
    beginning: given(pool('w')),
    stages: [stage('w', 3, hour)],
    dollars: 2,
  },
  {
    rule: 'a surge in percent is of the machines that are replaced',
    beginning: given(pool('w', { maxSurge: '50%' })),
    stages: [stage('w', 3, hour)],
    dollars: 4,
  },
  {
    rule: 'without surge nothing runs beside',
    beginning: given(pool('w', { maxSurge: 0, maxUnavailable: 1 })),
    stages: [stage('w', 3, hour)],
    dollars: 0,
  },
  {
    rule: 'a control plane without surge costs nothing, either',
    beginning: { ...given(), controlPlane: controlPlane({ maxSurge: 0 }) } as unknown as Beginning,
    stages: [stage('control plane', 3, hour)],
    dollars: 0,
  },
])('$rule', ({ beginning, stages, dollars }) =>
  expect(costOf(stages, beginning, 'us-east-1')).toEqual({ dollars, unpriced: [] }));

it('takes a price that no template reports from the table of the region', () => {
  const stages = [stage('control plane', 3, hour)];
  const { dollars, unpriced } = costOf(stages, given(), 'us-east-1');
  expect(dollars).toBeCloseTo(0.0832, 4);
  expect(unpriced).toEqual([]);
  expect(costOf(stages, given(), undefined)).toEqual({ dollars: 0, unpriced: ['control plane'] });
});

it('names what has no price, and says nothing of an upgrade that replaces nothing', () => {
  const stages = [stage('w', 1, hour), stage('odd', 1, hour)];
  const cost = costOf(stages, given(pool('w'), pool('odd')), 'us-east-1');
  expect(cost.unpriced).toEqual(['odd']);
  expect(renderCost(cost, stages)[0]).toMatch(/costs about \$2\.00\. .*The price of odd is unknown\.$/);
  expect(renderCost({ dollars: 0.001, unpriced: [] }, stages)[0]).toContain('less than a cent');
  expect(renderCost({ dollars: 0, unpriced: ['w', 'odd'] }, stages)[0]).toMatch(/^The price of w, odd is unknown\. So/);
  expect(renderCost({ dollars: 0, unpriced: [] }, [])).toEqual([]);
});
