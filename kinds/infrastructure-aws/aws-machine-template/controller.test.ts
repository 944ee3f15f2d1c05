import { describe, expect, it } from 'vitest';
import type { Context } from '../../../machinery/api/reconcile.ts';
import type { InstanceTypeInfo } from '../../ports/cloud.ts';
import { capacityOf } from './capacity.ts';
import { awsMachineTemplateController, type Snapshot } from './controller.ts';

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
const cluster = { state: 'found', value: { spec: { infrastructureRef: { name: 'c' } } } } as Snapshot['cluster'];
const absent = { state: 'absent' } as const;
const decide = (snapshot: Partial<Snapshot>) =>
  awsMachineTemplateController.reconcile(
    { template, cluster, awsCluster: absent, types: absent, ...snapshot },
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

  const known: Snapshot['types'] = { state: 'found', value: { InstanceTypes: [info()] } };
  it.each([
    { rule: 'is reported once the instance type is known', snapshot: { types: known }, has: 'status' },
    { rule: 'waits for the region of the infrastructure', snapshot: {}, has: 'requeueAfter' },
    {
      rule: 'is retried when the cloud does not answer',
      snapshot: { types: { state: 'unreadable', reason: 'x' } as const, awsCluster: { state: 'unread' } as const },
      has: 'requeueAfter',
    },
  ])('$rule', ({ snapshot, has }) => {
    const plan = decide(has === 'status' ? { ...snapshot, awsCluster: { state: 'unread' } } : snapshot);
    expect(Object.keys(plan)).toEqual([has]);
  });

  it('is not read again', () => {
    expect(decide({ template: { ...template, status: { capacity: { cpu: '2' } } }, types: known })).toEqual({});
  });
});
