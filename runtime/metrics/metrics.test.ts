import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callsFamily, watchesFamily } from '../../local/process-metrics.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { createMetrics, type Metrics } from './index.ts';

const object = (kind: string, name: string, spec: object, status: object): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'default' }, spec, status }) as KubeObject;
const ready = [{ type: 'Available', status: 'True' }];
const stored: Record<string, KubeObject[]> = {
  Cluster: [object('Cluster', 'prod', {}, { phase: 'Provisioned', conditions: ready })],
  Machine: [object('Machine', 'm', { clusterName: 'prod' }, { phase: 'Running', conditions: [] })],
  MachineDeployment: [object('MachineDeployment', 'w', { clusterName: 'prod', replicas: 3 }, { readyReplicas: 2 })],
  ClusterOperation: [
    object(
      'ClusterOperation',
      'prod-create-1',
      { clusterName: 'prod', type: 'create' },
      { phase: 'Held', step: 'Workers' },
    ),
  ],
  ScalingPlan: [
    object('ScalingPlan', 'prod', { clusterName: 'prod' }, { pending: 4, usage: { dollarsPerHour: '1.25' } }),
  ],
  Installation: [object('Installation', 'capstan', {}, { frozen: { reason: 'x' } })],
};
const open = (): Metrics =>
  createMetrics({
    list: async (kind) => ({ objects: stored[kind] ?? [], position: 0 }),
    typeOf: (kind) => kind,
    families: () => [callsFamily([{ action: 'RunInstances', mutating: true, calls: 5, errors: 2 }]), watchesFamily(3)],
  });
const linesOf = async (metrics: Metrics) => (await (await metrics.page()).text()).split('\n');

describe('/metrics', () => {
  it.each([
    'capi_cluster_status_phase{namespace="default",name="prod",phase="Provisioned"} 1',
    'capi_cluster_status_condition{namespace="default",name="prod",type="Available",status="true"} 1',
    'capi_machine_status_phase{namespace="default",name="m",cluster_name="prod",phase="Running"} 1',
    'capi_machinedeployment_spec_replicas{namespace="default",name="w",cluster_name="prod"} 3',
    'capi_machinedeployment_status_replicas_ready{namespace="default",name="w",cluster_name="prod"} 2',
    'capstan_clusteroperation_status_phase{namespace="default",name="prod-create-1",cluster_name="prod",type="create",phase="Held",step="Workers"} 1',
    'capstan_scalingplan_pending_pods{namespace="default",name="prod",cluster_name="prod"} 4',
    'capstan_scalingplan_dollars_per_hour{namespace="default",name="prod",cluster_name="prod"} 1.25',
    'capstan_installation_frozen 1',
    'aws_api_requests_total{operation="RunInstances",result="error"} 2',
    'apiserver_longrunning_requests{verb="WATCH"} 3',
  ])('has %s', async (line) => expect(await linesOf(open())).toContain(line));

  it('counts passes and requests', async () => {
    const metrics = open();
    for (const seconds of [0.01, 0.2]) metrics.countPass({ controller: 'machine', ended: 'done' as never, seconds });
    metrics.countRequest({
      verb: 'create',
      objectRef: { resource: 'clusters', apiGroup: 'cluster.x-k8s.io' },
      responseStatus: { metadata: {}, code: 201 },
    } as never);
    const lines = await linesOf(metrics);
    expect(lines).toContain('controller_runtime_reconcile_total{controller="machine",result="done"} 2');
    expect(lines).toContain('controller_runtime_reconcile_time_seconds_count{controller="machine"} 2');
    expect(lines).toContain(
      'apiserver_request_total{verb="create",group="cluster.x-k8s.io",resource="clusters",subresource="",code="201"} 1',
    );
  });

  it('shows nothing that is gone', async () => {
    const metrics = open();
    await linesOf(metrics);
    const machines = stored.Machine;
    stored.Machine = [];
    expect((await linesOf(metrics)).filter((line) => line.startsWith('capi_machine_status_phase{'))).toEqual([]);
    stored.Machine = machines!;
  });

  it('has what the dashboard of examples/ asks for', async () => {
    const dashboard = readFileSync(join(import.meta.dirname, '../../examples/grafana-dashboard.json'), 'utf8');
    const expressions = [...dashboard.matchAll(/"expr": "((?:[^"\\\\]|\\\\.)*)"/g)].map(([, one]) => one!);
    const asked = new Set(
      expressions.flatMap((one) => one.match(/\b(?:capi|capstan|aws|apiserver|controller)_[a-z_]+/g) ?? []),
    );
    const text = (await linesOf(open())).join('\n');
    expect(asked.size).toBeGreaterThan(8);
    for (const name of asked) expect(text).toContain(`# HELP ${name.replace(/_(bucket|count|sum)$/, '')} `);
  });
});
