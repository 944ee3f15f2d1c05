import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { causesOf, graphOf } from '../../common/causes/index.ts';
import { scalingPlanCauses } from './causes.ts';

const pool = 'MachineDeployment/default/workers';
const deployment = (annotations: Record<string, string>): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: { name: 'workers', namespace: 'default', annotations },
});
const plan = (spec: object, replicas = 5): KubeObject => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'ScalingPlan',
  metadata: { name: 'demo', namespace: 'default' },
  spec: { clusterName: 'demo', ...spec },
  status: {
    pools: [{ pool, min: 1, max: 5, replicas }],
    pods: [
      {
        ...{ owner: 'ReplicaSet/web', namespace: 'default', pod: 'web-1', count: 2, left: 2 },
        reasons: { [pool]: 'max node group size reached' },
      },
    ],
    conditions: [
      {
        ...{ type: 'LimitReached', status: 'True', reason: 'LimitReached' },
        message: 'Pods stay pending: workers has its maximum of 5',
      },
    ],
  },
});
const raised = 'kubectl annotate machinedeployment workers -n default --overwrite';
const patched = `kubectl patch scalingplan demo -n default --type json -p '[{"op":"replace","path":"/spec/pools/1/max","value":6}]'`;

it.each<{ rule: string; annotations: Record<string, string>; spec: object; command: string }>([
  {
    rule: "Capstan's annotation",
    annotations: { 'capstan.dev/autoscale-max': '5' },
    spec: {},
    command: `${raised} capstan.dev/autoscale-max=6`,
  },
  {
    rule: "cluster-autoscaler's annotation",
    annotations: { 'capstan.dev/autoscale': 'true' },
    spec: {},
    command: `${raised} cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size=6`,
  },
  {
    rule: 'the ScalingPlan',
    annotations: {},
    spec: {
      pools: [
        { name: 'other', max: 2 },
        { name: 'workers', max: 5 },
      ],
    },
    command: patched,
  },
])('pods that wait for a pool at its maximum are one cause, and $rule is where it is raised', (given) => {
  const one = plan(given.spec);
  const objects = [one, deployment(given.annotations)];
  const causes = causesOf(one, graphOf({ objects, rules: [scalingPlanCauses] }));
  expect(causes.map(({ commands }) => commands)).toEqual([
    [given.command, 'capstan scale explain default/web-1 --cluster demo -n default'],
  ]);
});
