import { describe, expect, it } from 'vitest';
import type { Context } from '../../../machinery/api/reconcile.ts';
import type { InstanceTypeInfo } from '../../ports/cloud/index.ts';
import { capacityOf } from './capacity.ts';
import { awsMachineTemplateController, type Observed } from './controller.ts';

const info = (more: Partial<InstanceTypeInfo> = {}): InstanceTypeInfo => ({
  InstanceType: 't3.large',
  VCpuInfo: { DefaultVCpus: 2 },
  MemoryInfo: { SizeInMiB: 8192 },
  ProcessorInfo: { SupportedArchitectures: ['x86_64'] },
  ...more,
});
const template = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachineTemplate',
  metadata: { name: 't' },
  spec: { template: { spec: { instanceType: 't3.large' } } },
};
const cluster = { state: 'found', value: { spec: { infrastructureRef: { name: 'c' } } } } as Observed['cluster'];
const absent = { state: 'absent' } as const;
const decide = (observed: Partial<Observed>) =>
  awsMachineTemplateController.reconcile(
    { template, cluster, awsCluster: absent, types: absent, ...observed },
    {} as Context,
  );

describe('the capacity of a template', () => {
  it.each([
    { rule: 'cores and memory', info: info(), capacity: { cpu: '2', memory: '8192Mi' } },
    {
      rule: 'GPUs of the vendor that Kubernetes schedules',
      info: info({
        GpuInfo: {
          Gpus: [
            { Name: 'T4', Manufacturer: 'NVIDIA', Count: 4 },
            { Name: 'V520', Manufacturer: 'AMD', Count: 1 },
          ],
        },
      }),
      capacity: { cpu: '2', memory: '8192Mi', 'nvidia.com/gpu': '4' },
    },
  ])('computes $rule', ({ info: type, capacity }) => expect(capacityOf(type)).toEqual(capacity));

  const known: Observed['types'] = { state: 'found', value: { InstanceTypes: [info()] } };
  it.each([
    { rule: 'is reported once the instance type is known', observed: { types: known }, has: 'status' },
    { rule: 'waits for the region of the infrastructure', observed: {}, has: 'requeueAfter' },
    {
      rule: 'is retried when the cloud does not answer',
      observed: { types: { state: 'unreadable', reason: 'x' } as const, awsCluster: { state: 'unread' } as const },
      has: 'requeueAfter',
    },
  ])('$rule', ({ observed, has }) => {
    const plan = decide(has === 'status' ? { ...observed, awsCluster: { state: 'unread' } } : observed);
    expect(Object.keys(plan)).toEqual([has]);
  });

  it('is not read again', () => {
    expect(decide({ template: { ...template, status: { capacity: { cpu: '2' } } }, types: known })).toEqual({});
  });
});
